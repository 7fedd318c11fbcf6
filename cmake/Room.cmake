# A room: one folder of src/, one library, its tests, and the rooms that it may include.
#
#   sunup_room(render SEES contract base USES fmt_static)
#
# SEES names the rooms whose headers this one may include. Each must have been declared before, so the order of the calls is the order of
# the dependencies and a cycle cannot be written. The build fails if a source file includes a header of any other room. USES names
# third-party targets. x.h, x.cc, x_test.cc and x_bench.cc are side by side; tests become <room>_test, benchmarks <room>_bench (the target
# `benchmarks` builds all of them). PATH is for rooms in a nested folder (host/real); TEST_SEES and TEST_USES are for tests and benchmarks
# only. LABELS are passed to ctest: tests labelled 'threads' also run with the thread sanitizer.
include(GoogleTest)

# Everything that the lane with the thread sanitizer builds.
add_custom_target(threads_tests)

# Property tests (rapidcheck) use the same values each time ctest runs them, so that their result depends on the code and not on chance. To
# search further, run a test by hand, where each run has its own seed:
#   build/dev/collect_test --gtest_filter='Scrub.*'
#   RC_PARAMS='max_success=100000' build/dev/collect_test --gtest_filter='Scrub.*'
set(SUNUP_TEST_ENVIRONMENT "RC_PARAMS=seed=1")

function(sunup_room name)
  cmake_parse_arguments(ARG "" "PATH" "SEES;USES;TEST_SEES;TEST_USES;LABELS" ${ARGN})
  if(NOT ARG_PATH)
    set(ARG_PATH ${name})
  endif()
  set(dir "${PROJECT_SOURCE_DIR}/src/${ARG_PATH}")
  file(GLOB sources CONFIGURE_DEPENDS "${dir}/*.cc" "${dir}/*.h")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(benches ${sources})
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(REMOVE_ITEM sources ${tests} ${benches})

  foreach(seen IN LISTS ARG_SEES ARG_TEST_SEES)
    if(NOT TARGET ${seen})
      message(FATAL_ERROR "room '${name}' sees '${seen}', which is not to its left")
    endif()
  endforeach()

  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${name}.walls")
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DROOM=${ARG_PATH} "-DSEES=${ARG_SEES}" "-DTEST_SEES=${ARG_TEST_SEES}"
            "-DSRC=${PROJECT_SOURCE_DIR}/src" -DSTAMP=${stamp} -P ${PROJECT_SOURCE_DIR}/cmake/check_walls.cmake
    COMMAND ${CMAKE_COMMAND} -DROOM=${ARG_PATH} "-DSRC=${PROJECT_SOURCE_DIR}/src"
            -P ${PROJECT_SOURCE_DIR}/cmake/check_reads.cmake
    DEPENDS ${sources} ${tests} ${benches} ${PROJECT_SOURCE_DIR}/cmake/check_walls.cmake
            ${PROJECT_SOURCE_DIR}/cmake/check_reads.cmake
    COMMENT "Checking the walls of room ${name}" VERBATIM)
  add_custom_target(${name}_walls DEPENDS ${stamp})

  if(NOT sources)
    message(FATAL_ERROR "room '${name}' is empty: ${dir}")
  endif()
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME sunup_${name})
  add_dependencies(${name} ${name}_walls)
  target_compile_options(${name} PRIVATE ${SUNUP_WARNINGS})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${name} PUBLIC ${ARG_SEES} ${ARG_USES})
  set(headers product_headers)
  set(test_headers test_headers)
  if(name STREQUAL "contract" OR "contract" IN_LIST ARG_SEES)
    set(headers contract_headers)
    set(test_headers contract_test_headers)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${headers})

  if(tests)
    add_executable(${name}_test ${tests})
    target_compile_options(${name}_test PRIVATE ${SUNUP_TEST_OPTIONS})
    target_link_libraries(${name}_test PRIVATE ${name} ${ARG_TEST_SEES} ${ARG_TEST_USES} GTest::gmock GTest::gtest_main)
    target_compile_definitions(${name}_test PRIVATE SUNUP_SOURCE_DIR=".")
    target_precompile_headers(${name}_test REUSE_FROM ${test_headers})
    gtest_discover_tests(${name}_test WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT 120 ENVIRONMENT "${SUNUP_TEST_ENVIRONMENT}" LABELS "${ARG_LABELS}")
    if("threads" IN_LIST ARG_LABELS)
      add_dependencies(threads_tests ${name}_test)
    endif()
  endif()

  # Figures of a sanitizer build would be meaningless.
  if(benches AND NOT SUNUP_LANE)
    add_executable(${name}_bench EXCLUDE_FROM_ALL ${benches})
    target_compile_options(${name}_bench PRIVATE ${SUNUP_WARNINGS})
    target_link_libraries(${name}_bench PRIVATE ${name} ${ARG_TEST_SEES} ${ARG_TEST_USES} benchmark::benchmark_main)
    target_compile_definitions(${name}_bench PRIVATE SUNUP_SOURCE_DIR=".")
    if(NOT TARGET benchmarks)
      add_custom_target(benchmarks)
    endif()
    add_dependencies(benchmarks ${name}_bench)
  endif()
endfunction()
