# SPDX-License-Identifier: GPL-3.0-or-later
# `result` becomes what this source is: git describe in a clone. A tarball of `git archive` has the same text in `archived`;
# a copy without either is taken for the release of its version. A clone around the tree does not count.
function(sb_describe_source result)
  set(archived [[$Format:%(describe:tags,abbrev=12)$]])
  set(${result} "v${PROJECT_VERSION}" PARENT_SCOPE)
  if(archived MATCHES "^[A-Za-z0-9._-]+$")
    set(${result} "${archived}" PARENT_SCOPE)
  endif()
  find_package(Git QUIET)
  if(GIT_FOUND AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
    execute_process(COMMAND "${GIT_EXECUTABLE}" describe --always --dirty --tags --abbrev=12
                    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" RESULT_VARIABLE failed OUTPUT_VARIABLE described
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed)
      set(${result} "${described}" PARENT_SCOPE)
      execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse --git-path logs/HEAD WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
                      OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      get_filename_component(head "${head}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
      if(EXISTS "${head}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${head}")
      endif()
    endif()
  endif()
endfunction()

# cases/store/build_facts.h in the build tree: version, sb_describe_source, compiler, and the flags of the conventions without
# the warnings. `target` finds it from then on.
function(sb_build_facts target)
  sb_describe_source(SB_BUILD_GIT)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/build_facts.h.in" "${CMAKE_CURRENT_BINARY_DIR}/facts/cases/store/build_facts.h"
                 @ONLY)
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/facts>")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  set(options "$<TARGET_GENEX_EVAL:sb_conventions,$<TARGET_PROPERTY:sb_conventions,INTERFACE_COMPILE_OPTIONS>>")
  set(flags "$<JOIN:$<FILTER:${options},EXCLUDE,^-W>, >")
  string(STRIP "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}" common)
  set_property(SOURCE store/provenance.c APPEND PROPERTY COMPILE_DEFINITIONS "SB_BUILD_FLAGS=\"${common} ${flags}\"")
endfunction()
