/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory by lifetime: everything that lives as long as a command, or one step of it, comes from one arena and is freed
 * with it. Nothing in an arena is freed one by one. As in allocate.h, the process ends if memory is out. Local. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

typedef struct sb_arena sb_arena;

sb_arena *sb_arena_create(void);
/* Takes a pointer to the pointer and accepts NULL inside. Calls the functions given to sb_arena_defer, the latest
 * first. */
void sb_arena_destroy(sb_arena **arena);

/* Returns `count` items of `size` bytes, zeroed and aligned for any type. It is not NULL, even if the count is 0. */
void *sb_arena_take(sb_arena *arena, size_t count, size_t size);
/* Makes room, zeroed, for one more item after `count` items. The room is always a power of two, so that adding n items
 * one by one costs O(n). `items` is from this function, or NULL with a count of 0. */
void *sb_arena_grow(sb_arena *arena, void *items, size_t count, size_t size);
/* The address of one more item, zeroed, after `count` items, and counts it. The value that is stored there must not
 * read `items` or `count`, which are evaluated several times. */
#define SB_NEW_ITEM(arena, items, count)                                                                               \
  ((items) = sb_arena_grow((arena), (items), (count), sizeof *(items)), &(items)[(count)++])
/* Returns copies of texts; NULL for NULL. */
char *sb_arena_copy(sb_arena *arena, const char *text);
char *sb_arena_copy_span(sb_arena *arena, const char *text, size_t length);
/* Returns text from a printf format. */
char *sb_arena_format(sb_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A list of texts ("" if it is empty) with one more at its end, after the separator if it is not the first. */
char *sb_arena_join(sb_arena *arena, const char *list, const char *separator, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
char *sb_arena_format_list(sb_arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* Hands a malloc'ed text (from a library or a stream) to the arena, which frees it. NULL for NULL. */
char *sb_arena_adopt(sb_arena *arena, char *text);

/* A stream to write a text to; sb_arena_text closes it and returns the text. */
typedef struct {
  sb_arena *arena;
  FILE     *stream;
  char     *text;
  size_t    length;
} sb_arena_writer;
/* Begins a text. The writer must not move in memory until sb_arena_text has ended it. */
FILE *sb_arena_write(sb_arena_writer *writer, sb_arena *arena);
char *sb_arena_text(sb_arena_writer *writer);

/* Calls end(object) when the arena is destroyed; for objects that a library allocated. */
void sb_arena_defer(sb_arena *arena, void (*end)(void *object), void *object);
