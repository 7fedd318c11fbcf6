// Small grammars for values of a config, as defined by the programs that read them later (kubelet, systemd, CoreDNS,
// the kernel). Pure predicates; the rules of the check produce the messages.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace sunup::contract {

// MAX_ARG_STRLEN with pages of 4 KiB: the kernel refuses to start a program if a string of its environment
// ("NAME=value" with its final NUL) is longer than this.
inline constexpr size_t kLongestVariable = 128u << 10;

// "1h30m", "10s", "1.5m", "0" (base/duration.h).
bool is_go_duration(std::string_view text);

// A Kubernetes quantity: "100m", "1.5Gi", "1638Mi", "2e3".
bool is_quantity(std::string_view text);
// A quantity above zero: not "0", "0e5" or "-1".
bool is_positive_quantity(std::string_view text);

bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_ip(std::string_view text);

// Local ports in the form that the kernel accepts: two ports, none privileged, the second not below the first.
bool is_port_range(std::string_view text);

// A resource limit in the form that systemd accepts: a number, "infinity", or soft:hard; for bytes also with a unit,
// "64M".
bool is_limit(std::string_view text, bool bytes);

// A DNS name of letters, digits, '-' and '.'; a trailing dot is allowed.
bool is_host_name(std::string_view text);
// Such a name, or an IPv4 address. Digits and dots alone are not a name, so 10.1 and 192.168.300.1 are invalid.
bool is_host(std::string_view text);

// scheme://host[:port][/...] with an http or https scheme; user:password@ is allowed.
bool is_http_url(std::string_view text);

// 8-4-4-4-12 hexadecimal digits.
bool is_guid(std::string_view text);

// [prefix/]name and value of a Kubernetes label.
bool is_label_key(std::string_view text);
bool is_label_value(std::string_view text);
// Whether kubelet may set a label of that name on its own node: it refuses to start with labels in Kubernetes' own
// namespaces, with a few exceptions.
bool kubelet_may_set(std::string_view label_key);

// key[=value]:Effect
bool is_taint(std::string_view text);

// name[:tag][@digest] without a scheme.
bool is_image_reference(std::string_view text);

// A user name that useradd accepts, including capital letters and dots: at most 32 characters, none of which has a
// special meaning to a shell or in /etc/passwd.
bool is_user_name(std::string_view text);

// The parts between commas, without empty ones, as kubelet reads flags that contain a map: "a=b,,c=d,".
std::vector<std::string_view> split_entries(std::string_view text);

}  // namespace sunup::contract
