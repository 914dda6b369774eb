# Compiler, warnings, linker, ccache and sanitizers: what holds for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(ALT_CCACHE ccache)
if(ALT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The two sloppiness settings are what ccache's manual asks for with precompiled headers; paths
  # from the source directory on, so that one checkout finds what another has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${ALT_CCACHE})
endif()

add_compile_options(
  -Wall -Wextra -Werror
  # Designated initializers leave members to their defaults on purpose.
  -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlaps and overruns in plain std::string concatenation (its PR 105651, 105329).
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()

# GNU ld needs several times as long for programs that hold gRPC.
find_program(ALT_LLD_19 ld.lld PATHS /usr/lib/llvm-19/bin NO_DEFAULT_PATH)
if(ALT_LLD_19)
  add_link_options(-fuse-ld=lld -B/usr/lib/llvm-19/bin)
endif()

if(ALT_SANITIZE)
  add_compile_options(-fsanitize=${ALT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ALT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's flow analysis is confused by the checks that it has itself inserted.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
else()
  # abseil and gRPC are some eighty shared libraries; a program loads those that it calls. Not here
  # above: tests/testing/tsan/abseil_locks.cc stands in front of a library that nothing else may call.
  add_link_options(-Wl,--as-needed)
endif()
