/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arenas: blocks of memory that are handed out from the front, and a list of objects to end with the arena. A request
 * larger than a block gets a separate block, after the one that is being filled. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

enum { BLOCK_BYTES = 32768, ALIGNMENT = alignof(max_align_t) };

typedef struct block {
  struct block *next;
  size_t        used, room;
  alignas(max_align_t) unsigned char bytes[];
} block;

typedef struct deferred {
  struct deferred *next;
  void (*end)(void *object);
  void *object;
} deferred;

struct sb_arena {
  block    *blocks; /* the first is being filled */
  deferred *deferred;
};

sb_arena *sb_arena_create(void) { return sb_allocate(1, sizeof(sb_arena)); }

void sb_arena_destroy(sb_arena **arena)
{
  if (!*arena) return;
  for (deferred *d = (*arena)->deferred; d; d = d->next) d->end(d->object);
  for (block *b = (*arena)->blocks, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(*arena);
  *arena = NULL;
}

static block *new_block(size_t room)
{
  block *b = sb_allocate(1, sizeof *b + room);
  b->room = room;
  return b;
}

void *sb_arena_take(sb_arena *arena, size_t count, size_t size)
{
  if (size > 0 && count > (SIZE_MAX / 2) / size) return sb_insist(NULL);
  const size_t bytes = count * size, wanted = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  block       *first = arena->blocks;
  if (first && first->room - first->used >= wanted) {
    first->used += wanted;
    return first->bytes + first->used - wanted;
  }
  block *b = new_block(wanted > BLOCK_BYTES / 4 ? wanted : BLOCK_BYTES);
  b->used = wanted;
  if (first && b->room == wanted) { /* full: the first one is filled further */
    b->next = first->next;
    first->next = b;
  } else {
    b->next = first;
    arena->blocks = b;
  }
  return b->bytes;
}

void *sb_arena_grow(sb_arena *arena, void *items, size_t count, size_t size)
{
  if (count > 0 && (count & (count - 1)) != 0) return items; /* the room is the next power of two */
  void *larger = sb_arena_take(arena, count > 0 ? 2 * count : 1, size);
  if (count > 0) memcpy(larger, items, count * size);
  return larger;
}

char *sb_arena_copy_span(sb_arena *arena, const char *text, size_t length)
{
  if (!text) return NULL;
  char *copy = sb_arena_take(arena, length + 1, 1);
  memcpy(copy, text, length);
  return copy;
}

char *sb_arena_copy(sb_arena *arena, const char *text)
{
  return text ? sb_arena_copy_span(arena, text, strlen(text)) : NULL;
}

char *sb_arena_format_list(sb_arena *arena, const char *format, va_list arguments)
{
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = sb_arena_take(arena, (size_t)(length > 0 ? length : 0) + 1, 1);
  vsnprintf(text, (size_t)(length > 0 ? length : 0) + 1, format, arguments);
  return text;
}

char *sb_arena_format(sb_arena *arena, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  char *text = sb_arena_format_list(arena, format, arguments);
  va_end(arguments);
  return text;
}

char *sb_arena_join(sb_arena *arena, const char *list, const char *separator, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const char *text = sb_arena_format_list(arena, format, arguments);
  va_end(arguments);
  return sb_arena_format(arena, "%s%s%s", list, *list ? separator : "", text);
}

char *sb_arena_adopt(sb_arena *arena, char *text)
{
  if (text) sb_arena_defer(arena, free, text);
  return text;
}

FILE *sb_arena_write(sb_arena_writer *writer, sb_arena *arena)
{
  *writer = (sb_arena_writer){.arena = arena};
  return writer->stream = sb_text_stream(&writer->text, &writer->length);
}

char *sb_arena_text(sb_arena_writer *writer)
{
  if (fclose(writer->stream) != 0) sb_insist(NULL);
  writer->stream = NULL;
  return sb_arena_adopt(writer->arena, writer->text);
}

void sb_arena_defer(sb_arena *arena, void (*end)(void *object), void *object)
{
  deferred *d = sb_arena_take(arena, 1, sizeof *d);
  *d = (deferred){arena->deferred, end, object};
  arena->deferred = d;
}
