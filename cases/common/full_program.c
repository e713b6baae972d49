/* See full_program.h. */
#include "cases/common/full_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/exit_status.h"

/* Defined by the generated functions alone. */
extern const char sb_absent_libraries[] __attribute__((weak));

bool sb_program_is_light(void) { return sb_absent_libraries != NULL; }

static void close_descriptor(void *descriptor) { close((int)(intptr_t)descriptor); }

const char *sb_full_program_name(sb_arena *arena)
{
  return sb_arena_adopt(arena, sb_program_file(sb_program_is_light() ? "springbench-cases" : NULL));
}

int sb_full_program_refused(sb_arena *arena)
{
  const char *cause = strerror(errno);
  fprintf(stderr,
          "springbench: error: cannot execute %s: %s; cases need that program, and it belongs in the folder of "
          "springbench\n",
          sb_full_program_name(arena), cause);
  return SB_EXIT_UNFIT;
}

const char *sb_full_program(sb_arena *arena)
{
  if (!sb_program_is_light()) return "/proc/self/exe";
  const char *name = sb_full_program_name(arena);
  const int   file = open(name, O_PATH | O_CLOEXEC);
  if (file < 0) return name;
  sb_arena_defer(arena, close_descriptor, (void *)(intptr_t)file);
  return sb_arena_format(arena, "/proc/self/fd/%d", file);
}
