# The library for other C++ programs: include/sunup and the rooms that do not access the machine, as one archive with a CMake package.
# `cmake --install build/release --component library --prefix DIR`, then find_package(Sunup).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(rooms base redaction contract render render_node report client)
set(objects "")
foreach(room IN LISTS rooms)
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()
add_library(libsunup STATIC ${objects} $<TARGET_OBJECTS:proto> $<TARGET_OBJECTS:fmt_static>)
set_target_properties(libsunup PROPERTIES OUTPUT_NAME sunup EXPORT_NAME sunup LINKER_LANGUAGE CXX)
target_include_directories(libsunup INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# By name: SunupConfig.cmake finds them on the machine where a program is linked.
target_link_libraries(libsunup INTERFACE
  $<INSTALL_INTERFACE:Sunup::protobuf> $<INSTALL_INTERFACE:Sunup::crypto> $<INSTALL_INTERFACE:Sunup::z>
  Threads::Threads ${CMAKE_DL_LIBS})
target_compile_features(libsunup INTERFACE cxx_std_20)

install(TARGETS libsunup EXPORT Sunup COMPONENT library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sunup DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
        FILES_MATCHING PATTERN "*.h" PATTERN "result.h" EXCLUDE)
install(FILES src/base/result.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sunup COMPONENT library)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Sunup)
install(EXPORT Sunup NAMESPACE Sunup:: FILE SunupTargets.cmake DESTINATION ${package_dir} COMPONENT library)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/SunupConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/SunupConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/SunupConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT library)

install(TARGETS aks-node-controller sunup COMPONENT programs)
