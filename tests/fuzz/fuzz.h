/* Fuzz targets: one file <name>.c each, listed in CMakeLists.txt, that feeds bytes of any kind to a parser. The same
 * function runs under libFuzzer (preset fuzz) and, over the inputs kept in corpus/<name>/, in the ordinary tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as text with a closing NUL (malloc'ed); the process ends when memory is out. */
char *fuzz_text(const uint8_t *data, size_t size);
/* Ends the process, as libFuzzer counts findings, unless `holds`. */
void fuzz_require(int holds, const char *what);
