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

/* Takes the path and gives it back where it is of a file that can be read; a pipe would be waited for. */
static char *if_there(char *path)
{
  struct stat about;
  if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, R_OK) == 0) return path;
  free(path);
  return NULL;
}

/* In a folder beside the sweep file. */
static char *beside(const sb_sweep *sweep, const char *folder, const char *name)
{
  const char *path = sweep->path ? sweep->path : "", *slash = strrchr(path, '/');
  return if_there(sb_format("%.*s%s%s", slash ? (int)(slash + 1 - path) : 0, path, folder, name));
}

char *sb_sweep_script(const sb_sweep *sweep, const char *name)
{
  char *path = beside(sweep, "", name);
  if (!path) path = beside(sweep, KEPT, name);
  if (path) return path;
  char *plots = sb_data_directory("plots");
  path = if_there(sb_format("%s/%s", plots, name));
  free(plots);
  return path;
}

static bool keep_script(const char *script, const char *directory, const char *name)
{
  size_t size = 0, kept_size = 0;
  char  *figures = sb_format("%s/figures", directory), *folder = sb_format("%s/scripts", figures);
  char  *path = sb_format("%s/%s", folder, name);
  char  *text = sb_read_file(script, &size), *kept = text ? sb_read_file(path, &kept_size) : NULL;
  bool   good = text != NULL;
  if (good && !(kept && kept_size == size && memcmp(kept, text, size) == 0))
    good = sb_make_directory(figures) && sb_make_directory(folder) && sb_replace_file(folder, name, text, size);
  free(kept);
  free(text);
  free(path);
  free(folder);
  free(figures);
  return good;
}

bool sb_sweep_keep_scripts(const sb_sweep *sweep, const char *directory)
{
  bool good = true;
  for (size_t i = 0; i < sweep->figure_count; ++i) {
    const char *name = sweep->figures[i].script;
    char       *script = name ? beside(sweep, "", name) : NULL;
    if (name && !script) script = beside(sweep, KEPT, name);
    if (script) good = keep_script(script, directory, name) && good;
    free(script);
  }
  return good;
}

static void check_script(const sb_sweep *sweep, const sb_figure_spec *figure, sb_diagnostics *diagnostics)
{
  char *script = sb_sweep_script(sweep, figure->script);
  if (!script)
    sb_error_at(diagnostics, figure->script_where, "E100",
                "there is no script '%s', neither beside this file nor in plots/ of springbench", figure->script);
  free(script);
}

static void check_published(const char *folder, const char *name, sb_location where, sb_diagnostics *diagnostics)
{
  const size_t length = strlen(name), cut = length > 4 && strcmp(name + length - 4, ".csv") == 0 ? 4 : 0;
  char        *path = if_there(sb_format("%s/%.*s.csv", folder, (int)(length - cut), name));
  if (!path) sb_error_at(diagnostics, where, "E100", "there is no published table '%s'", name);
  free(path);
}

static void check_layers(const char *folder, const sb_figure_panel *panel, sb_diagnostics *diagnostics)
{
  for (size_t i = 0; i < panel->layer_count; ++i)
    if (panel->layers[i].published)
      check_published(folder, panel->layers[i].published, panel->layers[i].published_where, diagnostics);
}

static void check_finding(const sb_published_table *findings, const sb_claim *claim, sb_diagnostics *diagnostics)
{
  const char **ids = sb_allocate(findings->rows, sizeof *ids);
  size_t       count = 0;
  bool         known = false;
  for (size_t row = 1; row < findings->rows; ++row) {
    ids[count] = sb_published_text(findings, row, "id");
    known = known || strcmp(ids[count], claim->finding) == 0;
    ++count;
  }
  const char *near = known || sb_diagnostics_full(diagnostics) ? NULL : sb_nearest_name(claim->finding, ids, count);
  if (!known)
    sb_error_at(diagnostics, claim->finding_where, "E106",
                near ? "unknown finding '%s'; did you mean '%s'?" : "unknown finding '%s'", claim->finding, near);
  free(ids);
}

static void check_findings(const sb_sweep *sweep, const char *folder, sb_diagnostics *diagnostics)
{
  char                error[SB_ERROR_SIZE] = "";
  sb_published_table *findings = NULL;
  sb_arena           *arena = sb_arena_create();
  bool                read = true;
  for (size_t i = 0; read && i < sweep->claim_count; ++i) {
    const sb_claim *claim = &sweep->claims[i];
    if (!claim->finding) continue;
    if (!findings) findings = sb_published_read(arena, folder, "findings", error);
    read = findings || sb_error_at(diagnostics, claim->finding_where, "E100", "cannot look up findings: %s", error);
    if (read) check_finding(findings, claim, diagnostics);
  }
  sb_arena_destroy(&arena);
}

bool sb_sweep_check_files(const sb_sweep *sweep, const sb_session *session)
{
  sb_diagnostics *diagnostics = session->diagnostics;
  const size_t    before = sb_diagnostics_errors(diagnostics);
  char           *published = sb_data_directory("results/published");
  for (size_t i = 0; i < sweep->figure_count; ++i) {
    const sb_figure_spec *figure = &sweep->figures[i];
    if (figure->script) check_script(sweep, figure, diagnostics);
    for (size_t k = 0; k < figure->published_count; ++k)
      check_published(published, figure->published[k], figure->published_where[k], diagnostics);
    check_layers(published, &figure->all, diagnostics);
    for (size_t k = 0; k < figure->panel_count; ++k) check_layers(published, &figure->panels[k], diagnostics);
  }
  check_findings(sweep, published, diagnostics);
  free(published);
  return sb_diagnostics_errors(diagnostics) == before;
}
