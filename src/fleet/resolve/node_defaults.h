// Values that every AKS node has, independent of the sources. Both generations of images are rendered from them.
#pragma once

#include <string_view>

namespace sunup::fleet {

struct NodeDefaults {
  // The cloud provider, which only old nodes run themselves.
  bool backoff = true;
  std::string_view backoff_mode = "v2";
  int backoff_retries = 6;
  int backoff_exponent = 0;
  int backoff_seconds = 5;
  int backoff_jitter = 0;
  bool rate_limit = true;
  int rate_limit_qps = 10;
  int rate_limit_qps_write = 10;
  int rate_limit_bucket = 100;
  int rate_limit_bucket_write = 100;
  bool disable_outbound_snat = false;
  bool exclude_master_from_load_balancer = true;
  int max_load_balancer_rules = 250;
  bool use_instance_metadata = true;
  // The identity: a managed one instead of a service principal.
  bool use_managed_identity = true;
  std::string_view service_principal_id = "msi";
  std::string_view service_principal_secret = "bXNp";  // base64 of the same
  // The machine.
  bool is_vhd = true;
  bool disable_ssh = false;
  bool cgroup_v2 = true;
  std::string_view outbound_command = "curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/";
  std::string_view pause_image = "mcr.microsoft.com/oss/kubernetes/pause:3.6";
};
inline constexpr NodeDefaults kNodeDefaults;

}  // namespace sunup::fleet
