# Build rules of the house. Libraries mirror folders: gyre_library(kernel ...) makes target gyre_kernel, whose
# include directory is its own folder, so a header of a folder that is not a dependency does not compile.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
option(GYRE_SANITIZE "Build with address and undefined-behaviour sanitizers" OFF)

find_program(GYRE_CCACHE ccache)
if(GYRE_CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${GYRE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1")
if(GYRE_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1")
  set(CMAKE_C_FLAGS_RELEASE "-O1 -g1")
endif()
add_compile_options(-Wall -Wextra -Werror -ffp-contract=off -fpch-preprocess)
if(GYRE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# libFuzzer programs (tests/shader/fuzz); configure with a clang, build the targets fuzz_* only.
option(GYRE_FUZZ "Build the fuzzers, everything with coverage and sanitizers" OFF)
if(GYRE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "GYRE_FUZZ needs clang: configure with CC=clang-14 CXX=clang++-14 in a build folder of its own")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
                      -Wno-unknown-pragmas -Wno-unused-command-line-argument)
  add_link_options(-fsanitize=address,undefined)
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)

add_library(gyre_systemc INTERFACE)
target_include_directories(gyre_systemc SYSTEM INTERFACE /usr/include)
target_compile_definitions(gyre_systemc INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES)
target_link_libraries(gyre_systemc INTERFACE systemc)

# One precompiled SystemC header, shared by every SystemC target.
file(WRITE ${CMAKE_BINARY_DIR}/pch/pch.cpp "")
function(gyre_precompile name)
  add_library(${name} STATIC ${CMAKE_BINARY_DIR}/pch/pch.cpp)
  target_link_libraries(${name} PUBLIC gyre_systemc fmt::fmt spdlog::spdlog)
  target_precompile_headers(${name} PRIVATE <systemc> <tlm> <tlm_utils/simple_initiator_socket.h>
                            <tlm_utils/simple_target_socket.h> <fmt/format.h> <array> <cstdint> <string> <vector>)
endfunction()
gyre_precompile(gyre_pch)
# Test programs with sanitizers compile twice as fast without optimisation, and what they call is optimised.
set(gyre_test_pch gyre_pch)
if(GYRE_SANITIZE)
  set(gyre_test_pch gyre_test_pch)
  gyre_precompile(gyre_test_pch)
  target_compile_options(gyre_test_pch PRIVATE -O0)
endif()

# gyre_library(NAME [SYSTEMC] SOURCES ... [DEPS targets ...])
# SYSTEMC: links SystemC and uses the precompiled header. Pure targets must not name it.
function(gyre_library name)
  cmake_parse_arguments(arg "SYSTEMC" "" "SOURCES;DEPS" ${ARGN})
  add_library(gyre_${name} STATIC ${arg_SOURCES})
  target_include_directories(gyre_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>)
  target_link_libraries(gyre_${name} PUBLIC ${arg_DEPS})
  if(arg_SYSTEMC)
    target_link_libraries(gyre_${name} PUBLIC gyre_systemc)
    target_precompile_headers(gyre_${name} REUSE_FROM gyre_pch)
    target_link_libraries(gyre_${name} PUBLIC fmt::fmt spdlog::spdlog)
  endif()
endfunction()

# Where this checkout stands, for tests that run the program or read files. A header rather than a definition on every
# command line, so that a compiler cache serves all checkouts.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/paths/gyre_paths.h CONTENT
"#pragma once
#define GYRE_BINARY \"${CMAKE_BINARY_DIR}/gyre\"
#define GYRE_BUILD_DIR \"${CMAKE_BINARY_DIR}\"
#define GYRE_FIRMWARE_DIR \"${CMAKE_BINARY_DIR}/firmware\"
#define GYRE_SOURCE_DIR \"${CMAKE_SOURCE_DIR}\"
")

# gyre_test(NAME [SYSTEMC] SOURCES ... [DEPS ...] [LABELS unit|platform|scene|slow ...] [TIMEOUT s])
# A Boost.Test program, registered with CTest. SYSTEMC tests enter through sc_main and fork before they elaborate
# (tests/support/fork_case.h).
function(gyre_test name)
  cmake_parse_arguments(arg "SYSTEMC" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  if(arg_SYSTEMC)
    set(main ${CMAKE_SOURCE_DIR}/tests/support/sc_test_main.cpp)
  else()
    set(main ${CMAKE_SOURCE_DIR}/tests/support/test_main.cpp)
  endif()
  add_executable(test_${name} ${arg_SOURCES} ${main})
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support ${CMAKE_BINARY_DIR}/paths)
  if(GYRE_SANITIZE)
    target_compile_options(test_${name} PRIVATE -O0)
  endif()
  target_compile_definitions(test_${name} PRIVATE BOOST_TEST_DYN_LINK)
  target_link_libraries(test_${name} PRIVATE ${arg_DEPS} boost_unit_test_framework)
  if(arg_SYSTEMC)
    target_link_libraries(test_${name} PRIVATE gyre_systemc)
    target_precompile_headers(test_${name} REUSE_FROM ${gyre_test_pch})
    target_link_libraries(test_${name} PRIVATE fmt::fmt spdlog::spdlog)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(environment "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1;SC_COPYRIGHT_MESSAGE=DISABLE")
  if(GYRE_SANITIZE)
    math(EXPR arg_TIMEOUT "6 * ${arg_TIMEOUT}")
    # A finding must not look like the program's own exit codes 1 and 2.
    list(APPEND environment "ASAN_OPTIONS=exitcode=99" "UBSAN_OPTIONS=exitcode=99:print_stacktrace=1")
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${environment}")
endfunction()
