/* See full_program.h. */
#include "cases/common/full_program.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"

/* Defined by the generated functions alone. */
extern const char sb_absent_libraries[] __attribute__((weak));

bool sb_program_is_light(void) { return sb_absent_libraries != NULL; }

static void close_descriptor(void *descriptor) { close((int)(intptr_t)descriptor); }

const char *sb_full_program_name(sb_arena *arena)
{
  if (!sb_program_is_light()) return "/proc/self/exe";
  return sb_arena_format(arena, "%s/springbench-cases", sb_arena_adopt(arena, sb_program_directory()));
}

const char *sb_full_program(sb_arena *arena)
{
  const char *name = sb_full_program_name(arena);
  const int   file = sb_program_is_light() ? open(name, O_PATH | O_CLOEXEC) : -1;
  if (file < 0) return name;
  sb_arena_defer(arena, close_descriptor, (void *)(intptr_t)file);
  return sb_arena_format(arena, "/proc/self/fd/%d", file);
}
