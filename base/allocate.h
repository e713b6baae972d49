/* Memory for options, parsers and plans, whose sizes are bounded by the limits on their input: when it is out there is
 * nothing to go on with, so these end the process with one line instead of returning NULL. Local. */
#pragma once

#include <stddef.h>
#include <stdio.h>

enum { SB_EXIT_NO_MEMORY = 8 };

/* What a library allocated, as it is; ends the process for NULL. */
void *sb_insist(void *memory);
void *sb_allocate(size_t count, size_t size); /* zeroed */
/* Room for one more behind `count` items; the array's room is always a power of two. */
void *sb_grow(void *items, size_t count, size_t size);
char *sb_copy_text(const char *text);
char *sb_copy_span(const char *text, size_t length);
/* Text by a printf format. */
char *sb_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What stands in front of a variable that `end` is called for, with its address, where its scope ends; and of a pointer
 * to malloc'ed memory that is freed there (errno stays). */
#define SB_ENDED_BY(end) __attribute__((cleanup(end)))
#define SB_OWNED         SB_ENDED_BY(sb_leave)
void sb_leave(void *pointer);
/* A stream whose text is there, for free(), once it is closed. */
FILE *sb_text_stream(char **text, size_t *length);
