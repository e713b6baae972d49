/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the sweeps that come with springbench, and the files that a sweep refers to: figure scripts, published tables,
 * findings; see sweep.h. */
#include "harness/sweep/sweep.h"

#include <fts.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "cases/common/csv.h"
#include "cases/common/durable.h"
#include "cases/common/text.h"

#define KEPT "figures/scripts/" /* of a results directory */

static int compare_file_names(const void *a, const void *b)
{
  const char *x = *(const char *const *)a, *y = *(const char *const *)b;
  const int   order = strcmp(strrchr(x, '/'), strrchr(y, '/'));
  return order ? order : strcmp(x, y);
}

/* The sweep files that come with springbench, in experiments/ and its topics, by name: all, or those that are called
 * `name`.yaml or are in the topic `name`. */
static const char **find_files(const char *name, sb_arena *arena, size_t *count)
{
  SB_OWNED char *folder = sb_data_directory("experiments");
  char *const    roots[] = {folder, NULL};
  const char   **paths = NULL, *own = name ? sb_arena_format(arena, "%s.yaml", name) : NULL;
  FTS           *files = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
  *count = 0;
  for (FTSENT *file; files && (file = fts_read(files));) {
    const char *end = strrchr(file->fts_name, '.');
    if (file->fts_info == FTS_D && file->fts_level == 2) fts_set(files, file, FTS_SKIP);
    if (!end || end == file->fts_name || strcmp(end, ".yaml") != 0 || file->fts_level == 0) continue;
    if (name && strcmp(file->fts_name, own) != 0 &&
        (file->fts_level != 2 || strcmp(file->fts_parent->fts_name, name) != 0))
      continue;
    *SB_NEW_ITEM(arena, paths, *count) = sb_arena_copy(arena, file->fts_path);
  }
  if (files) fts_close(files);
  if (*count > 0) qsort(paths, *count, sizeof *paths, compare_file_names);
  return paths;
}

const char **sb_sweeps_shipped(sb_arena *arena, size_t *count) { return find_files(NULL, arena, count); }

/* The value of a key at the beginning of a line, "" if there is none. To parse all sweeps for two of their keys would
 * take longer than to read one of them. */
static const char *top_value(const char *text, const char *key, sb_arena *arena)
{
  const char *start = sb_arena_format(arena, "\n%s: ", key), *found = strstr(text, start);
  return found ? sb_arena_copy_span(arena, found + strlen(start), strcspn(found + strlen(start), "\n")) : "";
}

typedef struct {
  const char *path, *topic;
} shipped;

static int compare_topics(const void *a, const void *b)
{
  const shipped *x = a, *y = b;
  const int      topics = strverscmp(x->topic, y->topic);
  return topics != 0 ? topics : compare_file_names(&x->path, &y->path);
}

/* All sweeps, or those in which this key is true, in the order of their topics. */
static const char **find_by_topic(const char *key, sb_arena *arena, size_t *count)
{
  size_t       found = 0;
  const char **paths = find_files(NULL, arena, &found);
  shipped     *each = sb_arena_take(arena, found, sizeof *each);
  *count = 0;
  for (size_t i = 0; i < found; ++i) {
    SB_OWNED char *text = sb_read_file(paths[i], NULL);
    if (!text || (*key && strcmp(top_value(text, key, arena), "true") != 0)) continue;
    each[(*count)++] = (shipped){paths[i], top_value(text, "topic", arena)};
  }
  if (*count > 0) qsort(each, *count, sizeof *each, compare_topics);
  for (size_t i = 0; i < *count; ++i) paths[i] = each[i].path;
  return paths;
}

const char *sb_sweeps_example(const char *driver, sb_arena *arena)
{
  size_t       count, least = SIZE_MAX;
  const char **paths = find_files(NULL, arena, &count), *shortest = NULL;
  for (size_t i = 0; i < count; ++i) {
    SB_OWNED char *text = sb_read_file(paths[i], NULL);
    if (!text || strcmp(top_value(text, "driver", arena), driver) != 0 || strlen(text) >= least) continue;
    least = strlen(text);
    shortest = paths[i];
  }
  return shortest;
}

bool sb_sweep_is_shipped(const sb_sweep *sweep)
{
  SB_OWNED char *folder = sb_data_directory("experiments"), *ours = realpath(folder, NULL);
  SB_OWNED char *path = realpath(sweep->path, NULL);
  const size_t   length = ours ? strlen(ours) : 0;
  return ours && path && strncmp(path, ours, length) == 0 && path[length] == '/';
}

static bool ends_in(const char *path, const char *end)
{
  return strlen(path) >= strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0;
}

/* The sweep NAME of TOPIC/NAME, NULL if there is none. */
static const char **find_in_topic(const char *word, sb_arena *arena, size_t *count)
{
  const char **paths = find_files(strrchr(word, '/') + 1, arena, count),
             *end = sb_arena_format(arena, "/%s.yaml", word);
  for (size_t i = 0; i < *count; ++i)
    if (ends_in(paths[i], end)) {
      *count = 1;
      return paths + i;
    }
  return NULL;
}

const char *sb_sweeps_namesake(const char *word, const char *const *paths, size_t count, sb_arena *arena)
{
  const char *end = sb_arena_format(arena, "/%s/%s.yaml", word, word);
  for (size_t i = 0; i < count && count > 1; ++i)
    if (ends_in(paths[i], end)) return sb_arena_format(arena, "%s/%s", word, word);
  return NULL;
}

const char **sb_sweeps_named(const char *word, sb_arena *arena, size_t *count)
{
  struct stat  about;
  const char  *key = strcmp(word, "all") == 0 ? "" : sb_has_word("core tour", word) ? word : NULL;
  const char **several = key ? find_by_topic(key, arena, count) : NULL;
  if (several && *count > 0) return several; /* before a file: a crash may have left one that is called core */
  const bool is_file = stat(word, &about) == 0 && !S_ISDIR(about.st_mode);
  const bool is_path = is_file || strchr(word, '/') || access(sb_arena_format(arena, "%s/sweep.yaml", word), F_OK) == 0;
  const char **paths = !is_path                                       ? find_files(word, arena, count)
                       : strchr(word, '/') && stat(word, &about) != 0 ? find_in_topic(word, arena, count)
                                                                      : NULL;
  if (paths) return paths;
  paths = sb_arena_take(arena, *count = 1, sizeof *paths);
  paths[0] = sb_arena_copy(arena, word);
  return paths;
}

/* The name of a sweep or a topic is that of its file or folder. */
const char *sb_sweep_nearest(const char *word, sb_arena *arena)
{
  size_t       count, names = 0;
  const char **paths = sb_sweeps_shipped(arena, &count), **all = sb_arena_take(arena, 2 * count, sizeof *all);
  for (size_t i = 0; i < count; ++i) {
    const char *file = strrchr(paths[i], '/') + 1, *folder = file - 1;
    while (folder > paths[i] && folder[-1] != '/') --folder;
    all[names++] = sb_arena_copy_span(arena, file, strcspn(file, "."));
    all[names++] = sb_arena_copy_span(arena, folder, (size_t)(file - 1 - folder));
  }
  return sb_nearest_name(word, all, names);
}

/* The path, if it is of a file that can be read, else NULL; reading a pipe would wait. */
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
  SB_OWNED char *plots = sb_data_directory("plots");
  char          *script = own_script(sweep, name, arena, NULL);
  return script ? script : if_there(sb_arena_format(arena, "%s/%s", plots, name));
}

static bool same_text(const char *path, const char *other)
{
  size_t         size = 0, other_size = 0;
  SB_OWNED char *text = sb_read_file(path, &size), *other_text = text ? sb_read_file(other, &other_size) : NULL;
  return other_text && size == other_size && memcmp(text, other_text, size) == 0;
}

bool sb_sweep_script_is_strange(const sb_sweep *sweep, const char *name)
{
  bool                                    kept = false;
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  const char                             *script = own_script(sweep, name, arena, &kept);
  SB_OWNED char                          *plots = sb_data_directory("plots");
  const bool                              strange =
      script && (kept || sweep->is_stored) && !same_text(script, sb_arena_format(arena, "%s/%s", plots, name));
  return strange;
}

bool sb_sweep_keep_scripts(const sb_sweep *sweep, const char *directory)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  const char                             *folder = sb_arena_format(arena, "%s/figures/scripts", directory);
  bool                                    good = true;
  for (size_t i = 0; i < sweep->figure_count; ++i) {
    const char *name = sweep->figures[i].script, *script = name ? own_script(sweep, name, arena, NULL) : NULL;
    size_t      size = 0;
    if (!script || same_text(script, sb_arena_format(arena, "%s/%s", folder, name))) continue;
    SB_OWNED char *text = sb_read_file(script, &size);
    good = text && sb_make_folder(directory, "figures") && sb_make_folder(directory, "figures/scripts") &&
           sb_replace_file(folder, name, text, size) && good;
  }
  return good;
}

static void check_finding(const sb_published_table *findings, const sb_external_name *named, const sb_session *session)
{
  sb_diagnostics *d = session->diagnostics;
  sb_names        ids = {0};
  for (size_t row = 1; row < findings->rows; ++row)
    sb_names_add(session->arena, &ids, sb_published_text(findings, row, "id"));
  if (sb_names_find(&ids, named->name) != (size_t)-1) return;
  const char *near = sb_diagnostics_full(d) ? NULL : sb_nearest_name(named->name, ids.names, ids.count);
  sb_error_at(d, named->where, "E106", near ? "unknown finding '%s'; did you mean '%s'?" : "unknown finding '%s'",
              named->name, near);
}

bool sb_sweep_check_files(const sb_sweep *sweep, const sb_session *session)
{
  sb_diagnostics     *d = session->diagnostics;
  const size_t        before = sb_diagnostics_errors(d);
  SB_OWNED char      *folder = sb_data_directory("results/published");
  char                error[SB_ERROR_SIZE] = "";
  sb_published_table *findings = NULL;
  for (size_t i = 0; i < sweep->reference_count; ++i) {
    const sb_external_name *r = &sweep->references[i];
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
    check_finding(findings, r, session);
  }
  return sb_diagnostics_errors(d) == before;
}
