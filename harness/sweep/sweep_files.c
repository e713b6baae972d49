/* Finds the sweeps that come with springbench, and the files that a sweep refers to: figure scripts, published tables,
 * findings; see sweep.h. */
#include "harness/sweep/sweep.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/common/csv.h"
#include "harness/common/text.h"

#define KEPT "figures/scripts/" /* of a results directory */

static int is_sweep(const struct dirent *entry)
{
  const char *end = strrchr(entry->d_name, '.');
  return end && end != entry->d_name && strcmp(end, ".yaml") == 0;
}

const char **sb_sweeps_shipped(sb_arena *arena, size_t *count)
{
  const char     *folder = sb_arena_adopt(arena, sb_data_directory("experiments"));
  struct dirent **found = NULL;
  const int       entries = scandir(folder, &found, is_sweep, alphasort);
  *count = entries > 0 ? (size_t)entries : 0;
  const char **paths = sb_arena_take(arena, *count, sizeof *paths);
  for (size_t i = 0; i < *count; ++i) {
    paths[i] = sb_arena_format(arena, "%s/%s", folder, found[i]->d_name);
    free(found[i]);
  }
  free(found);
  return paths;
}

/* The path where it is of a file that can be read, else NULL; a pipe would be waited for. */
static char *if_there(char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, R_OK) == 0 ? path : NULL;
}

/* Beside the sweep file, or among the copies that its results directory keeps: *kept (may be NULL). */
static char *own_script(const sb_sweep *sweep, const char *name, sb_arena *arena, bool *kept)
{
  const char *path = sweep->path ? sweep->path : "", *slash = strrchr(path, '/');
  const int   folder = slash ? (int)(slash + 1 - path) : 0;
  char       *script = if_there(sb_arena_format(arena, "%.*s%s", folder, path, name));
  if (kept) *kept = !script;
  return script ? script : if_there(sb_arena_format(arena, "%.*s" KEPT "%s", folder, path, name));
}

char *sb_sweep_script(const sb_sweep *sweep, const char *name, sb_arena *arena)
{
  char *script = own_script(sweep, name, arena, NULL), *plots = sb_data_directory("plots");
  if (!script) script = if_there(sb_arena_format(arena, "%s/%s", plots, name));
  free(plots);
  return script;
}

static bool same_text(const char *path, const char *other)
{
  size_t         size = 0, other_size = 0;
  SB_OWNED char *text = sb_read_file(path, &size), *other_text = text ? sb_read_file(other, &other_size) : NULL;
  return other_text && size == other_size && memcmp(text, other_text, size) == 0;
}

bool sb_sweep_script_is_strange(const sb_sweep *sweep, const char *name)
{
  bool           kept = false;
  sb_arena      *arena = sb_arena_create();
  const char    *script = own_script(sweep, name, arena, &kept);
  SB_OWNED char *plots = sb_data_directory("plots");
  const bool     strange =
      script && (kept || sweep->is_stored) && !same_text(script, sb_arena_format(arena, "%s/%s", plots, name));
  sb_arena_destroy(&arena);
  return strange;
}

bool sb_sweep_keep_scripts(const sb_sweep *sweep, const char *directory)
{
  sb_arena   *arena = sb_arena_create();
  const char *folder = sb_arena_format(arena, "%s/figures/scripts", directory);
  bool        good = true;
  for (size_t i = 0; i < sweep->figure_count; ++i) {
    const char *name = sweep->figures[i].script, *script = name ? own_script(sweep, name, arena, NULL) : NULL;
    size_t      size = 0;
    if (!script || same_text(script, sb_arena_format(arena, "%s/%s", folder, name))) continue;
    SB_OWNED char *text = sb_read_file(script, &size);
    good = text && sb_make_directory(folder) && sb_replace_file(folder, name, text, size) && good;
  }
  sb_arena_destroy(&arena);
  return good;
}

bool sb_sweep_check_files(const sb_sweep *sweep, const sb_session *session)
{
  sb_diagnostics     *d = session->diagnostics;
  const size_t        before = sb_diagnostics_errors(d);
  char               *folder = sb_data_directory("results/published"), error[SB_ERROR_SIZE] = "";
  sb_published_table *findings = NULL;
  const char        **ids = NULL, *near = NULL;
  for (size_t i = 0; i < sweep->reference_count; ++i) {
    const sb_reference *r = &sweep->references[i];
    if (r->kind == SB_NAMES_SCRIPT && !sb_sweep_script(sweep, r->name, session->arena))
      sb_error_at(d, r->where, "E100", "there is no script '%s', neither beside this file nor in plots/ of springbench",
                  r->name);
    const size_t length = strlen(r->name), cut = length > 4 && strcmp(r->name + length - 4, ".csv") == 0 ? 4 : 0;
    if (r->kind == SB_NAMES_PUBLISHED && /* "liu2013" and "liu2013.csv" are the same */
        !if_there(sb_arena_format(session->arena, "%s/%.*s.csv", folder, (int)(length - cut), r->name)))
      sb_error_at(d, r->where, "E100", "there is no published table '%s'", r->name);
    if (r->kind != SB_NAMES_FINDING) continue;
    if (!findings && !(findings = sb_published_read(session->arena, folder, "findings", error))) {
      sb_error_at(d, r->where, "E100", "cannot look up findings: %s", error);
      break; /* they come last */
    }
    size_t known = 0;
    ids = ids ? ids : sb_arena_take(session->arena, findings->rows, sizeof *ids);
    for (; known + 1 < findings->rows; ++known)
      if (strcmp(ids[known] = sb_published_text(findings, known + 1, "id"), r->name) == 0) break;
    if (known + 1 < findings->rows) continue;
    near = sb_diagnostics_full(d) ? NULL : sb_nearest_name(r->name, ids, known);
    sb_error_at(d, r->where, "E106", near ? "unknown finding '%s'; did you mean '%s'?" : "unknown finding '%s'",
                r->name, near);
  }
  free(folder);
  return sb_diagnostics_errors(d) == before;
}
