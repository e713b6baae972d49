/* `springbench plot DIR [ID] [--term svg|pdf|png|tex|dumb]`: figures, made again from what is stored. */
#include <string.h>

#include "harness/commands/command.h"
#include "harness/report/report.h"

static bool is_form(const char *name)
{
  for (size_t i = 0; sb_figure_forms[i]; ++i)
    if (strcmp(sb_figure_forms[i], name) == 0) return true;
  return false;
}

static int refuse_id(const sb_results *results, const char *id)
{
  char *ids = "";
  for (size_t i = 0; i < results->sweep->figure_count; ++i)
    ids = sb_arena_format(results->session.arena, "%s %s", ids, results->sweep->figures[i].id);
  sb_error_at(results->session.diagnostics, (sb_location){0}, "E106", "no figure '%s'; there are:%s", id, ids);
  return SB_EXIT_USAGE;
}

static int make_figures(const sb_results *results, const char *id, const char *terminal)
{
  const char *const usual[] = {"svg", "pdf", "png", NULL}, *const one[] = {terminal, NULL};
  size_t made = 0;
  for (size_t i = 0; i < results->sweep->figure_count; ++i) {
    const sb_figure_spec *figure = &results->sweep->figures[i];
    if (id && strcmp(id, figure->id) != 0) continue;
    if (!sb_figure_write(results, figure, terminal ? one : usual)) return SB_EXIT_STORAGE;
    if (!terminal || strcmp(terminal, "dumb") != 0)
      printf("%s/figures/%s%s.%s\n", results->directory, figure->id,
             terminal && strcmp(terminal, "tex") == 0 ? "-latex" : "", terminal ? terminal : "{svg,pdf,png}");
    made++;
  }
  if (made == 0 && id) return refuse_id(results, id);
  if (made == 0) fprintf(stderr, "springbench: %s: this sweep has no figures\n", results->directory);
  return SB_EXIT_OK;
}

static int run_plot(int argc, char **argv, const sb_session *session)
{
  const char *positional[2] = {NULL, NULL}, *terminal = NULL;
  int         count = 0;
  for (int i = 1; i < argc; ++i) {
    const char *name = NULL;
    if (strcmp(argv[i], "--term") == 0 && i + 1 < argc)
      name = argv[++i];
    else if (strncmp(argv[i], "--term=", 7) == 0)
      name = argv[i] + 7;
    if (name && !is_form(name)) {
      sb_error_at(session->diagnostics, (sb_location){0}, "E106", "unknown terminal '%s' (svg, pdf, png, tex, dumb)",
                  name);
      return SB_EXIT_USAGE;
    }
    if (name)
      terminal = name;
    else if (argv[i][0] == '-' || count == 2)
      return sb_command_usage(&sb_command_plot);
    else
      positional[count++] = argv[i];
  }
  if (count == 0) return sb_command_usage(&sb_command_plot);
  sb_results *results = sb_command_results(positional[0], session);
  if (!results) return SB_EXIT_USAGE;
  return make_figures(results, positional[1], terminal);
}

const sb_command sb_command_plot = {
    "plot",
    "DIR [ID] [--term svg|pdf|png|tex|dumb]",
    "the figures of a sweep, made again",
    run_plot,
};
