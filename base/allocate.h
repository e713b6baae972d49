/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for options, parsers and plans. Limits on the input bound its size, so callers handle no lack of memory: if
 * memory is out, these functions end the process with one line and never return NULL. Local. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SB_EXIT_NO_MEMORY = 8 };

/* Returns `memory`, which a library allocated; ends the process if it is NULL. */
void *sb_insist(void *memory);
void *sb_allocate(size_t count, size_t size); /* zeroed */
/* Makes room for one more item after `count` items. The room of the array is always a power of two. */
void *sb_grow(void *items, size_t count, size_t size);
char *sb_copy_text(const char *text);
char *sb_copy_span(const char *text, size_t length);
/* Returns text from a printf format. */
char *sb_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* SB_ENDED_BY(end) before a variable calls end(&variable) where its scope ends. SB_OWNED before a pointer frees its
 * malloc'ed memory there; errno is kept. */
#define SB_ENDED_BY(end) __attribute__((cleanup(end), unused))
#define SB_OWNED         SB_ENDED_BY(sb_leave)
void sb_leave(void *pointer);
/* Opens a stream that writes to *text. After fclose, *text is complete and belongs to the caller, for free(). */
FILE *sb_text_stream(char **text, size_t *length);

/* While on, large arrays are mapped, and return to the system when they are freed: for those that live only for a while
 * of the set-up. While off, as a library that PETSc loads leaves it (SuperLU_DIST), freed memory stays with the
 * process, which saves arrays that come again the page faults. Not for threads that allocate meanwhile. */
void sb_map_large_arrays(bool on);
/* Returns memory that begins a line of the cache, for free(), or NULL; other than above, the caller handles that. Large
 * memory is mapped: glibc's aligned_alloc does not find the room of an array of the same size that was freed, so a
 * process that creates and frees a solver again and again would grow with each. */
void *sb_allocate_lines(size_t bytes);
