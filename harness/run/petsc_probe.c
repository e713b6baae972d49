/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See petsc_probe.h. */
#include "harness/run/petsc_probe.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/words.h"
#include "cases/common/text.h"
#include "harness/run/start.h"
#include "solvers/linear/petsc_passed.h"

enum { SECONDS = 5 }; /* of processor time for the set-up and step of one text */

/* Waits for the process; true if the limit on its processor time ended it. */
static bool ran_too_long(pid_t child)
{
  struct rusage spent = {0};
  int           status = 0;
  if (TEMP_FAILURE_RETRY(wait4(child, &status, 0, &spent)) != child || !WIFSIGNALED(status)) return false;
  return (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU) &&
         spent.ru_utime.tv_sec + spent.ru_stime.tv_sec + 1 >= SECONDS;
}

/* Runs the program and returns its stderr, in the arena; "" if it could not be started, NULL if it ran too long. */
static const char *run_quietly(char **arguments, const char *program, sb_arena *arena)
{
  sb_arena_writer writer;
  char            part[4096];
  int             ends[2];
  ssize_t         got;
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  const pid_t child = sb_start_program(&(sb_start){.program = program,
                                                   .arguments = arguments,
                                                   .threads = 1,
                                                   .input = -1,
                                                   .output = -1,
                                                   .log = ends[1],
                                                   .seconds = SECONDS});
  close(ends[1]);
  FILE *text = sb_arena_write(&writer, arena);
  while ((got = TEMP_FAILURE_RETRY(read(ends[0], part, sizeof part))) > 0) fwrite(part, 1, (size_t)got, text);
  close(ends[0]);
  const char *said = sb_arena_text(&writer);
  return child > 0 && ran_too_long(child) ? NULL : said;
}

static const char *said_of(const sb_options *options, sb_option_id id, const char *program, sb_arena *arena)
{
  enum { ARGUMENTS_MAX = 20 };
  const char *settings = sb_petsc_probe_settings(options, id);
  char       *arguments[ARGUMENTS_MAX] = {"springbench", "case", "save=none", "--json"};
  size_t      n = 4;
  for (char *word; (word = sb_text_next_word(&settings)); ++n) arguments[n] = sb_arena_adopt(arena, word);
  arguments[n++] = sb_arena_format(arena, "%s=%s", sb_option_at(id)->name, sb_options_text(options, id));
  assert(n < ARGUMENTS_MAX);
  return run_quietly(arguments, program, arena);
}

static void probe(const sb_options *options, sb_option_id id, const char *program, const sb_session *session)
{
  static const char mark[] = "no object read ";
  const char       *said = said_of(options, id, program, session->arena);
  if (!said)
    sb_warning_at(session->diagnostics, sb_options_location(options, id), "W122",
                  "PETSc needs more than %d s of processor time for one step of 441 vertices with %s='%s'; check does "
                  "not know whether it reads every option",
                  SECONDS, sb_option_at(id)->name, sb_options_text(options, id));
  const char *place = said ? strstr(said, mark) : NULL;
  if (!place) return;
  place += sizeof mark - 1;
  const char *name = sb_arena_copy_span(session->arena, place, strcspn(place, "; \n"));
  const char *near = sb_petsc_nearest(name);
  sb_error_at(session->diagnostics, sb_options_location(options, id), "E111",
              "PETSc does not read %s in %s='%s'%s%s%s; it is misspelt, or for another method or preconditioner", name,
              sb_option_at(id)->name, sb_options_text(options, id), near ? "; did you mean '" : "", near ? near : "",
              near ? "'?" : "");
}

void sb_petsc_probe(const sb_plan *plan, const char *program, const sb_session *session)
{
  sb_names probed = {0};
  for (size_t i = 0; i < plan->count; ++i)
    for (sb_option_id id = 0; id < sb_option_count; ++id) {
      const sb_options *options = plan->cases[i].options;
      const char       *text = sb_options_text(options, id);
      if (!sb_option_is_petsc_text(id) || plan->cases[i].skipped || !*text || !sb_options_read(options, id)) continue;
      const char  *which = sb_arena_format(session->arena, "%d %s", (int)id, text);
      const size_t before = probed.count;
      sb_names_add(session->arena, &probed, which);
      if (probed.count > before) probe(options, id, program, session);
    }
}
