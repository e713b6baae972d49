/* Memory by life: what lives as long as a command, or as long as one step of it, is taken from one arena and goes with
 * it. Nothing of an arena is freed one by one. As in allocate.h, the process ends when memory is out. Local. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

typedef struct sb_arena sb_arena;

sb_arena *sb_arena_create(void);
/* Takes a pointer to the pointer, accepts NULL inside. Calls what sb_arena_defer was given, the latest first. */
void sb_arena_destroy(sb_arena **arena);

/* `count` items of `size` bytes, zeroed and aligned for any type; a count of 0 gives a pointer that is not NULL. */
void *sb_arena_take(sb_arena *arena, size_t count, size_t size);
/* Room for one more behind `count` items, zeroed; the array's room is always a power of two, so that adding n items one
 * by one costs O(n). `items` came from this function or is NULL with a count of 0. */
void *sb_arena_grow(sb_arena *arena, void *items, size_t count, size_t size);
/* Copies of texts; NULL for NULL. */
char *sb_arena_copy(sb_arena *arena, const char *text);
char *sb_arena_copy_span(sb_arena *arena, const char *text, size_t length);
/* Text by a printf format. */
char *sb_arena_format(sb_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *sb_arena_format_list(sb_arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* A text that was malloc'ed (by a library, or a stream) becomes the arena's: it is freed with it. NULL for NULL. */
char *sb_arena_adopt(sb_arena *arena, char *text);

/* A stream to write a text to; sb_arena_text closes it and gives the text. */
typedef struct {
  sb_arena *arena;
  FILE     *stream;
  char     *text;
  size_t    length;
} sb_arena_writer;
/* Begins a text. The writer stays where it is until sb_arena_text has ended it. */
FILE *sb_arena_write(sb_arena_writer *writer, sb_arena *arena);
char *sb_arena_text(sb_arena_writer *writer);

/* Calls end(object) when the arena is destroyed: for what a library owns. */
void sb_arena_defer(sb_arena *arena, void (*end)(void *object), void *object);
