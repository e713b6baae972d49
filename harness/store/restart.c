/* Going on from a case file; see restart.h. Options are compared as canonical text, which reads back to the same bits.
 * Of the state, positions and velocities are the last rows of H5MD's datasets, memories the datasets of /restart, whose
 * attribute `step` says to which state they belong. */
#include "harness/store/restart.h"

#include <math.h>
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

#define POSITION "particles/all/position/"
#define VELOCITY "particles/all/velocity/"

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
  if (file >= 0) h->parameters = sb_case_file_parameters(file);
  if (h->parameters) h->inputs = sb_case_file_inputs(file);
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

/* ---- The state that a file keeps ---- */

static bool read_step(hid_t file, int64_t *step)
{
  hsize_t     extents[SB_H5_RANK_MAX];
  const hid_t dataset = sb_h5_open_dataset(file, POSITION "step", 1, extents);
  const bool  ok = dataset >= 0 && extents[0] > 0 &&
                  sb_h5_read_row(dataset, 1, extents, extents[0] - 1, H5T_NATIVE_INT64, step) && *step >= 0;
  return SB_H5_CLOSE(ok, dataset);
}

static bool all_finite(size_t count, const double *values)
{
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(values[i])) return false;
  return true;
}

/* The last state of a dataset [T][N][3], N as before where that is known. */
static bool read_state(sb_arena *arena, hid_t file, const char *path, size_t *vertices, double **values)
{
  hsize_t     extents[SB_H5_RANK_MAX];
  const hid_t dataset = sb_h5_open_dataset(file, path, 3, extents);
  bool        ok = dataset >= 0 && extents[0] > 0 && extents[1] > 0 && extents[1] <= INT32_MAX && extents[2] == 3 &&
            (*vertices == 0 || *vertices == extents[1]);
  if (ok) {
    *vertices = (size_t)extents[1];
    *values = sb_arena_take(arena, *vertices * 3, sizeof **values);
    ok = sb_h5_read_row(dataset, 3, extents, extents[0] - 1, H5T_NATIVE_DOUBLE, *values) &&
         all_finite(*vertices * 3, *values);
  }
  return SB_H5_CLOSE(ok, dataset);
}

static double *read_memory(sb_arena *arena, hid_t file, const char *name, size_t vertices)
{
  hsize_t     extents[SB_H5_RANK_MAX];
  char       *path = sb_arena_format(arena, "restart/%s", name);
  const hid_t dataset = sb_h5_open_dataset(file, path, 2, extents);
  double     *values = sb_arena_take(arena, vertices * 3, sizeof *values);
  const bool  ok = dataset >= 0 && extents[0] == vertices && extents[1] == 3 &&
                  H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
                  all_finite(vertices * 3, values);
  return SB_H5_CLOSE(ok, dataset) ? values : NULL;
}

/* Memories of another state than the last one stored are of no use, and as good as none. */
static bool read_memories(sb_arena *arena, hid_t file, sb_saved_state *s)
{
  if (!sb_h5_exists(file, "restart")) return true;
  json_t      *said = sb_h5_attributes(file, "restart"), *names = sb_h5_members(file, "restart");
  bool         ok = said && names;
  const bool   fits = json_integer_value(json_object_get(said, "step")) == s->step;
  const size_t count = fits ? json_array_size(names) : 0;
  s->names = sb_arena_take(arena, count, sizeof *s->names);
  s->memory = sb_arena_take(arena, count, sizeof *s->memory);
  for (; ok && s->memories < count; ++s->memories) {
    const char *name = json_string_value(json_array_get(names, s->memories));
    s->names[s->memories] = sb_arena_copy(arena, name);
    s->memory[s->memories] = read_memory(arena, file, name, s->vertices);
    ok = s->memory[s->memories] != NULL;
  }
  json_decref(said);
  json_decref(names);
  return ok;
}

static hid_t open_whole(const char *path, char error[256])
{
  const hid_t file = sb_published_file_is_whole(path, error) ? sb_case_file_open(path, error) : -1;
  if (file < 0 || sb_h5_exists(file, "particles/all/position")) return file;
  if (error[0] == '\0') snprintf(error, 256, "no state is stored in it");
  return file;
}

bool sb_saved_state_read(sb_arena *arena, const char *path, sb_saved_state *state, char error[256])
{
  sb_saved_state s = {0};
  const hid_t    file = open_whole(path, error);
  const bool     ok = file >= 0 && error[0] == '\0' && read_step(file, &s.step) &&
                  read_state(arena, file, POSITION "value", &s.vertices, &s.position) &&
                  read_state(arena, file, VELOCITY "value", &s.vertices, &s.velocity) && read_memories(arena, file, &s);
  const bool closed = sb_case_file_close(file, ok, error);
  *state = closed ? s : (sb_saved_state){0};
  return closed;
}

bool sb_saved_step(const char *path, int64_t *step, char error[256])
{
  const hid_t file = open_whole(path, error);
  return sb_case_file_close(file, file >= 0 && error[0] == '\0' && read_step(file, step), error);
}

const double *sb_saved_memory(const sb_saved_state *state, const char *name)
{
  for (size_t i = 0; i < state->memories; ++i)
    if (strcmp(state->names[i], name) == 0) return state->memory[i];
  return NULL;
}

bool sb_saved_state_digest(const char *path, char hex[SB_DIGEST_LENGTH + 1], char error[256])
{
  sb_saved_state state;
  sb_arena      *arena = sb_arena_create();
  const bool     read = sb_saved_state_read(arena, path, &state, error);
  if (read) {
    const size_t count = state.vertices * 3;
    sb_digest   *digest = sb_digest_create();
    sb_digest_integer(digest, state.step);
    sb_digest_reals(digest, count, state.position);
    sb_digest_reals(digest, count, state.velocity);
    for (size_t i = 0; i < state.memories; ++i) {
      sb_digest_text(digest, state.names[i]);
      sb_digest_reals(digest, count, state.memory[i]);
    }
    sb_digest_hex(digest, hex);
    sb_digest_destroy(&digest);
  }
  sb_arena_destroy(&arena);
  return read;
}
