# All compiler flags, with the reason for each that is not obvious.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

set(SUNUP_LANE "" CACHE STRING "asan-ubsan, tsan or coverage; empty for a plain build")

# Warnings apply to handwritten code; generated code does not get them (see proto/).
set(SUNUP_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
# libstdc++ 12 calls functions that it has deprecated itself (std::stable_sort), and clang reports that at the caller.
list(APPEND SUNUP_WARNINGS -Wno-deprecated-declarations)

add_compile_options(
  -fPIC                        # for programs too (instead of -fPIE), so that they share precompiled headers with the libraries
  -ffp-contract=off            # published values depend on how a multiply-add rounds
  -ffunction-sections -fdata-sections
  "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
if(CMAKE_SYSROOT)
  add_compile_options("-ffile-prefix-map=${CMAKE_SYSROOT}=")  # the same bytes for any location of the sysroot
endif()
add_link_options(-Wl,--gc-sections -Wl,--as-needed)

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
  add_link_options(-Wl,-z,relro -Wl,-z,now -s)
endif()

# -g1 in the lanes with sanitizers: a report needs lines, not variables, and this saves a quarter of the compile time.
if(SUNUP_LANE STREQUAL "asan-ubsan")
  # The fuzz targets are in this lane, too: fuzzer-no-link counts the branches that an input reaches.
  add_compile_options(-O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(SUNUP_LANE STREQUAL "tsan")
  add_compile_options(-O1 -g1 -fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(SUNUP_LANE STREQUAL "coverage")
  add_compile_options(-O0 -fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
else()
  # The programs contain their C++ runtime, so that they run on images with another one or none.
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

# Tests are compiled without optimization, which saves a third of the compile time: most run for milliseconds. The tested code is optimized
# as usual. (Fortified headers require optimization.)
set(SUNUP_TEST_OPTIONS ${SUNUP_WARNINGS} -O0 -U_FORTIFY_SOURCE)
