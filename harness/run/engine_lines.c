/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See engine_lines.h. */
#include "harness/run/engine_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/option_ids.h"
#include "cases/common/durable.h"
#include "cases/common/json_text.h"
#include "cases/common/text.h"
#include "cases/run/plugins.h"
#include "cases/run/simulator_file.h"
#include "harness/run/prediction.h"

static bool names_a_file(const sb_planned_case *c)
{
  for (size_t k = 0; k < SB_INPUT_OPTIONS; ++k)
    if (sb_input_is_named(c->options, sb_input_options[k])) return true;
  return false;
}

/* By a program, as xargs needs it without a shell. */
static void put_variable(const char *name, const char *value, FILE *stream)
{
  fprintf(stream, "env %s=", name);
  sb_text_put_word(stream, value);
  fputc(' ', stream);
}

const char *sb_engine_line(const sb_planned_case *c, const sb_run_request *run, double memory_limit_bytes,
                           sb_arena *arena)
{
  static const char own[] = "springbench"; /* the first word of the stored command */
  const char       *inputs = getenv(SB_INPUTS_VARIABLE), *plugins = getenv(SB_PLUGINS_VARIABLE);
  const char       *simulators = getenv(SB_SIMULATORS_VARIABLE);
  SB_OWNED char    *program = sb_program_file(NULL), *folder = inputs ? realpath(inputs, NULL) : NULL;
  sb_arena_writer   writer;
  FILE             *stream = sb_arena_write(&writer, arena);
  if (folder && names_a_file(c)) put_variable(SB_INPUTS_VARIABLE, folder, stream);
  if (plugins && *plugins) put_variable(SB_PLUGINS_VARIABLE, plugins, stream);
  if (simulators && *simulators) put_variable(SB_SIMULATORS_VARIABLE, simulators, stream);
  sb_text_put_word(stream, program);
  fputs(c->command + strlen(own), stream);
  if (memory_limit_bytes > 0) fprintf(stream, " memory_limit=%.0f", memory_limit_bytes);
  if (run->warm_up >= 0) fprintf(stream, " --warm-up=%d", run->warm_up);
  if (SB_INTEGER(c->options, ranks) > 1 && run->launcher != SB_LAUNCH_MPIEXEC)
    fprintf(stream, " --launcher=%s", sb_launchers[run->launcher]);
  fprintf(stream, " --no-side-car -o %s.h5", c->key);
  return sb_arena_text(&writer);
}

static bool is_to_run(const sb_engine_case *c)
{
  return strcmp(c->state, "missing") == 0 || strcmp(c->state, "again") == 0;
}

bool sb_engine_put_lines(size_t count, const sb_engine_case *cases, FILE *stream, sb_diagnostics *diagnostics)
{
  for (size_t i = 0; i < count; ++i) /* its second half would be a command */
    if (is_to_run(&cases[i]) && strchr(cases[i].line, '\n'))
      return sb_error_at(diagnostics, (sb_location){0}, "E109",
                         "a path in the line of a case has a line break, so that it is no line of a shell: %s; rename "
                         "this folder",
                         cases[i].line);
  for (size_t i = 0; i < count; ++i)
    if (is_to_run(&cases[i])) fprintf(stream, "%s\n", cases[i].line);
  return true;
}

static void put_text(FILE *stream, const char *name, const char *text)
{
  fprintf(stream, ", \"%s\": ", name);
  sb_json_put_text(stream, text);
}

/* Three digits: the prediction is not more accurate. */
static void put_number(FILE *stream, const char *name, double value) { fprintf(stream, ", \"%s\": %.3g", name, value); }

static void put_case(const sb_engine_case *c, FILE *stream)
{
  const sb_options *options = c->planned->options;
  const char       *before = ", \"options\": {";
  fputs("{\"sweep\": ", stream);
  sb_json_put_text(stream, c->sweep);
  put_text(stream, "key", c->planned->key);
  put_text(stream, "state", c->state);
  put_text(stream, "reason", c->planned->skipped ? c->planned->skipped : "");
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    if (!sb_options_has(options, id)) continue;
    fprintf(stream, "%s\"%s\": ", before, sb_option_at(id)->name);
    sb_json_put_text(stream, sb_options_text(options, id));
    before = ", ";
  }
  fprintf(stream, "}, \"ranks\": %lld, \"threads\": %lld", (long long)SB_INTEGER(options, ranks),
          (long long)SB_INTEGER(options, threads));
  put_number(stream, "seconds", c->seconds);
  put_number(stream, "bytes", c->planned->skipped ? 0 : sb_case_predicted_bytes(c->planned));
  if (c->line) {
    fprintf(stream, ", \"file\": \"%s.h5\"", c->planned->key);
    put_text(stream, "command", c->line);
    fputc('}', stream);
  } else {
    fputs(", \"file\": null, \"command\": null}", stream);
  }
}

void sb_engine_put_json(size_t count, const sb_engine_case *cases, FILE *stream)
{
  for (size_t i = 0; i < count; ++i) {
    fputs(i == 0 ? "[\n " : ",\n ", stream);
    put_case(&cases[i], stream);
  }
  fputs(count > 0 ? "\n]\n" : "[]\n", stream);
}
