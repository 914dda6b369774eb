# The functions that directories use to declare what they build.
#
#   alt_library(alt_ir SRCS expr.cc ... DEPS alt_base ... [PRIVATE_DEPS ...])
#   alt_program(alt SRCS alt.cc DEPS ...)                              -> build/<preset>/bin/alt
#   alt_test(common_ir_test LABEL unit SRCS ... DEPS ... [SHARDS n] [TIMEOUT seconds])
#                                                                     -> build/<preset>/bin/tests
#   alt_script_test(name LABEL e2e COMMAND ... [TIMEOUT seconds])
#
# Headers are included from the repository's root: #include "common/ir/expr.h".
# The door to an outside library goes into PRIVATE_DEPS: it is linked, but not seen by users.

# Adds those of the named directories that exist, in the order given.
function(alt_add_subdirectories)
  foreach(dir ${ARGN})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/CMakeLists.txt)
      add_subdirectory(${dir})
    endif()
  endforeach()
endfunction()

# A precompiled header must be seen by ccache.
function(alt_pch_compile_options name)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# What nearly every library file includes, compiled once a build: half the time of a small file.
# Files still include what they use: the sanitizers' and consumers' builds may do without.
function(alt_add_library_pch)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/alt_library_pch.cc CONTENT "")
  add_library(alt_library_pch STATIC EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/alt_library_pch.cc)
  alt_pch_compile_options(alt_library_pch)
  target_precompile_headers(alt_library_pch PRIVATE
    <algorithm> <cstdint> <functional> <map> <memory> <optional> <string> <utility> <variant>
    <vector> <absl/status/status.h> <absl/status/statusor.h> <absl/strings/str_cat.h>
    <absl/strings/string_view.h> <absl/time/time.h>)
endfunction()

function(alt_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;PRIVATE_DEPS" ${ARGN})
  if(ARG_SRCS)
    add_library(${name} STATIC ${ARG_SRCS})
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
    target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
    target_precompile_headers(${name} REUSE_FROM alt_library_pch)
    alt_pch_compile_options(${name})
  else()  # headers only
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
    target_link_libraries(${name} INTERFACE ${ARG_DEPS} ${ARG_PRIVATE_DEPS})
  endif()
endfunction()

function(alt_program name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
endfunction()

# What every kind of test shares. perf runs alone: its numbers mean nothing on a busy machine.
function(alt_test_properties name label timeout)
  if(NOT label MATCHES "^(unit|golden|fuzz|conformance|faults|sim|e2e|perf|lint)$")
    message(FATAL_ERROR "${name}: unknown test label '${label}'")
  endif()
  if(NOT timeout)
    set(timeout 300)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout})
  if(label STREQUAL "perf")
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# gtest and what nearly every test includes, compiled once a build: takes 1.9 s to 0.4 s for a small
# test file. A program and not an object library, so that its flags (-fPIE) are those of the tests.
function(alt_test_compile_options name)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  alt_pch_compile_options(${name})
  target_link_libraries(${name} PRIVATE alt_testing GTest::gtest GTest::gtest_main)
  if(ALT_SANITIZE MATCHES "thread")
    # As objects: the linker would take nothing from an archive for symbols that a library has too.
    target_link_libraries(${name} PRIVATE $<TARGET_OBJECTS:alt_tsan_abseil> absl::synchronization)
  endif()
endfunction()

function(alt_add_test_pch)
  if(NOT EXISTS ${CMAKE_BINARY_DIR}/alt_test_pch.cc)
    file(WRITE ${CMAKE_BINARY_DIR}/alt_test_pch.cc "")
  endif()
  add_executable(alt_test_pch EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/alt_test_pch.cc)
  set_target_properties(alt_test_pch PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/tests)
  alt_test_compile_options(alt_test_pch)
  target_precompile_headers(alt_test_pch PRIVATE
    <gtest/gtest.h> <memory> <optional> <string> <utility> <variant> <vector>
    "\"tests/testing/status_matchers.h\"")
endfunction()

# One program of plain gtest. With SHARDS n, ctest sees n tests that each run a part of it.
function(alt_test name)
  cmake_parse_arguments(ARG "" "LABEL;SHARDS;TIMEOUT" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  alt_test_compile_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  target_precompile_headers(${name} REUSE_FROM alt_test_pch)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/tests)
  if(NOT ARG_SHARDS)
    add_test(NAME ${name} COMMAND ${name})
    alt_test_properties(${name} "${ARG_LABEL}" "${ARG_TIMEOUT}")
    return()
  endif()
  math(EXPR last "${ARG_SHARDS} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}.${shard} COMMAND ${name})
    alt_test_properties(${name}.${shard} "${ARG_LABEL}" "${ARG_TIMEOUT}")
    set_tests_properties(${name}.${shard} PROPERTIES ENVIRONMENT
                         "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

function(alt_script_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  alt_test_properties(${name} "${ARG_LABEL}" "${ARG_TIMEOUT}")
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "ALT_BIN=${CMAKE_BINARY_DIR}/bin")
endfunction()
