/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From play to record: a case file, a line for the command line, a sweep over the range of a knob. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/durable.h"
#include "cases/common/foreign.h"
#include "cases/common/text.h"
#include "cases/describe/case_options.h"
#include "live/player.h"

/* Steps of the lines and sweeps that this makes, if no steps were made. */
enum { STEPS = 1000, CHECK_SECONDS = 20 };

static void tell_result(const sb_stage_play *play, const char *what, const char *text, const char *file,
                        const char *note)
{
  sb_play_tell(
      play, json_pack("{ss ss ss ss? ss}", "type", "result", "what", what, "text", text, "file", file, "note", note));
}

/* A word of a shell, malloc'ed. */
static char *as_word(const char *text)
{
  char  *word = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&word, &length);
  sb_text_put_word(stream, text);
  fclose(stream);
  return word;
}

/* FOLDER/live-N.EXT, a new and empty file, so that no other process takes the name; the page never chooses it. NULL
 * after a refusal. */
static char *new_file(sb_stage_play *play, const char *extension)
{
  bool there = sb_make_directory(play->folder);
  while (there) {
    char     *path = sb_format("%s/live-%d.%s", play->folder, ++play->files, extension);
    const int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) close(file);
    if (file >= 0) return path;
    there = errno == EEXIST;
    free(path);
  }
  SB_OWNED char *why =
      sb_format("no file can be made in the folder of `springbench live` (-o DIR): %s", sb_cause(errno));
  sb_play_refuse(play, NULL, why);
  return NULL;
}

/* A refusal leaves no file. */
static void give_up(const sb_stage_play *play, const char *option, const char *file, const char *why)
{
  (void)unlink(file);
  sb_play_refuse(play, option, why);
}

/* The file that was written, malloc'ed; NULL after a refusal. */
static char *save(sb_stage_play *play)
{
  if (play->sim->stopped) {
    sb_play_refuse(play, NULL, "the steps have ended early, and no run can continue from here");
    return NULL;
  }
  char *file = new_file(play, "h5");
  if (!file || sb_sim_save(play->sim, file) == SB_SIM_OK) return file;
  give_up(play, NULL, file, sb_sim_error(play->sim));
  free(file);
  return NULL;
}

void sb_record_save(sb_stage_play *play, const json_t *message)
{
  SB_OWNED char *file = save(play);
  (void)message;
  if (file) tell_result(play, "save", file, file, "a case file: springbench show, animate, case --continue");
}

void sb_record_command(sb_stage_play *play, const json_t *message)
{
  SB_ENDED_BY(sb_options_destroy) sb_options *o = NULL;
  (void)message;
  if (!play->touched) {
    o = sb_sim_options_of_run(play->sim);
    SB_OWNED char *command = o ? sb_case_command(o) : NULL;
    tell_result(play, "command", command ? command : "", NULL,
                play->sim->step > 0 ? "the steps from the start until now" : "the first step");
    return;
  }
  SB_OWNED char *file = save(play), *word = file ? as_word(file) : NULL;
  if (!file) return;
  SB_OWNED char *line =
      sb_format("springbench case --continue %s steps=%lld", word, (long long)play->sim->step + STEPS);
  tell_result(play, "command", line, file, "the file has the effects of hands and knobs; 1000 steps continue from it");
}

/* ---- a sweep ---- */

static void put_quoted(FILE *yaml, const char *text)
{
  fputc('"', yaml);
  for (const char *c = text; *c; ++c)
    fprintf(yaml, iscntrl((unsigned char)*c) ? "\\x%02x" : *c == '"' || *c == '\\' ? "\\%c" : "%c", (unsigned char)*c);
  fputc('"', yaml);
}

/* The number of a text as the option reads it, with or without its unit. False, with the reason (malloc'ed). */
static bool read_bound(const sb_stage_play *play, sb_option_id id, const char *text, double *value, char **why)
{
  SB_ENDED_BY(sb_options_destroy) sb_options         *o = sb_options_copy(play->sim->options);
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *said = sb_diagnostics_create();
  const sb_option_kind                                kind = sb_option_at(id)->kind;
  if (!text || (kind != SB_KIND_REAL && kind != SB_KIND_INTEGER)) {
    *why = sb_copy_text("a sweep goes from a number to a larger one, or over names");
    return false;
  }
  if (!sb_options_set(o, id, text, SB_FROM_USER, (sb_location){"options", 1, 0}, said)) {
    *why = sb_sim_print(said);
    return false;
  }
  *value = kind == SB_KIND_REAL ? sb_options_real(o, id) : (double)sb_options_integer(o, id);
  return true;
}

/* Seven values from low to high, in equal ratios if both are positive; whole numbers once each. Steps of a fluid divide
 * `duration`; 0: any value does. False, with the reason. */
static bool put_values(FILE *yaml, const sb_stage_play *play, const json_t *message, double duration, char **why)
{
  enum { VALUES = 7 };
  const sb_option_id id = sb_option_find(json_string_value(json_object_get(message, "option")));
  const bool         whole = sb_option_at(id)->kind == SB_KIND_INTEGER;
  double             low = NAN, high = NAN, before = NAN;
  char               text[SB_NUMBER_TEXT];
  if (!read_bound(play, id, json_string_value(json_object_get(message, "low")), &low, why)) return false;
  if (!read_bound(play, id, json_string_value(json_object_get(message, "high")), &high, why)) return false;
  if (!(low < high)) {
    *why = sb_copy_text("a sweep goes from a number to a larger one");
    return false;
  }
  for (int i = 0; i < VALUES; ++i) {
    const double part = (double)i / (VALUES - 1);
    double       value = low > 0 ? pow(low, 1 - part) * pow(high, part) : low * (1 - part) + high * part;
    const double short_one = strtod(sb_text_rounded(value, 3, text), NULL);
    if (short_one > low && short_one < high) value = short_one;
    if (i == 0) value = low;
    if (i == VALUES - 1) value = high;
    if (whole) value = round(value);
    if (duration > 0) value = duration / fmax(1, round(duration / value));
    if (value != before) fprintf(yaml, i == 0 ? "%s" : ", %s", sb_text_exact(value, text));
    before = value;
  }
  return true;
}

/* Names that the option may have. */
static bool put_names(FILE *yaml, sb_option_id id, const sb_vocabulary *vocabulary, const json_t *names)
{
  json_t *each;
  size_t  i;
  json_array_foreach(names, i, each)
  {
    SB_OWNED char *near = NULL;
    const char    *name = json_string_value(each);
    if (!name || sb_option_at(id)->kind != SB_KIND_NAME || !sb_option_may_be(id, vocabulary, name, &near)) return false;
    fputs(i == 0 ? "" : ", ", yaml);
    put_quoted(yaml, name);
  }
  return true;
}

/* The length of each case, in steps of the page's or, if the option belongs to them, in frames. */
static void put_length(FILE *yaml, const sb_stage_play *play, sb_option_id id, double seconds)
{
  const sb_options *o = play->sim->options;
  const double      h = play->sim->c.time.h_seconds;
  char              text[SB_NUMBER_TEXT];
  if (id == SB_ID(substeps) || id == SB_ID(frame_seconds)) {
    const sb_option_id other = id == SB_ID(substeps) ? SB_ID(frame_seconds) : SB_ID(substeps);
    const double       frame = h * (double)play->sim->c.time.steps_per_frame;
    fprintf(yaml, "  %s: %s\n  frames: %.0f\n", sb_option_at(other)->name, sb_options_text(o, other),
            fmax(1, round(seconds / frame)));
    return;
  }
  if (id != SB_ID(h)) fprintf(yaml, "  h: %s\n", sb_text_exact(h, text));
  fprintf(yaml, "  duration: %s\n", sb_text_exact(seconds, text));
}

/* False, with the reason (malloc'ed). */
static bool put_sweep(FILE *yaml, const sb_stage_play *play, const json_t *message, const char *file, char **why)
{
  const char        *name = json_string_value(json_object_get(message, "option")), *key;
  const sb_option_id id = sb_option_find(name);
  const json_t      *values = json_object_get(message, "values");
  const sb_sim      *sim = play->sim;
  const bool         fluid = sim->setup->system->fluid != NULL, limits = id == SB_ID(h) && !fluid;
  const double       seconds = sim->c.time.h_seconds * (double)(sim->step > 0 ? sim->step : STEPS);
  const char        *base = strrchr(file, '/') + 1;
  json_t            *each;
  fprintf(yaml,
          "# Made by springbench live. `springbench run` runs it; edit it for a question of your own.\n"
          "springbench: 1\nname: %.*s\nquestion: How does the motion depend on %s?\nsource: a page of springbench "
          "live\ndriver: %s\ntimed: false\n\ndefaults:\n",
          (int)strcspn(base, "."), base, name, limits ? "blowup" : SB_TEXT(sim->options, driver));
  json_object_foreach(play->pairs, key, each)
  {
    const sb_option_id other = sb_option_find(key);
    const bool         time = other < sb_option_count && sb_option_at(other)->traits & SB_STATES_TIME;
    if (other == id || time) continue;
    fprintf(yaml, "  %s: ", key);
    put_quoted(yaml, json_string_value(each));
    fputc('\n', yaml);
  }
  put_length(yaml, play, id, seconds);
  fprintf(yaml, "\nsweep:\n  - grid:\n      %s: [", name);
  const bool good = json_array_size(values) > 0
                        ? put_names(yaml, id, play->session->vocabulary, values)
                        : put_values(yaml, play, message, id == SB_ID(h) && fluid ? seconds : 0, why);
  if (!good && !*why) *why = sb_copy_text("a sweep goes over names that the option may have");
  fprintf(yaml,
          "]\nquick: all\n\ntables:\n  - id: ends\n    title: How each case ended\n    rows: %s\n    columns:\n"
          "      - {value: status, label: status}\n      - {value: steps_done, label: steps}\n",
          name);
  return good;
}

/* The first error of `springbench check` in the file, malloc'ed; NULL: none. */
static char *complaints_of(const char *file)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  SB_OWNED char                          *program = sb_program_file("springbench");
  const int                               output = memfd_create("check", MFD_CLOEXEC);
  const char *const                       words[] = {program, "check", file, NULL};
  const sb_foreign_program check = {.words = words, .folder = ".", .output = output, .seconds_max = CHECK_SECONDS};
  const sb_foreign_end     end = sb_foreign_run(&check, arena);
  char                    *said = NULL;
  if (end.failure) {
    char          text[4096];
    const ssize_t length = pread(output, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    const char *error = strstr(text, "error: ");
    said = error ? sb_copy_span(error + 7, strcspn(error + 7, "\n")) : sb_copy_text(end.failure);
  }
  if (output >= 0) close(output);
  return said;
}

void sb_record_sweep(sb_stage_play *play, const json_t *message)
{
  const char *name = json_string_value(json_object_get(message, "option")), *reason = NULL;
  if (!sb_play_may_set(name, &reason)) {
    sb_play_refuse(play, name, reason);
    return;
  }
  SB_OWNED char *file = new_file(play, "yaml"), *text = NULL, *why = NULL;
  size_t         length = 0;
  if (!file) return;
  FILE      *yaml = sb_text_stream(&text, &length);
  const bool good = put_sweep(yaml, play, message, file, &why);
  fclose(yaml);
  if (good && !sb_write_file(file, text, length)) why = sb_format("%s cannot be written: %s", file, sb_cause(errno));
  if (!why) why = complaints_of(file);
  if (why) {
    give_up(play, name, file, why);
    return;
  }
  SB_OWNED char *word = as_word(file), *line = sb_format("springbench run %s", word);
  tell_result(play, "sweep", line, file,
              play->touched ? "the effects of hands are not in it: every case begins at its start" : "");
}
