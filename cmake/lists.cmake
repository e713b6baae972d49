# SPDX-License-Identifier: GPL-3.0-or-later
# One list, read by everything: sb_list(VARIABLE file.def) gives the names of its SB_ENTRY(name) lines, and makes CMake
# run again when the list changes. C expands the same file to declare, dispatch and test.
function(sb_list variable file)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" lines REGEX "^SB_ENTRY\\([a-z0-9_]+\\)")
  set(names "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^SB_ENTRY\\(([a-z0-9_]+)\\).*" "\\1" name "${line}")
    list(APPEND names "${name}")
  endforeach()
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

# The sources that a list names: DIRECTORY/name.c for every entry.
function(sb_list_sources variable file directory)
  sb_list(names "${file}")
  list(TRANSFORM names PREPEND "${directory}/")
  list(TRANSFORM names APPEND ".c")
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

# The sources of a room of this folder: sb_room(room a b) sets `room` to room/a.c room/b.c.
function(sb_room room)
  list(TRANSFORM ARGN PREPEND "${room}/" OUTPUT_VARIABLE sources)
  list(TRANSFORM sources APPEND ".c")
  set(${room} "${sources}" PARENT_SCOPE)
endfunction()

# sb_embed(variable symbol a.h b.h): a C file with the texts of these files as one string.
function(sb_embed variable symbol)
  set(bytes "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" hex HEX)
    string(APPEND bytes "${hex}")
  endforeach()
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT "${symbol}.c" CONTENT "extern const char ${symbol}[];\nconst char ${symbol}[] = {${bytes}0};\n")
  set(${variable} "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c" PARENT_SCOPE)
endfunction()
