/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mesh files that a test writes into a directory of its own, and what reading them gives. Local. */
#pragma once

#include "model/mesh/mesh.h"
#include "tests/model/support.h"

void sb_write_bytes(const char *name, const char *bytes, size_t size);
void sb_write_text(const char *name, const char *text);
/* Reads a file of the working directory; true when it was read, else *message is the complaint (caller frees). */
bool sb_try_mesh(const char *name, int64_t mass, sb_mesh *mesh, char **message);
/* Writes a file and reads it: it has so many parts. */
void sb_accepts(const char *name, const char *text, size_t vertices, size_t lines, size_t triangles);
/* Writes a file and reads it: the complaint is `expected`. */
void sb_refuses(const char *name, const char *text, const char *expected);
/* Fixtures of a group of tests: the first makes a new working directory, the second removes it with its contents. */
int sb_enter_directory(void **state);
int sb_remove_directory(void **state);
