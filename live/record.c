/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From play to record: a case file, a line for the command line, a sweep over the range of a knob. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/durable.h"
#include "cases/common/text.h"
#include "cases/describe/case_options.h"
#include "live/player.h"

/* Steps of the lines and sweeps that this makes, if no steps were made. */
enum { STEPS = 1000 };

static void tell_result(const sb_stage_play *play, const char *what, const char *text, const char *file,
                        const char *note)
{
  sb_play_tell(
      play, json_pack("{ss ss ss ss? ss}", "type", "result", "what", what, "text", text, "file", file, "note", note));
}

/* False after a refusal. */
static bool save(sb_stage_play *play, const char *file)
{
  if (file && sb_sim_save(play->sim, file) == SB_SIM_OK) return true;
  sb_play_refuse(play, NULL, file ? sb_sim_error(play->sim) : "there is no folder to write to");
  return false;
}

void sb_record_save(sb_stage_play *play, const char *file)
{
  if (save(play, file))
    tell_result(play, "save", file, file, "a case file: springbench show, animate, case --continue");
}

void sb_record_command(sb_stage_play *play, const char *file)
{
  SB_ENDED_BY(sb_options_destroy) sb_options *o = NULL;
  char                                       *text = NULL;
  size_t                                      length = 0;
  if (!play->touched) {
    if (file) (void)unlink(file); /* the place that was kept for it */
    o = sb_sim_options_of_run(play->sim);
    SB_OWNED char *command = o ? sb_case_command(o) : NULL;
    tell_result(play, "command", command ? command : "", NULL,
                play->sim->step > 0 ? "the steps from the start until now" : "the first step");
    return;
  }
  if (!save(play, file)) return;
  FILE *line = sb_text_stream(&text, &length);
  fputs("springbench case --continue ", line);
  sb_text_put_word(line, file);
  fprintf(line, " steps=%lld", (long long)play->sim->step + STEPS);
  fclose(line);
  tell_result(play, "command", text, file, "the file has the effects of hands and knobs; 1000 steps continue from it");
  free(text);
}

/* ---- a sweep ---- */

static void put_quoted(FILE *yaml, const char *text)
{
  fputc('"', yaml);
  for (const char *c = text; *c; ++c)
    fprintf(yaml, iscntrl((unsigned char)*c) ? "\\x%02x" : *c == '"' || *c == '\\' ? "\\%c" : "%c", (unsigned char)*c);
  fputc('"', yaml);
}

/* Seven values from low to high, in equal ratios if both are positive; whole numbers once each. */
static bool put_values(FILE *yaml, sb_option_kind kind, const char *low_text, const char *high_text)
{
  enum { VALUES = 7 };
  char         text[32];
  const double low = strtod(low_text, NULL), high = strtod(high_text, NULL);
  double       before = NAN;
  if (!isfinite(low) || !isfinite(high) || !(low < high)) return false;
  for (int i = 0; i < VALUES; ++i) {
    const double part = (double)i / (VALUES - 1);
    double       value = low > 0 ? low * pow(high / low, part) : low + part * (high - low);
    value = kind == SB_KIND_INTEGER ? round(value) : strtod(sb_text_rounded(value, 3, (char[SB_NUMBER_TEXT]){0}), NULL);
    if (value != before) fprintf(yaml, "%s%s", i == 0 ? "" : ", ", sb_format_real(value, text));
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

/* False if it is not a range. */
static bool put_sweep(FILE *yaml, const sb_stage_play *play, const char *name, const json_t *message)
{
  const sb_option *option = sb_option_at(sb_option_find(name));
  const json_t    *values = json_object_get(message, "values");
  const char      *low = json_string_value(json_object_get(message, "low"));
  const char      *high = json_string_value(json_object_get(message, "high")), *key;
  const double     h = play->sim->c.time.h_seconds;
  const double     seconds = h * (double)(play->sim->step > 0 ? play->sim->step : STEPS);
  const bool       steps = strcmp(name, "h") == 0;
  bool             good = true;
  char             text[32];
  json_t          *each;
  fprintf(yaml,
          "# Made by springbench live. `springbench run` runs it; edit it for a question of your own.\n"
          "springbench: 1\nname: %s\nquestion: How does the motion depend on %s?\nsource: a page of springbench live\n"
          "driver: %s\ntimed: false\n\ndefaults:\n",
          json_string_value(json_object_get(message, "name")), name, steps ? "blowup" : "trajectory");
  json_object_foreach(play->pairs, key, each)
  {
    const sb_option_id id = sb_option_find(key);
    const bool         time = id < sb_option_count && sb_option_at(id)->traits & SB_STATES_TIME;
    if (strcmp(key, name) == 0 || time) continue;
    fprintf(yaml, "  %s: ", key);
    put_quoted(yaml, json_string_value(each));
    fputc('\n', yaml);
  }
  if (!steps) fprintf(yaml, "  h: %s\n", sb_format_real(h, text));
  fprintf(yaml, "  duration: %s\n\nsweep:\n  - grid:\n      %s: [",
          sb_format_real(steps ? seconds : round(seconds / h) * h, text), name);
  if (json_array_size(values) > 0)
    good = put_names(yaml, sb_option_find(name), play->session->vocabulary, values);
  else
    good = low && high && put_values(yaml, option->kind, low, high);
  fprintf(yaml,
          "]\nquick: all\n\ntables:\n  - id: ends\n    title: How each case ended\n    rows: %s\n    columns:\n"
          "      - {value: status, label: status}\n      - {value: steps_done, label: steps}\n",
          name);
  return good;
}

static bool write_new(const char *path, const char *text, size_t length)
{
  const int  file = path ? sb_create(path, 0) : -1;
  const bool good = file >= 0 && sb_write_all(file, text, length);
  return file >= 0 && close(file) == 0 && good;
}

void sb_record_sweep(sb_stage_play *play, const json_t *message)
{
  const char *name = json_string_value(json_object_get(message, "option")), *why = "there is no such option";
  const char *file = json_string_value(json_object_get(message, "file"));
  if (!name || !sb_play_may_set(name, &why)) {
    sb_play_refuse(play, name, why);
    return;
  }
  SB_OWNED char *text = NULL;
  size_t         length = 0;
  FILE          *yaml = sb_text_stream(&text, &length);
  const bool     good = put_sweep(yaml, play, name, message);
  fclose(yaml);
  if (!good)
    sb_play_refuse(play, name, "a sweep goes from a number to a larger one, or over names");
  else if (!write_new(file, text, length))
    sb_play_refuse(play, name, "the file could not be written");
  else
    tell_result(play, "sweep", file, file,
                play->touched ? "the effects of hands are not in it: every case begins at its start" : "");
}
