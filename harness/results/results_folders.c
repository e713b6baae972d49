/* The walk below a folder; see results_folders.h. */
#include "harness/results/results_folders.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  sb_arena  *arena = sb_arena_create();
  const bool both = *folder && access(sb_arena_format(arena, "%s/sweep.yaml", folder), F_OK) == 0 &&
                    access(sb_arena_format(arena, "%s/plan.json", folder), F_OK) == 0;
  sb_arena_destroy(&arena);
  return both;
}

static void add(const walk *w, const char *name, const char *path)
{
  sb_results_folders *found = w->found;
  sb_results_folder   folder = {.name = name};
  char               *real = realpath(path, NULL);
  for (size_t i = 0; i < w->open_count && real && !folder.results; ++i) { /* opened before? */
    char *other = realpath(w->open[i]->directory, NULL);
    if (other && strcmp(other, real) == 0) folder.results = w->open[i];
    free(other);
  }
  free(real);
  if (!folder.results) {
    sb_session own = *w->session;
    own.diagnostics = sb_diagnostics_create();
    folder.results = sb_results_open(path, &own);
    if (folder.results)
      folder.results->session = *w->session;
    else
      folder.problem = sb_arena_copy(own.arena, sb_diagnostics_message(own.diagnostics, 0));
    sb_diagnostics_destroy(&own.diagnostics);
  }
  found->each = sb_arena_grow(w->session->arena, found->each, found->count, sizeof *found->each);
  found->each[found->count++] = folder;
}

static void look_into(const walk *w, const char *folder, int depth)
{
  sb_arena       *arena = w->session->arena;
  struct dirent **entries = NULL;
  const char     *path = sb_arena_format(arena, "%s/%s", w->found->parent, folder);
  const int       count = depth < DEPTH_MAX ? scandir(path, &entries, NULL, alphasort) : 0;
  for (int i = 0; i < count; ++i) {
    const char *name = sb_arena_format(arena, "%s%s%s", folder, *folder ? "/" : "", entries[i]->d_name);
    const char *below = sb_arena_format(arena, "%s/%s", w->found->parent, name);
    struct stat about = {0};
    const bool  is_folder = entries[i]->d_name[0] != '.' && lstat(below, &about) == 0 && S_ISDIR(about.st_mode);
    if (is_folder && sb_is_results_folder(below))
      add(w, name, below);
    else if (is_folder)
      look_into(w, name, depth + 1);
    free(entries[i]);
  }
  free(entries);
}

sb_results_folders *sb_results_folders_open(const sb_session *session, const char *parent, sb_results *const *open,
                                            size_t open_count)
{
  walk w = {session, sb_arena_take(session->arena, 1, sizeof *w.found), open, open_count};
  w.found->parent = sb_arena_copy(session->arena, parent);
  if (*parent) look_into(&w, "", 0);
  return w.found;
}
