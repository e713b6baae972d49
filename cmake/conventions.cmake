# SPDX-License-Identifier: GPL-3.0-or-later
# How every target is compiled. -ffp-contract=off: equal bits with and without FMA outside hand-written kernels.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# For the shared library, whose symbols are those of springbench.map alone.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
option(SB_NATIVE "compile for this machine's processor" OFF)
option(SB_SANITIZE "address and undefined-behaviour sanitizers" OFF)
option(SB_FUZZ "instrument for libFuzzer (clang)" OFF)
option(SB_COVERAGE "count executed lines for gcov" OFF)

set(coverage_exceptions "-fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/tests/fuzz/uninstrumented.txt")
add_library(sb_conventions INTERFACE)
target_compile_definitions(sb_conventions INTERFACE _GNU_SOURCE)
target_compile_options(sb_conventions INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -ffp-contract=off
  "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>"
  # A call of a function that no header declared takes its result for an int: never right, so never a mere warning.
  "$<$<COMPILE_LANGUAGE:C>:-Werror=implicit-function-declaration;-Werror=int-conversion;-Werror=incompatible-pointer-types>"
  $<$<BOOL:${SB_NATIVE}>:-march=native>
  $<$<BOOL:${SB_SANITIZE}>:-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer>
  "$<$<BOOL:${SB_FUZZ}>:-fsanitize=fuzzer-no-link;${coverage_exceptions}>"
  "$<$<BOOL:${SB_COVERAGE}>:--coverage;-fprofile-update=atomic>")
target_link_options(sb_conventions INTERFACE
  $<$<BOOL:${SB_SANITIZE}>:-fsanitize=address,undefined>
  "$<$<BOOL:${SB_COVERAGE}>:--coverage;LINKER:--wrap=_exit,--wrap=execve,--wrap=execvp>")
# The tests are two hundred programs, which gold links in a third of the time.
find_program(SB_GOLD ld.gold)
if(SB_SANITIZE AND SB_GOLD AND CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_link_options(sb_conventions INTERFACE "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=gold>")
endif()
if(SB_SANITIZE)
  add_library(sb_sanitized STATIC "${PROJECT_SOURCE_DIR}/tests/sanitized.c")
  target_link_libraries(sb_sanitized PRIVATE sb_petsc)
  set_target_properties(sb_sanitized PROPERTIES C_VISIBILITY_PRESET default) # the sanitizers ask it for their defaults
  target_link_libraries(sb_conventions INTERFACE sb_sanitized)
  target_link_options(sb_conventions INTERFACE "LINKER:-u,sb_sanitized,--export-dynamic-symbol=pthread_create")
endif()
if(SB_COVERAGE)
  add_library(sb_coverage STATIC "${PROJECT_SOURCE_DIR}/tests/coverage/exit.c")
  target_link_libraries(sb_conventions INTERFACE sb_coverage)
endif()

# A layer of the house: a static library, headers found from the root.
function(sb_layer name)
  cmake_parse_arguments(layer "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${layer_SOURCES})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/springbench>)
  target_link_libraries(${name} PUBLIC ${layer_LINKS} PRIVATE $<BUILD_INTERFACE:sb_conventions>)
endfunction()
