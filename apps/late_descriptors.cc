// protobuf adds the descriptors of every linked .proto to its pool before main, and makes sure of them again when one
// is first asked for. The programs are linked with the former replaced by this (CMakeLists.txt): `version` and
// `provision-wait`, which read no config, execute a quarter of the instructions.
// The linker's name: NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

void __wrap__ZN6google8protobuf8internal20AddDescriptorsRunnerC1EPKNS1_15DescriptorTableE(void* /*runner*/,
                                                                                          const void* /*table*/) {}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
