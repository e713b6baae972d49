/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command measure: a case of driver external whose frames are those of an H5MD file. Unless the line states the time,
 * the file does. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/run/run_case.h"
#include "cases/store/motion_file.h"
#include "harness/commands/command.h"

typedef struct {
  const char      *output;
  bool             json;
  sb_command_words line; /* the file, then options */
} wanted;

static const sb_command_option option_table[] = {
    {"output", 'o', "FILE", "case file with net, frames and columns, which show, animate and export take", sb_take_text,
     .place = offsetof(wanted, output)},
    {"json", 0, NULL, "print the row as JSON", sb_take_flag, .place = offsetof(wanted, json)},
    {0},
};

/* True if the line has an option with one of these traits. */
static bool states(const wanted *w, unsigned traits)
{
  bool found = false;
  for (int i = 1; i < w->line.count; ++i) {
    SB_OWNED char     *name = strndup(w->line.names[i], strcspn(w->line.names[i], "="));
    const sb_option_id id = name ? sb_option_find(name) : sb_option_count;
    found = found || (id != sb_option_count && sb_option_at(id)->traits & traits);
  }
  return found;
}

/* The line of `springbench case`; NULL after E100. */
static char **line_of(const wanted *w, const char *file, const sb_session *session, int *count)
{
  sb_arena      *arena = session->arena;
  sb_motion_file motion;
  char         **line = sb_arena_take(arena, (size_t)w->line.count + 11, sizeof *line), number[32];
  const char    *why = sb_motion_file_open(file, arena, &motion);
  int            n = 0;
  line[n++] = "case";
  line[n++] = "driver=external";
  line[n++] = sb_arena_format(arena, "motion=%s", file);
  if (!why && !states(w, SB_STATES_TIME)) {
    sb_format_real(sb_motion_file_frame_seconds(&motion), number);
    line[n++] = "substeps=1";
    line[n++] = sb_arena_format(arena, "frames=%zu", motion.frames - 1);
    line[n++] = sb_arena_format(arena, "frame_seconds=%s", number);
  }
  for (int i = 1; i < w->line.count; ++i) line[n++] = w->line.names[i];
  if (w->output && !states(w, SB_STORED_ONLY)) line[n++] = "save=every:1";
  if (w->output) line[n++] = "-o";
  if (w->output) line[n++] = sb_arena_copy(arena, w->output);
  if (w->json) line[n++] = "--json";
  sb_motion_file_close(&motion);
  *count = n;
  if (!why) return line;
  sb_error_at(session->diagnostics, (sb_location){file, 0, 0}, "E100", "%s", why);
  return NULL;
}

static int run_measure(int argc, char **argv, const sb_session *session)
{
  wanted w = {0};
  int    count = 0;
  w.line = sb_command_read(argc, argv, session, &w);
  SB_OWNED char *file = realpath(w.line.names[0], NULL);
  char         **line = line_of(&w, file ? file : w.line.names[0], session, &count);
  sb_diagnostics_flush(session->diagnostics, stderr);
  return line ? sb_case_main(count, line, session) : SB_EXIT_USAGE;
}

const sb_command sb_command_measure = {.run = run_measure, .options = option_table, .least = 1, .full = true};
