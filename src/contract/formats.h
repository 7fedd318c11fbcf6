// Small grammars that values of a config have to follow, as those who read them later (kubelet, systemd, CoreDNS, the
// kernel) define them. Pure predicates; what to say when one is false is the business of the check's rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sunup::contract {

// "1h30m", "10s", "1.5m", "0" (base/duration.h).
bool is_go_duration(std::string_view text);

// A Kubernetes quantity: "100m", "1.5Gi", "1638Mi", "2e3".
bool is_quantity(std::string_view text);
// One of more than nothing: neither "0" nor "0e5" nor "-1".
bool is_positive_quantity(std::string_view text);

bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_ip(std::string_view text);

// Local ports as the kernel takes them: two, neither privileged, the second not below the first.
bool is_port_range(std::string_view text);

// A resource limit as systemd takes it: a number, "infinity", or soft:hard; of bytes also with a unit, "64M".
bool is_limit(std::string_view text, bool bytes);

// A DNS name of letters, digits, '-' and '.'; a trailing dot is fine.
bool is_host_name(std::string_view text);
// Such a name, or an IPv4 address: digits and dots alone are no name, so 10.1 and 192.168.300.1 are neither.
bool is_host(std::string_view text);

// scheme://host[:port][/...] with an http or https scheme; user:password@ is fine.
bool is_http_url(std::string_view text);

// 8-4-4-4-12 hexadecimal digits.
bool is_guid(std::string_view text);

// [prefix/]name and value of a Kubernetes label.
bool is_label_key(std::string_view text);
bool is_label_value(std::string_view text);

// key[=value]:Effect
bool is_taint(std::string_view text);

// name[:tag][@digest] without a scheme.
bool is_image_reference(std::string_view text);

// What useradd lets a user of Linux be called, capital letters and dots included: at most 32 characters, none that a
// shell or a file of users would act upon.
bool is_user_name(std::string_view text);

// What is between the commas, nothings left out: how kubelet reads flags that hold a map, "a=b,,c=d,".
std::vector<std::string_view> split_entries(std::string_view text);

}  // namespace sunup::contract
