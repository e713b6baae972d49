/* Results directories below a folder; see results_folders.h. */
#include "harness/results/results_folders.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"

enum { DEPTH_MAX = 3 };

typedef struct {
  const char *parent;
  void (*visit)(void *context, const char *folder);
  void *context;
} search;

static bool exists(const char *directory, const char *name)
{
  char      *path = sb_format("%s/%s", directory, name);
  const bool there = access(path, F_OK) == 0;
  free(path);
  return there;
}

/* No name is no folder: a slash behind it would make it the root. */
bool sb_is_results_folder(const char *folder)
{
  return *folder && exists(folder, "sweep.yaml") && exists(folder, "plan.json");
}

static bool is_folder(const char *path)
{
  struct stat about = {0};
  return lstat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static void look_into(const search *s, const char *folder, int depth);

static void look_at(const search *s, const char *folder, const char *name, int depth)
{
  char *inner = *folder ? sb_format("%s/%s", folder, name) : sb_copy_text(name);
  char *path = sb_format("%s/%s", s->parent, inner);
  if (name[0] != '.' && is_folder(path)) {
    if (sb_is_results_folder(path))
      s->visit(s->context, inner);
    else
      look_into(s, inner, depth + 1);
  }
  free(inner);
  free(path);
}

static void look_into(const search *s, const char *folder, int depth)
{
  struct dirent **entries = NULL;
  char           *path = sb_format("%s/%s", s->parent, folder);
  const int       count = depth < DEPTH_MAX ? scandir(path, &entries, NULL, alphasort) : 0;
  for (int i = 0; i < count; ++i) {
    look_at(s, folder, entries[i]->d_name, depth);
    free(entries[i]);
  }
  free(entries);
  free(path);
}

void sb_results_folders(const char *parent, void (*visit)(void *context, const char *folder), void *context)
{
  const search s = {.parent = parent, .visit = visit, .context = context};
  if (*parent) look_into(&s, "", 0);
}
