# Precompiled headers: without them, half of the compile time is spent on headers of libraries.
#
#   sunup_precompiled(product_headers OPTIONS -Wall HEADERS <string> <fmt/format.h>)
#   target_precompile_headers(render REUSE_FROM product_headers)
#
# Only headers of libraries and the generated header of the contract belong here: a change to a header of the project must not recompile
# everything. OPTIONS and USES must be those of the targets that use it; clang refuses a precompiled header that was made with different ones.
#
# ccache would hash the precompiled header itself, which names the directory of the build, so that a second clone would never hit
# the cache. It gets the preprocessed headers instead: a file that ends in .sum (CCACHE_PCH_EXTSUM, CMakePresets.json). The
# precompiled header itself is not kept by ccache: clang checks that the files which it was made from are still in place.
#
# ccache makes the path after -include-pch relative, so that it does not depend on the clone's place. CMake's own form hides it behind
# -Xclang.
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include-pch <PCH_FILE>)

function(sunup_precompiled name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;USES;HEADERS" ${ARGN})
  set(source "${CMAKE_BINARY_DIR}/${name}.cc")
  list(TRANSFORM ARG_HEADERS PREPEND "#include " OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" lines)
  file(CONFIGURE OUTPUT "${source}" CONTENT "${lines}\n")

  add_library(${name} OBJECT "${source}")
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_USES})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")

  set(for "")
  if(CMAKE_CROSSCOMPILING)
    set(for --target=${CMAKE_CXX_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT})
  endif()
  set(sum "${CMAKE_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum")
  set(contract "")
  if("proto" IN_LIST ARG_USES)
    set(contract contract_sources)
    list(APPEND for -isystem "${CMAKE_BINARY_DIR}/proto")
  endif()
  add_custom_command(
    OUTPUT "${sum}"
    COMMAND ${CMAKE_CXX_COMPILER} ${for} "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=" -std=c++20 -E -P -dD -MD -MF "${sum}.d" -MT "${sum}" -o "${sum}" "${source}"
    DEPENDS "${source}" ${contract} DEPFILE "${sum}.d" COMMENT "Preprocessing ${name}" VERBATIM)
  add_custom_target(${name}_sum DEPENDS "${sum}")
  add_dependencies(${name} ${name}_sum)
endfunction()
