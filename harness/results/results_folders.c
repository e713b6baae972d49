/* The walk below a folder; see results_folders.h. */
#include "harness/results/results_folders.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"

enum { DEPTH_MAX = 3 };

typedef struct {
  const sb_session   *session;
  sb_results_folders *found;
  sb_results *const  *open;
  size_t              open_count;
} walk;

/* No name is no folder: a slash behind it would make it the root. */
bool sb_is_results_folder(const char *folder)
{
  char      *sweep = sb_format("%s/sweep.yaml", folder), *plan = sb_format("%s/plan.json", folder);
  const bool both = *folder && access(sweep, F_OK) == 0 && access(plan, F_OK) == 0;
  free(plan);
  free(sweep);
  return both;
}

static sb_results *opened_before(const walk *w, const char *path)
{
  sb_results *same = NULL;
  char       *real = realpath(path, NULL);
  for (size_t i = 0; i < w->open_count && real && !same; ++i) {
    char *other = realpath(w->open[i]->directory, NULL);
    if (other && strcmp(other, real) == 0) same = w->open[i];
    free(other);
  }
  free(real);
  return same;
}

static void add(const walk *w, const char *name, const char *path)
{
  sb_results_folders *found = w->found;
  sb_arena           *arena = w->session->arena;
  sb_results_folder   folder = {.name = sb_arena_copy(arena, name), .results = opened_before(w, path)};
  if (!folder.results) {
    sb_session own = *w->session;
    own.diagnostics = sb_diagnostics_create();
    folder.results = sb_results_open(path, &own);
    if (folder.results)
      folder.results->session = *w->session;
    else
      folder.problem = sb_arena_copy(arena, sb_diagnostics_message(own.diagnostics, 0));
    sb_diagnostics_destroy(&own.diagnostics);
  }
  found->each = sb_arena_grow(arena, found->each, found->count, sizeof *found->each);
  found->each[found->count++] = folder;
}

static void look_into(const walk *w, const char *folder, int depth)
{
  struct dirent **entries = NULL;
  char           *path = sb_format("%s/%s", w->found->parent, folder);
  const int       count = depth < DEPTH_MAX ? scandir(path, &entries, NULL, alphasort) : 0;
  for (int i = 0; i < count; ++i) {
    const char *name = entries[i]->d_name;
    char       *inner = sb_format("%s%s%s", folder, *folder ? "/" : "", name);
    char       *below = sb_format("%s/%s", w->found->parent, inner);
    struct stat about = {0};
    const bool  is_folder = name[0] != '.' && lstat(below, &about) == 0 && S_ISDIR(about.st_mode);
    if (is_folder && sb_is_results_folder(below))
      add(w, inner, below);
    else if (is_folder)
      look_into(w, inner, depth + 1);
    free(below);
    free(inner);
    free(entries[i]);
  }
  free(entries);
  free(path);
}

sb_results_folders *sb_results_folders_open(const sb_session *session, const char *parent, sb_results *const *open,
                                            size_t open_count)
{
  walk w = {session, sb_arena_take(session->arena, 1, sizeof *w.found), open, open_count};
  w.found->parent = sb_arena_copy(session->arena, parent);
  if (*parent) look_into(&w, "", 0);
  return w.found;
}
