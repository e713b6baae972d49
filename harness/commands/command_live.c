/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command live: reads the line, and becomes the program springbench-live (live/), which has the library of the web. */
#include <errno.h>
#include <string.h>

#include "cases/common/durable.h"
#include "harness/commands/command.h"

typedef struct {
  const char *folder;
  int         port;
} wanted;

static const sb_command_option option_table[] = {
    {"output", 'o', "DIR", "folder for what the page saves (default: the current one)", sb_take_text,
     .place = offsetof(wanted, folder)},
    {"port", 0, "N", "port on 127.0.0.1 (default 0: any that is free)", sb_take_whole, .place = offsetof(wanted, port),
     .low = 0, .high = 65535},
    {0},
};

/* The first word may be a case file; all others are options. False after a diagnostic. */
static bool check_words(const sb_command_words *words, const sb_session *session)
{
  bool good = true;
  for (int i = 1; i < words->count; ++i) {
    if (strchr(words->names[i], '=')) continue;
    good = sb_error_at(session->diagnostics, (sb_location){"live", i + 1, 0}, "E110",
                       "an option is KEY=VALUE, and one case file may come first; got '%s'", words->names[i]);
  }
  if (words->count == 0 || strchr(words->names[0], '=')) return good;
  const char *directory = NULL;
  return sb_command_case_file(words->names[0], session, &directory) && good;
}

static int run_live(int argc, char **argv, const sb_session *session)
{
  wanted                 w = {.folder = "."};
  const sb_command_words words = sb_command_read(argc, argv, session, &w);
  bool                   good = check_words(&words, session);
  if (w.folder[strcspn(w.folder, "\r\n")])
    good = sb_error_at(session->diagnostics, (sb_location){"live", 0, 0}, "E110",
                       "the folder of -o has line breaks in its name, which the page's commands may not have");
  if (!good) return SB_EXIT_USAGE;
  SB_OWNED char *program = sb_program_file("springbench-live");
  char          *port = sb_arena_format(session->arena, "%d", w.port);
  char         **line = sb_arena_take(session->arena, (size_t)words.count + 4, sizeof *line);
  line[0] = program;
  line[1] = port;
  line[2] = sb_arena_copy(session->arena, w.folder);
  memcpy(line + 3, words.names, (size_t)words.count * sizeof *line);
  sb_diagnostics_flush(session->diagnostics, stderr);
  execv(program, line);
  sb_error_at(session->diagnostics, (sb_location){0}, "E100", "%s cannot be executed: %s%s", program, strerror(errno),
              errno == ENOENT ? "; it was left out of this build, which needs libwebsockets (libwebsockets-dev)" : "");
  return SB_EXIT_UNFIT;
}

const sb_command sb_command_live = {.run = run_live, .options = option_table, .prose = true};
