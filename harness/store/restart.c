/* Going on from a case file; see restart.h. Options are compared as canonical text, which reads back to the same bits.
 */
#include "harness/store/restart.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "harness/store/case_file.h"
#include "harness/store/input_files.h"
#include "harness/store/journal.h"

/* A continued run may choose these anew: how long, what is recorded and measured, on which machine. */
static const sb_option_id free_options[] = {SB_OPT_driver,  SB_OPT_duration, SB_OPT_frames,
                                            SB_OPT_save,    SB_OPT_restart,  SB_OPT_measure_frames,
                                            SB_OPT_threads, SB_OPT_ranks,    SB_OPT_memory_limit};

static bool is_free(sb_option_id id)
{
  for (size_t i = 0; i < sizeof free_options / sizeof *free_options; ++i)
    if (free_options[i] == id) return true;
  return false;
}

/* A file says this of its case. */
typedef struct {
  json_t *parameters, *inputs, *row;
} head;

static void clear_head(head *h)
{
  json_decref(h->parameters);
  json_decref(h->inputs);
  json_decref(h->row);
}

/* False with a message when it cannot be read; to be cleared in either case. */
static bool read_head(const char *path, head *h, char error[256])
{
  *h = (head){0};
  if (!sb_published_file_is_whole(path, error)) return false;
  const hid_t file = sb_case_file_open(path, error);
  if (file >= 0) h->parameters = sb_h5_attributes(file, "parameters");
  if (h->parameters) h->inputs = sb_h5_exists(file, "inputs") ? sb_h5_attributes(file, "inputs") : json_object();
  if (h->inputs) h->row = sb_case_file_row(file);
  return sb_case_file_close(file, h->row != NULL, error);
}

static void write_text(FILE *stream, const json_t *value)
{
  char number[32];
  switch (json_typeof(value)) {
  case JSON_STRING:
    fputs(json_string_value(value), stream);
    break;
  case JSON_REAL:
    fputs(sb_format_real(json_real_value(value), number), stream);
    break;
  case JSON_INTEGER:
    fprintf(stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    break;
  case JSON_ARRAY:
    for (size_t i = 0; i < json_array_size(value); ++i) {
      fputc(i ? ',' : '[', stream);
      write_text(stream, json_array_get(value, i));
    }
    fputc(']', stream);
    break;
  default:
    fputs(json_is_true(value) ? "true" : "false", stream);
  }
}

/* A stored value as the option table would write it; the caller frees it. */
static char *text_of(const json_t *value)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  write_text(stream, value);
  fclose(stream);
  return text;
}

static sb_location blame(const sb_options *options, sb_option_id id)
{
  const bool given = sb_options_origin(options, id) == SB_FROM_USER;
  return sb_options_location(options, given ? id : SB_OPT_restart);
}

/* An option that a file of an older version does not have was what the table says. */
static bool check_option(const sb_options *options, sb_option_id id, const json_t *stored, sb_diagnostics *diagnostics)
{
  const char *name = sb_option_at(id)->name;
  if (!stored && (!sb_options_has(options, id) || sb_options_origin(options, id) == SB_FROM_TABLE)) return true;
  char       *before = stored ? text_of(stored) : NULL;
  const char *now = sb_options_has(options, id) ? sb_options_text(options, id) : "nothing";
  const bool  same = before && sb_options_has(options, id) && strcmp(before, now) == 0;
  if (!same)
    sb_error_at(diagnostics, blame(options, id), "E106",
                "'%s' was made with %s=%s, this case has %s=%s; a run goes on only as it began",
                SB_TEXT(options, restart), name, before ? before : "nothing", name, *now ? now : "''");
  free(before);
  return same;
}

/* A file that an option names counts by its content, where *decided. */
static bool check_content(const sb_options *options, sb_option_id id, const head *h, sb_diagnostics *diagnostics,
                          bool *decided)
{
  const char *name = sb_option_at(id)->name, *before = json_string_value(json_object_get(h->inputs, name));
  char       *now = sb_input_digest(options, id);
  *decided = before && now;
  const bool same = *decided && strcmp(before, now) == 0;
  if (*decided && !same)
    sb_error_at(diagnostics, blame(options, id), "E106",
                "'%s' was made with another content of %s=%s; a run goes on only as it began",
                SB_TEXT(options, restart), name, sb_options_text(options, id));
  free(now);
  return same;
}

static bool check_options(const sb_options *options, const head *h, sb_diagnostics *diagnostics)
{
  const char *name = NULL;
  json_t     *value = NULL;
  bool        good = true;
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    bool               decided = false;
    if (is_free(id)) continue;
    bool same = check_content(options, id, h, diagnostics, &decided);
    if (!decided) same = check_option(options, id, json_object_get(h->parameters, sb_option_at(id)->name), diagnostics);
    good = same && good;
  }
  json_object_foreach(h->parameters, name, value)
  {
    if (strcmp(name, "command") == 0 || sb_option_find(name) != SB_OPT_COUNT) continue;
    good = sb_error_at(diagnostics, sb_options_location(options, SB_OPT_restart), "E106",
                       "'%s' was made with an option '%s' that this version does not know", SB_TEXT(options, restart),
                       name);
  }
  return good;
}

static bool check_end(const sb_options *options, const sb_time_grid *time, const json_t *row, int64_t step,
                      sb_diagnostics *diagnostics)
{
  const sb_location where = sb_options_location(options, SB_OPT_restart);
  const char       *status = json_string_value(json_object_get(row, "status"));
  if (status && (strcmp(status, "diverged") == 0 || strcmp(status, "not_spd") == 0))
    return sb_error_at(diagnostics, where, "E106", "the run of '%s' ended %s: it cannot go on",
                       SB_TEXT(options, restart), status);
  if (step < time->steps) return true;
  return sb_error_at(diagnostics, where, "E106",
                     "'%s' is at step %lld, and this case ends at step %lld; steps are counted from the very start: "
                     "give a larger %s",
                     SB_TEXT(options, restart), (long long)step, (long long)time->steps,
                     sb_options_has(options, SB_OPT_frames) ? "'frames'" : "'duration'");
}

bool sb_restart_check(const sb_options *options, const sb_time_grid *time, sb_diagnostics *diagnostics)
{
  char        error[256] = "";
  const char *name = SB_TEXT(options, restart);
  head        h;
  int64_t     step = 0;
  if (!*name) return true;
  if (!sb_check_input(name, SIZE_MAX, sb_options_location(options, SB_OPT_restart), diagnostics)) return false;
  char *path = sb_input_path(name);
  bool  good = read_head(path, &h, error) && sb_saved_step(path, &step, error);
  free(path);
  if (!good)
    sb_error_at(diagnostics, sb_options_location(options, SB_OPT_restart), "E100", "cannot go on from '%s': %s", name,
                error);
  else
    good = check_options(options, &h, diagnostics) && check_end(options, time, h.row, step, diagnostics);
  clear_head(&h);
  return good;
}

/* The words of a stored command line, which quotes what a shell would change. */
static bool take_words(const char *command, sb_options *options, sb_location where, sb_diagnostics *diagnostics)
{
  wordexp_t words = {0};
  bool      good = wordexp(command, &words, WRDE_NOCMD | WRDE_UNDEF) == 0;
  if (!good) sb_error_at(diagnostics, where, "E110", "its command line cannot be read: %s", command);
  for (size_t i = 2; good && i < words.we_wordc; ++i) {
    const char        *pair = words.we_wordv[i];
    char               name[64];
    const sb_option_id id = (snprintf(name, sizeof name, "%.*s", (int)strcspn(pair, "="), pair), sb_option_find(name));
    if (id == SB_OPT_restart || (id != SB_OPT_COUNT && sb_options_origin(options, id) == SB_FROM_USER)) continue;
    good = sb_options_set_pair(options, pair, SB_FROM_USER, where, diagnostics);
  }
  wordfree(&words);
  return good;
}

bool sb_restart_take_options(const char *path, sb_options *options, sb_location where, sb_diagnostics *diagnostics)
{
  char error[256] = "";
  head h;
  if (!sb_check_input(path, SIZE_MAX, where, diagnostics)) return false;
  const bool  read = read_head(path, &h, error);
  const char *command = read ? json_string_value(json_object_get(h.parameters, "command")) : NULL;
  bool        good = command != NULL;
  if (good)
    good = take_words(command, options, (sb_location){path, 0, 0}, diagnostics) &&
           sb_options_set(options, SB_OPT_restart, path, SB_FROM_USER, where, diagnostics);
  else
    sb_error_at(diagnostics, where, "E100", "cannot go on from '%s': %s", path, *error ? error : "it has no command");
  clear_head(&h);
  return good;
}
