/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a file to its sweep. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/words.h"
#include "cases/common/durable.h"
#include "harness/sweep/sweep.h"
#include "harness/sweep/sweep_reader.h"

/* A word without a folder may be a misspelt name of a sweep, with or without ".yaml". */
static void refuse_file(const char *path, const char *why, const sb_session *session)
{
  const bool  is_path = strpbrk(path, "/.") != NULL;
  const char *stem = sb_arena_copy_span(session->arena, path, strcspn(path, "."));
  const char *near = strchr(path, '/') ? NULL : sb_sweep_nearest(stem, session->arena);
  sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s%s%s%s%s", why,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
              is_path ? "" : "; `springbench list sweeps` lists those that come with springbench");
}

/* The text of a file of 1 byte to 1 MiB (malloc'ed), which is not waited for. Returns why it cannot be had, or NULL. */
static const char *read_file(const char *path, char **text, size_t *length)
{
  struct stat status;
  if (stat(path, &status) != 0) return sb_cause(errno);
  if (S_ISDIR(status.st_mode)) return strerror(EISDIR);
  if (status.st_size > SB_YAML_BYTES_MAX) return "larger than the limit of 1 MiB";
  if (!(*text = sb_read_file(path, length))) return sb_cause(errno);
  return *length == 0 ? "the file is empty" : NULL;
}

sb_sweep *sb_sweep_read(const char *path, const sb_session *session)
{
  SB_OWNED char *text = NULL;
  size_t         length = 0, full = 0; /* full: the first of such claims, as one warning is enough */
  const char    *why = read_file(path, &text, &length);
  if (why) return refuse_file(path, why, session), NULL;
  sb_sweep *sweep = sb_sweep_parse(text, length, path, session);
  while (sweep && full < sweep->claim_count && !sweep->claims[full].full) ++full;
  if (sweep && full < sweep->claim_count)
    sb_warning_at(session->diagnostics, sweep->claims[full].location, "W120",
                  "'full' has no effect: every claim is about the whole sweep");
  return sweep;
}
