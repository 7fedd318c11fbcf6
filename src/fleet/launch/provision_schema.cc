#include "fleet/launch/provision_schema.h"

#include <nlohmann/json.hpp>

#include "fleet/sources/image_family.h"

namespace sunup::fleet {
namespace {

using nlohmann::ordered_json;

constexpr char kSchema[] = R"({
  "type": "object",
  "required": ["provisionProfile", "provisionHelperValues"],
  "properties": {
    "provisionProfile": {"type": "object", "description": "the node", "required": ["name", "vmSize", "osType", "osSku",
      "storageProfile", "distro", "orchestratorVersion", "vnetSubnetID", "mode", "architecture", "maxPods"], "properties": {
      "name": {"type": "string", "description": "ignored: the client sends an empty one"},
      "vmSize": {"type": "string", "description": "the name of the VM size", "examples": ["Standard_D4s_v5"]},
      "osType": {"type": "integer", "enum": [0, 2], "description": "0: not set; 2: Linux. 1, Windows, is not supported"},
      "osSku": {"type": "integer", "description": "ignored, because distro determines it: 1 Ubuntu, 7 Azure Linux"},
      "storageProfile": {"type": "string", "description": "ignored, because the client creates the disk: ManagedDisks or Ephemeral"},
      "distro": {"type": "string", "description": "the node image; letter case does not matter"},
      "customNodeLabels": {"type": "object", "additionalProperties": {"type": "string"}, "description": "the labels of the node, at most 1,000"},
      "orchestratorVersion": {"type": "string", "description": "the version of Kubernetes", "examples": ["1.33.1"]},
      "vnetCidrs": {"type": "array", "items": {"type": "string"}, "description": "ignored: the client sends an empty list"},
      "vnetSubnetID": {"type": "string", "description": "the resource ID of the subnet"},
      "kubeletDiskType": {"type": "integer", "description": "2: kubelet's files are on the temporary disk; 0 and 1: on the disk of the operating system"},
      "customKubeletConfig": {"type": "object", "description": "settings of kubelet, with the rules of spec.kubelet of an AKSNodeClass", "properties": {
        "cpuManagerPolicy": {"type": "string", "description": "cpuManagerPolicy of the class"},
        "cpuCfsQuota": {"type": "boolean", "description": "cpuCFSQuota of the class"},
        "cpuCfsQuotaPeriod": {"type": "string", "description": "cpuCFSQuotaPeriod of the class: a duration such as 100ms"},
        "imageGcHighThreshold": {"type": "integer", "description": "imageGCHighThresholdPercent of the class"},
        "imageGcLowThreshold": {"type": "integer", "description": "imageGCLowThresholdPercent of the class"},
        "topologyManagerPolicy": {"type": "string", "description": "topologyManagerPolicy of the class"},
        "allowedUnsafeSysctls": {"type": "array", "items": {"type": "string"}, "description": "allowedUnsafeSysctls of the class"},
        "containerLogMaxFiles": {"type": "integer", "description": "containerLogMaxFiles of the class"},
        "containerLogMaxSizeMB": {"type": "integer", "description": "containerLogMaxSize of the class, in MiB"},
        "podMaxPids": {"type": "integer", "description": "podPidsLimit of the class"},
        "failSwapOn": {"type": "boolean", "description": "failSwapOn of the class"}}},
      "customLinuxOSConfig": {"type": "object", "description": "settings of the operating system, with the rules of spec.linuxOSConfig of an AKSNodeClass", "properties": {
        "sysctls": {"type": "object", "description": "sysctls of the class; its names have an upper-case letter for each word, such as netIpv4TcpFinTimeout"},
        "transparentHugePageEnabled": {"type": "string", "description": "transparentHugePageEnabled of the class"},
        "transparentHugePageDefrag": {"type": "string", "description": "transparentHugePageDefrag of the class"},
        "swapFileSizeMB": {"type": "integer", "description": "swapFileSize of the class, in MiB; 0: no swap file"}}},
      "enableFIPS": {"type": "boolean", "description": "must agree with distro"},
      "mode": {"type": "integer", "description": "ignored, because a label says it: 1 system, 2 user"},
      "gpuInstanceProfile": {"type": "integer", "enum": [0], "description": "0: none. Others are not supported"},
      "workloadRuntime": {"type": "integer", "enum": [0], "description": "0: the default. Others are not supported"},
      "messageOfTheDay": {"type": "string", "contentEncoding": "base64", "description": "the text that a login shows"},
      "architecture": {"type": "string", "enum": ["x64", "Arm64"], "description": "must agree with distro; letter case does not matter"},
      "agentPoolWindowsProfile": {"type": "null", "description": "not supported"},
      "securityProfile": {"type": "object", "description": "access to the node", "properties": {
        "sshAccess": {"type": "integer", "description": "0: the local user may log in; others: nobody"},
        "enableVTPM": {"type": "boolean", "description": "ignored, because distro determines it"},
        "enableSecureBoot": {"type": "boolean", "description": "ignored, because the client creates the VM"}}},
      "gpuProfile": {"type": "object", "description": "the GPUs of the node", "properties": {
        "driverType": {"type": "integer", "description": "ignored, because vmSize determines it: 2 GRID, 3 CUDA"},
        "installGPUDriver": {"type": "boolean", "description": "whether the driver is installed"}}},
      "artifactStreamingProfile": {"type": "object", "description": "artifact streaming", "properties": {
        "enabled": {"type": "boolean", "description": "whether images are streamed"}}},
      "nodeInitializationTaints": {"type": "array", "items": {"type": "string"}, "description": "startup taints, key=value:effect, at most 1,000"},
      "nodeTaints": {"type": "array", "items": {"type": "string"}, "description": "taints, key=value:effect, at most 1,000"},
      "maxPods": {"type": "integer", "description": "maxPods of the class"},
      "localDNSProfile": {"type": "object", "description": "the DNS cache of the node, with the rules of spec.localDNS of an AKSNodeClass", "properties": {
        "mode": {"type": "string", "description": "mode of the class; default: Preferred"},
        "vnetDNSOverrides": {"type": "object", "description": "for pods with the DNS policy Default, by zone"},
        "kubeDNSOverrides": {"type": "object", "description": "for pods with the DNS policy ClusterFirst, by zone"}}}
    }},
    "provisionHelperValues": {"type": "object", "description": "what the client knows about the VM size", "required": ["skuCPU", "skuMemory"], "properties": {
      "skuCPU": {"type": "number", "exclusiveMinimum": 0, "maximum": 4096, "description": "processors"},
      "skuMemory": {"type": "number", "exclusiveMinimum": 0, "maximum": 65536, "description": "memory in GiB"}}}
  }
})";

constexpr char kZones[] = R"({"type": "object", "properties": {
  "queryLogging": {"type": "string", "description": "queryLogging of the class; default: Error"},
  "protocol": {"type": "string", "description": "protocol of the class; default: PreferUDP"},
  "forwardDestination": {"type": "string", "description": "forwardDestination of the class; default: ClusterCoreDNS"},
  "forwardPolicy": {"type": "string", "description": "forwardPolicy of the class; default: Sequential"},
  "maxConcurrent": {"type": "integer", "description": "maxConcurrent of the class; default: 1000"},
  "cacheDurationInSeconds": {"type": "integer", "description": "cacheDuration of the class; default: 3600"},
  "serveStaleDurationInSeconds": {"type": "integer", "description": "serveStaleDuration of the class; default: 3600"},
  "serveStale": {"type": "string", "description": "serveStale of the class; default: Immediate"}}})";

}  // namespace

std::string provision_values_schema() {
  ordered_json schema = ordered_json::parse(kSchema);
  ordered_json& profile = schema["properties"]["provisionProfile"]["properties"];
  ordered_json distros = ordered_json::array();
  for (const ImageFamily* family : image_families())
    for (const ImageDefinition& definition : family->images) distros.push_back(definition.distro);
  profile["distro"]["enum"] = std::move(distros);
  for (const char* zones : {"vnetDNSOverrides", "kubeDNSOverrides"})
    profile["localDNSProfile"]["properties"][zones]["additionalProperties"] = ordered_json::parse(kZones);
  return schema.dump();
}

}  // namespace sunup::fleet
