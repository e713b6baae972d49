/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command live: reads the line, and becomes the program springbench-live (live/), which has the library of the web. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cases/common/durable.h"
#include "harness/commands/command.h"

typedef struct {
  const char *folder;
  int         port, count;
  char      **words;
} wanted;

static const sb_command_option option_table[] = {
    {"output", 'o', "DIR", "folder for what the page saves (default: the current one)", sb_take_text,
     .place = offsetof(wanted, folder)},
    {"port", 0, "N", "port on 127.0.0.1 (default 0: any that is free)", sb_take_whole, .place = offsetof(wanted, port),
     .low = 0, .high = 65535},
    {0},
};

static error_t parse_words(int key, char *text, struct argp_state *state)
{
  wanted *w = state->input;
  (void)text;
  if (key == ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN; /* argp then gives all of them */
  if (key != ARGP_KEY_ARGS) return key == ARGP_KEY_NO_ARGS ? 0 : ARGP_ERR_UNKNOWN;
  w->words = state->argv + state->next;
  w->count = state->argc - state->next;
  return 0;
}

/* The first word may be a case file; all others are options. False after a diagnostic. */
static bool check_words(const wanted *w, const sb_session *session)
{
  bool good = true;
  for (int i = 0; i < w->count; ++i) {
    const char *sign = strchr(w->words[i], '=');
    if (sign || i == 0) continue;
    good = sb_error_at(session->diagnostics, (sb_location){"live", i + 1, 0}, "E110",
                       "an option is KEY=VALUE, and one case file may come first; got '%s'", w->words[i]);
  }
  if (w->count == 0 || strchr(w->words[0], '=')) return good;
  const char *directory = NULL;
  return sb_command_case_file(w->words[0], session, &directory) && good;
}

static int run_live(int argc, char **argv, const sb_session *session)
{
  wanted w = {.folder = "."};
  sb_command_parse(&sb_command_live, &(sb_command_line){option_table, parse_words, &w, NULL}, argc, argv);
  if (!check_words(&w, session)) return SB_EXIT_USAGE;
  SB_OWNED char *program = sb_program_file("springbench-live");
  char          *port = sb_arena_format(session->arena, "%d", w.port);
  char         **line = sb_arena_take(session->arena, (size_t)w.count + 4, sizeof *line);
  line[0] = program;
  line[1] = port;
  line[2] = sb_arena_copy(session->arena, w.folder);
  memcpy(line + 3, w.words, (size_t)w.count * sizeof *line);
  sb_command_messages(session);
  execv(program, line);
  sb_error_at(session->diagnostics, (sb_location){0}, "E100", "%s cannot be executed: %s%s", program, strerror(errno),
              errno == ENOENT ? "; it was left out of this build, which needs libwebsockets (libwebsockets-dev)" : "");
  return SB_EXIT_UNFIT;
}

const sb_command sb_command_live = {.run = run_live, .prose = true};
