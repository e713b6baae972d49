/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See restart.h. Options are compared as canonical text, which reads back to the same bits. */
#include "cases/store/restart.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wordexp.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "base/outcome.h"
#include "cases/store/case_file.h"
#include "cases/store/input_files.h"
#include "cases/store/journal.h"

/* A continued run may choose these anew: how long, what is recorded and measured, on which machine. */
static bool is_free(sb_option_id id)
{
  return sb_option_at(id)->traits & (SB_OF_RUN | SB_CHOSEN_ANEW | SB_SHARES_WORK | SB_NOT_IN_KEY);
}

/* The head of a case file: {"parameters", "inputs", "row"}. NULL with a message if it cannot be read. */
static json_t *read_head(const char *path, char error[256])
{
  if (!sb_published_file_is_whole(path, error)) return NULL;
  json_auto_t *head = json_object();
  const hid_t  file = sb_case_file_open(path, error);
  json_t      *inputs = file >= 0 && sb_h5_exists(file, "inputs") ? sb_h5_attributes(file, "inputs") : json_object();
  const bool   read = json_object_set_new(head, "inputs", inputs) == 0 && file >= 0 &&
                    json_object_set_new(head, "parameters", sb_h5_attributes(file, "parameters")) == 0 &&
                    json_object_set_new(head, "row", sb_case_file_row(file)) == 0;
  return sb_case_file_close(file, read, error) ? json_incref(head) : NULL;
}

static bool check_option(sb_arena *arena, const sb_options *options, sb_option_id id, const json_t *head,
                         sb_diagnostics *diagnostics)
{
  const char       *name = sb_option_at(id)->name, *file = SB_TEXT(options, restart);
  const json_t     *stored = json_object_get(json_object_get(head, "parameters"), name);
  const char       *past = json_string_value(json_object_get(json_object_get(head, "inputs"), name));
  const char       *content = sb_arena_adopt(arena, sb_input_digest(options, id, NULL));
  const bool        has = sb_options_has(options, id), given = sb_options_origin(options, id) == SB_FROM_USER;
  const sb_location where = sb_options_location(options, given ? id : SB_ID(restart));
  /* A file that an option names counts by its content. */
  if (past && content)
    return strcmp(past, content) == 0 ||
           sb_error_at(diagnostics, where, "E106",
                       "'%s' was made with different content of %s=%s; a run can only continue with the same files",
                       file, name, sb_options_text(options, id));
  /* An option that a file of an older version lacks had the default of the table. */
  if (!stored && (!has || sb_options_origin(options, id) == SB_FROM_TABLE)) return true;
  const char *before = stored ? sb_stored_option_text(arena, stored) : "nothing";
  const char *now = has ? sb_options_text(options, id) : "nothing";
  return (stored && has && strcmp(before, now) == 0) ||
         sb_error_at(diagnostics, where, "E106",
                     "'%s' was made with %s=%s, this case has %s=%s; a run can only continue with the same options",
                     file, name, before, name, *now ? now : "''");
}

/* The options of the case and those of the file that it continues. */
static bool check_options(sb_arena *arena, const sb_options *options, const json_t *head, sb_diagnostics *diagnostics)
{
  const char *option = NULL;
  json_t     *value = NULL;
  bool        good = true;
  for (sb_option_id id = 0; id < sb_option_count; ++id)
    good = (is_free(id) || check_option(arena, options, id, head, diagnostics)) && good;
  json_object_foreach(json_object_get(head, "parameters"), option, value)
  {
    if (strcmp(option, "command") == 0 || sb_option_find(option) != sb_option_count) continue;
    good = sb_error_at(diagnostics, sb_options_location(options, SB_ID(restart)), "E106",
                       "'%s' was made with an option '%s' that this version does not have", SB_TEXT(options, restart),
                       option);
  }
  return good;
}

bool sb_restart_check(const sb_options *options, const sb_time_grid *time, sb_diagnostics *diagnostics)
{
  char              error[256] = "";
  const char       *name = SB_TEXT(options, restart);
  const sb_location where = sb_options_location(options, SB_ID(restart));
  int64_t           step = 0;
  if (!*name) return true;
  if (!sb_check_input(name, SIZE_MAX, where, diagnostics)) return false;
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  const char                             *path = sb_arena_adopt(arena, sb_input_path(name));
  json_auto_t                            *head = read_head(path, error);
  if (!head || !sb_saved_step(path, &step, error))
    return sb_error_at(diagnostics, where, "E100", "cannot continue from '%s': %s", name, error);
  if (!check_options(arena, options, head, diagnostics)) return false;
  const char *status = json_string_value(json_object_get(json_object_get(head, "row"), "status"));
  sb_status   end;
  if (status && sb_status_from_name(status, &end) && !sb_status_goes_on(end))
    return sb_error_at(diagnostics, where, "E106", "the run of '%s' ended %s: it cannot be continued", name, status);
  return step < time->steps ||
         sb_error_at(diagnostics, where, "E106",
                     "'%s' is at step %lld, and this case ends at step %lld; steps count from "
                     "the start of the first run: give a larger %s",
                     name, (long long)step, (long long)time->steps,
                     sb_options_has(options, SB_ID(frames)) ? "'frames'" : "'duration' or 'steps'");
}

bool sb_restart_take_options(const char *path, sb_options *options, sb_location where, sb_diagnostics *diagnostics)
{
  char              error[256] = "";
  wordexp_t         words = {0};
  const sb_location inside = {path, 0, 0};
  if (!sb_check_input(path, SIZE_MAX, where, diagnostics)) return false;
  json_auto_t *head = read_head(path, error);
  const char  *command = json_string_value(json_object_get(json_object_get(head, "parameters"), "command"));
  if (!command)
    return sb_error_at(diagnostics, where, "E100", "cannot continue from '%s': %s", path,
                       *error ? error : "it has no command");
  /* The command line is quoted if a shell would change it. */
  bool good = wordexp(command, &words, WRDE_NOCMD | WRDE_UNDEF) == 0;
  if (!good) sb_error_at(diagnostics, inside, "E110", "its command line cannot be read: %s", command);
  for (size_t i = 2; good && i < words.we_wordc; ++i) {
    const char *pair = words.we_wordv[i];
    char        name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(pair, "="), pair);
    const sb_option_id id = sb_option_find(name);
    if (id == SB_ID(duration) && sb_options_origin(options, SB_ID(steps)) == SB_FROM_USER) continue;
    if (id == SB_ID(restart) || (id != sb_option_count && sb_options_origin(options, id) == SB_FROM_USER)) continue;
    good = sb_options_set_pair(options, pair, SB_FROM_USER, inside, diagnostics);
  }
  wordfree(&words);
  return good && sb_options_set(options, SB_ID(restart), path, SB_FROM_USER, where, diagnostics);
}
