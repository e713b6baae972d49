/* What a sweep names outside its file; see sweep_files.h. */
#include "harness/sweep/sweep_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/common/csv.h"
#include "harness/common/text.h"

#define KEPT "figures/scripts/" /* of a results directory */

/* The path where it is of a file that can be read, else NULL; a pipe would be waited for. */
static char *if_there(char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, R_OK) == 0 ? path : NULL;
}

/* Beside the sweep file, or among the copies that its results directory keeps. */
static char *own_script(const sb_sweep *sweep, const char *name, sb_arena *arena)
{
  const char *path = sweep->path ? sweep->path : "", *slash = strrchr(path, '/');
  const int   folder = slash ? (int)(slash + 1 - path) : 0;
  char       *script = if_there(sb_arena_format(arena, "%.*s%s", folder, path, name));
  return script ? script : if_there(sb_arena_format(arena, "%.*s" KEPT "%s", folder, path, name));
}

char *sb_sweep_script(const sb_sweep *sweep, const char *name, sb_arena *arena)
{
  char *script = own_script(sweep, name, arena), *plots = sb_data_directory("plots");
  if (!script) script = if_there(sb_arena_format(arena, "%s/%s", plots, name));
  free(plots);
  return script;
}

static bool keep_script(const char *script, const char *directory, const char *name, sb_arena *arena)
{
  size_t      size = 0, kept_size = 0;
  const char *folder = sb_arena_format(arena, "%s/figures/scripts", directory);
  char       *text = sb_read_file(script, &size);
  char       *kept = text ? sb_read_file(sb_arena_format(arena, "%s/%s", folder, name), &kept_size) : NULL;
  bool        good = text != NULL;
  if (good && !(kept && kept_size == size && memcmp(kept, text, size) == 0))
    good = sb_make_directory(folder) && sb_replace_file(folder, name, text, size);
  free(kept);
  free(text);
  return good;
}

bool sb_sweep_keep_scripts(const sb_sweep *sweep, const char *directory)
{
  sb_arena *arena = sb_arena_create();
  bool      good = true;
  for (size_t i = 0; i < sweep->figure_count; ++i) {
    const char *name = sweep->figures[i].script, *script = name ? own_script(sweep, name, arena) : NULL;
    if (script) good = keep_script(script, directory, name, arena) && good;
  }
  sb_arena_destroy(&arena);
  return good;
}

static void check_published(const char *folder, const char *name, sb_location where, const sb_session *session)
{
  const size_t length = strlen(name), cut = length > 4 && strcmp(name + length - 4, ".csv") == 0 ? 4 : 0;
  if (!if_there(sb_arena_format(session->arena, "%s/%.*s.csv", folder, (int)(length - cut), name)))
    sb_error_at(session->diagnostics, where, "E100", "there is no published table '%s'", name);
}

static void check_layers(const char *folder, const sb_figure_panel *panel, const sb_session *session)
{
  for (size_t i = 0; i < panel->layer_count; ++i)
    if (panel->layers[i].published)
      check_published(folder, panel->layers[i].published, panel->layers[i].published_where, session);
}

static void check_findings(const sb_sweep *sweep, const char *folder, const sb_session *session)
{
  char                error[SB_ERROR_SIZE] = "";
  sb_published_table *findings = NULL;
  sb_diagnostics     *d = session->diagnostics;
  const char        **ids = NULL;
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    const sb_claim *claim = &sweep->claims[i];
    bool            known = !claim->finding;
    if (!known && !findings) {
      findings = sb_published_read(session->arena, folder, "findings", error);
      if (!findings) sb_error_at(d, claim->finding_where, "E100", "cannot look up findings: %s", error);
      if (!findings) return;
      ids = sb_arena_take(session->arena, findings->rows, sizeof *ids);
      for (size_t row = 1; row < findings->rows; ++row) ids[row - 1] = sb_published_text(findings, row, "id");
    }
    for (size_t k = 0; !known && k + 1 < findings->rows; ++k) known = strcmp(ids[k], claim->finding) == 0;
    if (known) continue;
    const char *near = sb_diagnostics_full(d) ? NULL : sb_nearest_name(claim->finding, ids, findings->rows - 1);
    sb_error_at(d, claim->finding_where, "E106",
                near ? "unknown finding '%s'; did you mean '%s'?" : "unknown finding '%s'", claim->finding, near);
  }
}

bool sb_sweep_check_files(const sb_sweep *sweep, const sb_session *session)
{
  const size_t before = sb_diagnostics_errors(session->diagnostics);
  char        *published = sb_data_directory("results/published");
  for (size_t i = 0; i < sweep->figure_count; ++i) {
    const sb_figure_spec *figure = &sweep->figures[i];
    if (figure->script && !sb_sweep_script(sweep, figure->script, session->arena))
      sb_error_at(session->diagnostics, figure->script_where, "E100",
                  "there is no script '%s', neither beside this file nor in plots/ of springbench", figure->script);
    for (size_t k = 0; k < figure->published_count; ++k)
      check_published(published, figure->published[k], figure->published_where[k], session);
    check_layers(published, &figure->all, session);
    for (size_t k = 0; k < figure->panel_count; ++k) check_layers(published, &figure->panels[k], session);
  }
  check_findings(sweep, published, session);
  free(published);
  return sb_diagnostics_errors(session->diagnostics) == before;
}
