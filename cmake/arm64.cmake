# Toolchain file: compiles for arm64 on a machine of another architecture, with the same compiler and the libraries of tools/sysroot.py.
# Programs that run during the build or in a test (the generator of the contract's table, tests) run in qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

if(NOT SUNUP_SYSROOT)
  execute_process(COMMAND "${CMAKE_CURRENT_LIST_DIR}/../tools/sysroot.py" arm64
    OUTPUT_VARIABLE SUNUP_SYSROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(SUNUP_SYSROOT "${SUNUP_SYSROOT}" CACHE PATH "the root directory with arm64's libraries")
endif()
if(NOT SUNUP_EMULATOR)
  execute_process(COMMAND "${CMAKE_CURRENT_LIST_DIR}/../tools/sysroot.py" --emulator arm64
    OUTPUT_VARIABLE SUNUP_EMULATOR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(SUNUP_EMULATOR "${SUNUP_EMULATOR}" CACHE FILEPATH "runs arm64's programs on this machine")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SUNUP_SYSROOT SUNUP_EMULATOR)
set(CMAKE_SYSROOT "${SUNUP_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "${SUNUP_EMULATOR}" -E SUNUP_EMULATED=1 -L "${SUNUP_SYSROOT}")
