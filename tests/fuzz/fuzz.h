/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz targets: one file <name>.c each, listed in targets.def, that feeds bytes of any kind to one part of the program.
 * The same function runs under libFuzzer (preset fuzz) and, over the inputs kept in corpus/<name>/, in the ordinary
 * tests. docs/robustness/fuzzing.md says what each holds its part to. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Optional: called once, before the first input. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Ends the process, as libFuzzer counts findings, unless `holds`. */
void fuzz_require(bool holds, const char *what);

/* The bytes as text with a closing NUL (malloc'ed); the process ends when memory is out. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Path of a file that holds the bytes, in memory where the system has /dev/shm; `suffix` such as ".csv". One a suffix
 * and process, written anew by every call, gone when the process ends. */
const char *fuzz_file(const char *suffix, const uint8_t *data, size_t size);
/* An empty folder of the same kind; its path. */
const char *fuzz_folder(void);
/* Writes text into a file of that folder. */
void fuzz_write(const char *name, const char *text);

/* Every message is located in `file`, within the text: no line behind its last, no column behind its longest line. */
void fuzz_require_located(const sb_diagnostics *diagnostics, const char *file, const uint8_t *data, size_t size);

/* Gives the options that a user set their defaults again. Making a set takes far longer. */
void fuzz_reset_options(sb_options *options);

/* Bytes taken one after another as choices and numbers; zeros when they are used up. */
typedef struct {
  const uint8_t *at, *end;
} fuzz_bytes;

unsigned fuzz_byte(fuzz_bytes *bytes);
/* Below `count`. */
size_t fuzz_pick(fuzz_bytes *bytes, size_t count);
/* A number of [0, 1], from two bytes. */
double fuzz_unit(fuzz_bytes *bytes);
