// For tests: what kubelet leaves on a node that has joined, and what the API server says about it.
#pragma once

#include <string>

namespace sunup::plan {

inline constexpr char kNodePem[] = "/var/lib/kubelet/client.pem";

inline constexpr char kNodeKubeconfig[] = R"(clusters:
- name: c
  cluster: {server: "https://api.example:443", certificate-authority: /etc/kubernetes/certs/ca.crt}
users:
- name: u
  user: {client-certificate: /var/lib/kubelet/client.pem, client-key: /var/lib/kubelet/client.pem}
contexts:
- name: x
  context: {cluster: c, user: u}
current-context: x
)";

// Of system:node:aks-1.
inline constexpr char kNodeCertificate[] = R"(-----BEGIN CERTIFICATE-----
MIIBvTCCAWOgAwIBAgIUMxYgPtUUG3KTKcAn+Olg4uIgG4UwCgYIKoZIzj0EAwIw
MzEVMBMGA1UECgwMc3lzdGVtOm5vZGVzMRowGAYDVQQDDBFzeXN0ZW06bm9kZTph
a3MtMTAgFw0yNjExMTgyMDM3MDlaGA8yMTI2MTAyNTIwMzcwOVowMzEVMBMGA1UE
CgwMc3lzdGVtOm5vZGVzMRowGAYDVQQDDBFzeXN0ZW06bm9kZTpha3MtMTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABARtpgviNK0sziYry2kCeblwhurKXJnMAuil
3mW8jvJ3mTTmCl9s9sfAQr9O0OzugNNi5tVQKggv5u25aZbnHBujUzBRMB0GA1Ud
DgQWBBRgFMrdE5NsHhENEm7huZeguud6VzAfBgNVHSMEGDAWgBRgFMrdE5NsHhEN
Em7huZeguud6VzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCICVe
nHSmkYgThj4qpvfWtRbUi+N9QFQJmRJkNUX8A0nCAiEAsfcYClrt8SihKtGSxgU6
H0j8TEtdtV53zCyyIXvmBFU=
-----END CERTIFICATE-----
)";

inline constexpr char kNodeWatchUrl[] =
    "https://api.example:443/api/v1/nodes?fieldSelector=metadata.name%3Daks-1&watch=true&timeoutSeconds=240";
inline std::string node_event(const char* type, const std::string& boot, const char* ready) {
  return std::string(R"({"type":")") + type + R"(","object":{"status":{"nodeInfo":{"bootID":")" + boot +
         R"("},"conditions":[{"type":"Ready","status":")" + ready + "\"}]}}}\n";
}

}  // namespace sunup::plan
