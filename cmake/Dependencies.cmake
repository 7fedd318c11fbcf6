# The third-party libraries, as targets. All come from Debian packages (tools/deps/build.txt).
#
# The libraries of the on-node program are linked statically, except glibc: node images differ, and with a missing shared library the node
# would not start. libsystemd is loaded at run time if it is needed (src/host/real).
find_package(Threads REQUIRED)

function(sunup_static_library target file)
  find_library(${target}_archive NAMES lib${file}.a REQUIRED)
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${${target}_archive}")
  target_link_libraries(${target} INTERFACE ${ARGN})
endfunction()

sunup_static_library(protobuf_static protobuf Threads::Threads z_static)
sunup_static_library(z_static z)
sunup_static_library(zstd_static zstd)
sunup_static_library(lzma_static lzma Threads::Threads)
sunup_static_library(crypto_static crypto Threads::Threads ${CMAKE_DL_LIBS})
sunup_static_library(ssl_static ssl crypto_static)
find_path(fmt_headers fmt/format-inl.h REQUIRED)
add_library(fmt_static STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt.cc")  # that file gives the reason
sunup_static_library(yaml_static yaml-cpp)
sunup_static_library(expat_static expat)

find_program(PROTOC protoc REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
