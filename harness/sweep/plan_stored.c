/* A stored plan made fit to run: options as its command lines give them; see plan.h. plan.json has every value and not
 * who gave it, and an option that was given excludes others that were not. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/text.h"
#include "harness/sweep/plan.h"

enum { WORDS_BEFORE = 2 }; /* springbench case */

/* What a command line says of the options: NULL and a diagnostic when it is none that a plan would have. */
static sb_options *options_of(const char *command, const sb_vocabulary *vocabulary, sb_location where,
                              sb_diagnostics *diagnostics)
{
  sb_options *options = sb_options_create(vocabulary);
  bool        good = options != NULL;
  size_t      number = 0;
  for (char *word; good && (word = sb_text_next_word(&command)); ++number) {
    if (number >= WORDS_BEFORE) good = sb_options_set_pair(options, word, SB_FROM_USER, where, diagnostics);
    free(word);
  }
  if (!good) sb_options_destroy(&options);
  return options;
}

/* "springbench run DIR/sweep.yaml -o DIR" of the plan DIR/plan.json. */
static void put_command(FILE *stream, const char *name)
{
  const char *slash = strrchr(name, '/');
  char       *folder = slash ? sb_copy_span(name, (size_t)(slash - name)) : sb_copy_text(".");
  char       *sweep = sb_format("%s/sweep.yaml", folder);
  fputs("springbench run ", stream);
  sb_text_put_word(stream, sweep);
  fputs(" -o ", stream);
  sb_text_put_word(stream, folder);
  free(sweep);
  free(folder);
}

static bool refuse_changed(const sb_options *options, const char *key, const char *name, sb_diagnostics *diagnostics)
{
  static const sb_option_id files[] = {SB_OPT_mesh, SB_OPT_vertex_data, SB_OPT_spring_data, SB_OPT_restart};
  char                     *text = NULL;
  size_t                    length = 0;
  FILE                     *stream = sb_text_stream(&text, &length);
  for (size_t i = 0, n = 0; i < sizeof files / sizeof *files; ++i)
    if (*sb_options_text(options, files[i]))
      fprintf(stream, "%s%s", n++ > 0 ? ", " : "", sb_options_text(options, files[i]));
  fputs("); ", stream);
  put_command(stream, name);
  fclose(stream);
  sb_error_at(diagnostics, (sb_location){name, 0, 0}, "E114",
              "case %s is another one now: a file that it names has changed (%s leaves the earlier cases out", key,
              text);
  free(text);
  return false;
}

static bool restore(sb_planned_case *c, sb_input_cache *known, const char *name, const sb_session *session)
{
  sb_diagnostics   *diagnostics = session->diagnostics;
  const sb_location where = {name, 0, 0};
  char              key[SB_KEY_LENGTH + 1] = "";
  sb_time_grid      time;
  sb_options       *given = options_of(c->command, sb_options_vocabulary(c->options), where, diagnostics);
  const bool        limited = given && sb_options_has(c->options, SB_OPT_memory_limit); /* in no command line */
  const char       *limit = limited ? sb_options_text(c->options, SB_OPT_memory_limit) : NULL;
  bool              good = given &&
              (!limit || sb_options_set(given, SB_OPT_memory_limit, limit, SB_FROM_USER, where, diagnostics)) &&
              sb_case_resolve(given, &time, diagnostics);
  if (good) sb_case_key_known(given, known, key);
  if (good && strcmp(key, c->key) != 0) good = refuse_changed(given, c->key, name, diagnostics);
  sb_options_keep(given, session->arena);
  if (good) c->options = given;
  if (good) c->time = time;
  return good;
}

bool sb_plan_restore(sb_plan *plan, const char *name, const sb_session *session)
{
  bool            good = true;
  sb_input_cache *known = sb_input_cache_create();
  for (size_t i = 0; good && i < plan->count; ++i)
    if (!plan->cases[i].skipped) good = restore(&plan->cases[i], known, name, session);
  sb_input_cache_destroy(&known);
  return good;
}
