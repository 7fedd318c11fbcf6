#include "render/node/kubelet_serving.h"

#include <algorithm>

#include "base/node_paths.h"
#include "render/node/node_labels.h"

namespace sunup::render::node {
namespace {

constexpr std::string_view kVetoTag = "aks-disable-kubelet-serving-certificate-rotation";
constexpr std::string_view kRotateOn = "--rotate-server-certificates=true";
constexpr std::string_view kRotateOff = "--rotate-server-certificates=false";

// Edits flags as whole words between single spaces. A value that contains a space is preserved.
template <class Edit>
std::string edit_words(std::string_view flags, Edit edit) {
  std::string out;
  bool first = true;
  size_t at = 0;
  while (at <= flags.size() && !flags.empty()) {
    const size_t end = std::min(flags.find(' ', at), flags.size());
    const std::string_view word = edit(flags.substr(at, end - at));
    at = end + 1;
    if (word.data() == nullptr) continue;
    if (!first) out += ' ';
    first = false;
    out.append(word);
  }
  return out;
}

}  // namespace

ServingCertificate serving_certificate(const Configuration& config, const NodeFacts& facts) {
  if (!config.kubelet_config().kubelet_config_file_config().server_tls_bootstrap()) {
    return ServingCertificate::kSelfSigned;
  }
  return facts.tag(kVetoTag) ? ServingCertificate::kRotationVetoed : ServingCertificate::kRotated;
}

std::string serving_flags(std::string_view flags, ServingCertificate mode) {
  if (mode == ServingCertificate::kSelfSigned) return std::string(flags);
  const std::string certificate = std::string("--tls-cert-file=") + paths::kServingCertificate;
  const std::string key = std::string("--tls-private-key-file=") + paths::kServingKey;
  return edit_words(flags, [&](std::string_view word) -> std::string_view {
    if (mode == ServingCertificate::kRotationVetoed) return word == kRotateOn ? kRotateOff : word;
    return word == certificate || word == key ? std::string_view() : word;
  });
}

std::string serving_labels(std::string_view labels, ServingCertificate mode) {
  switch (mode) {
    case ServingCertificate::kRotated:
      return with_label(labels, kServingCaLabel);
    case ServingCertificate::kRotationVetoed:
      return without_label(labels, kServingCaLabel);
    case ServingCertificate::kSelfSigned:
      break;
  }
  return std::string(labels);
}

void apply_to_config_file(ServingCertificate mode, aksnodeconfig::v1::KubeletConfigFileConfig& file) {
  if (mode == ServingCertificate::kRotationVetoed) file.set_server_tls_bootstrap(false);
  if (mode == ServingCertificate::kRotated) {
    file.clear_tls_cert_file();
    file.clear_tls_private_key_file();
  }
}

}  // namespace sunup::render::node
