/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See full_program.h. */
#include "cases/common/full_program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/exit_status.h"

enum { ID_BYTES = 20, HEAD_BYTES = 4096 };

/* Defined only in the light program. The second is the build id of the full program that it was linked with. */
extern const char          sb_absent_libraries[] __attribute__((weak));
extern const unsigned char sb_full_build[ID_BYTES] __attribute__((weak));

bool sb_program_is_light(void) { return sb_absent_libraries != NULL; }

static void close_descriptor(void *descriptor) { close((int)(intptr_t)descriptor); }

const char *sb_full_program_name(sb_arena *arena)
{
  return sb_arena_adopt(arena, sb_program_file(sb_program_is_light() ? "springbench-cases" : NULL));
}

/* True if a program has our build id, whose note linkers place in its first page. A file that can be executed but not
 * read is accepted. */
static bool is_of_this_build(const char *program)
{
  struct {
    Elf64_Nhdr    head;
    char          owner[4];
    unsigned char id[ID_BYTES];
  } note = {{4, ID_BYTES, NT_GNU_BUILD_ID}, "GNU", {0}};
  char                            head[HEAD_BYTES];
  SB_ENDED_BY(sb_close) const int file = open(program, O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;
  const ssize_t got = read(file, head, sizeof head);
  memcpy(note.id, sb_full_build, ID_BYTES);
  return got > 0 && memmem(head, (size_t)got, &note, sizeof note);
}

const char *sb_full_program_fault(const char *program)
{
  if (access(program, X_OK) != 0) return strerror(errno);
  return sb_program_is_light() && !is_of_this_build(program) ? "it is not of the same build as springbench" : NULL;
}

int sb_full_program_refused(const char *cause, sb_arena *arena)
{
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
