/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See machine.h. The sizes of caches are glibc's, as the processor reports them: hwloc has more, but needs 13 ms, half
 * as long again as a small case. */
#include "cases/common/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/durable.h"

const char *sb_machine_line(sb_arena *arena, const char *path, const char *key)
{
  SB_OWNED char *line = NULL;
  size_t         capacity = 0;
  const char    *found = NULL;
  FILE          *stream = fopen(path, "re");
  while (stream && !found && getline(&line, &capacity, stream) > 0) {
    if (key && strncmp(line, key, strlen(key)) != 0) continue;
    const char *value = key ? line + strcspn(line, ":") : line;
    value += key ? strspn(value, ": \t") : 0;
    found = sb_arena_copy_span(arena, value, strcspn(value, "\n"));
  }
  if (stream) fclose(stream);
  return found ? found : "unknown";
}

const char *sb_machine_memory(sb_arena *arena)
{
  char         text[32];
  const double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  return bytes > 0 ? sb_arena_copy(arena, sb_format_bytes(bytes, text)) : "unknown";
}

const char *sb_machine_caches(sb_arena *arena)
{
  static const struct {
    const char *name;
    int         size;
  } levels[] = {{"L1d", _SC_LEVEL1_DCACHE_SIZE}, {"L2", _SC_LEVEL2_CACHE_SIZE}, {"L3", _SC_LEVEL3_CACHE_SIZE}};
  const char *all = "";
  char        text[32];
  for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i) {
    const long bytes = sysconf(levels[i].size);
    if (bytes <= 0) continue;
    all = sb_arena_join(arena, all, ", ", "%s %s", levels[i].name, sb_format_bytes((double)bytes, text));
  }
  return *all ? all : "unknown";
}

const char *sb_machine_microcode(sb_arena *arena) { return sb_machine_line(arena, "/proc/cpuinfo", "microcode"); }
