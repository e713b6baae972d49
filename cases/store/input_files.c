/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that options name: whether they exist, and the digests of their contents; see input_files.h. */
#include "cases/store/input_files.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "base/option_ids.h"
#include "cases/store/case_file.h"
#include "model/mesh/mesh.h"

enum { DIGEST_MAX = 2 * SB_SHA256_HEX + 2 };
_Static_assert((int)SB_DIGEST_LENGTH < (int)DIGEST_MAX, "either digest fits");

const sb_option_id sb_input_options[SB_INPUT_OPTIONS] = {
    SB_OPT_mesh,    SB_OPT_rest_mesh, SB_OPT_vertex_data,    SB_OPT_spring_data,
    SB_OPT_restart, SB_OPT_motion,    SB_OPT_plugin_options,
};

struct sb_input_cache {
  sb_arena *arena;
  size_t    count;
  struct known_file {
    char       *path;
    bool        state;
    struct stat status;
    char        digest[DIGEST_MAX];
  } * files;
};

sb_input_cache *sb_input_cache_create(sb_arena *arena)
{
  sb_input_cache *cache = sb_arena_take(arena, 1, sizeof *cache);
  cache->arena = arena;
  return cache;
}

void sb_input_each(sb_option_id id, const char *value, char *(*act)(void *context, const char *path), void *context)
{
  free(id == SB_OPT_plugin_options ? sb_input_replace(value, act, context) : act(context, value));
}

static char *note_name(void *context, const char *path)
{
  (void)path;
  *(bool *)context = true;
  return NULL;
}

bool sb_input_is_named(const sb_options *options, sb_option_id id)
{
  bool named = false;
  int  k = 0;
  while (k < SB_INPUT_OPTIONS && sb_input_options[k] != id) ++k;
  if (k == SB_INPUT_OPTIONS || !sb_options_has(options, id) || *sb_options_text(options, id) == '\0') return false;
  sb_input_each(id, sb_options_text(options, id), note_name, &named);
  return named;
}

static char *second_file(sb_option_id id, const char *path)
{
  return id == SB_OPT_mesh || id == SB_OPT_rest_mesh ? sb_mesh_second_file(path) : NULL;
}

/* A state counts by its content, in any file and beside any other data. A pipe is not a file: reading it would wait. */
static bool read_digest(const char *path, bool state, char digest[DIGEST_MAX])
{
  char error[256];
  if (state) return sb_saved_state_digest(path, digest, error);
  return sb_check_input(path, SIZE_MAX, (sb_location){0}, NULL) && sb_sha256_file(path, digest);
}

static bool digest_of(const char *path, bool state, sb_input_cache *known, char digest[DIGEST_MAX])
{
  struct stat        status;
  struct known_file *file = NULL;
  if (!known || stat(path, &status) != 0) return read_digest(path, state, digest);
  for (size_t i = 0; i < known->count && !file; ++i)
    if (known->files[i].state == state && strcmp(known->files[i].path, path) == 0) file = &known->files[i];
  if (!file) {
    file = SB_NEW_ITEM(known->arena, known->files, known->count);
    *file = (struct known_file){.path = sb_arena_copy(known->arena, path), .state = state};
  }
  const struct stat *seen = &file->status;
  const bool same = seen->st_dev == status.st_dev && seen->st_ino == status.st_ino && seen->st_size == status.st_size &&
                    seen->st_mtim.tv_sec == status.st_mtim.tv_sec && seen->st_mtim.tv_nsec == status.st_mtim.tv_nsec;
  if (!same && !read_digest(path, state, file->digest)) return false;
  file->status = status;
  snprintf(digest, DIGEST_MAX, "%s", file->digest);
  return true;
}

/* The files that a value names. */
typedef struct {
  sb_input_cache *known;
  bool            good;
  sb_location     where;
  sb_diagnostics *diagnostics;
} named_files;

static char *named_digest(void *context, const char *path)
{
  named_files   *n = context;
  char           digest[DIGEST_MAX] = "";
  SB_OWNED char *found = sb_input_path(path);
  n->good = digest_of(found, false, n->known, digest) && n->good;
  return sb_copy_text(digest);
}

static char *check_named(void *context, const char *path)
{
  named_files *n = context;
  n->good = sb_check_input(path, SIZE_MAX, n->where, n->diagnostics) && n->good;
  return NULL;
}

char *sb_input_digest(const sb_options *options, sb_option_id id, sb_input_cache *known)
{
  char        first[DIGEST_MAX], other[DIGEST_MAX];
  const bool  state = id == SB_OPT_restart;
  named_files named = {.known = known, .good = true};
  if (!sb_input_is_named(options, id)) return NULL;
  if (id == SB_OPT_plugin_options) {
    char *text = sb_input_replace(sb_options_text(options, id), named_digest, &named);
    if (named.good) return text;
    free(text);
    return sb_copy_text(SB_INPUT_UNREADABLE);
  }
  SB_OWNED char *path = sb_input_path(sb_options_text(options, id));
  SB_OWNED char *second = second_file(id, path);
  if (!digest_of(path, state, known, first) || (second && !digest_of(second, false, known, other)))
    return sb_copy_text(SB_INPUT_UNREADABLE);
  return sb_format("%s%s%s", first, second ? "+" : "", second ? other : "");
}

bool sb_input_files_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    if (id == SB_OPT_restart || !sb_input_is_named(options, id)) continue; /* restart.h checks that one */
    const char       *path = sb_options_text(options, id);
    const sb_location where = sb_options_location(options, id);
    named_files       named = {.good = true, .where = where, .diagnostics = diagnostics};
    SB_OWNED char    *second = second_file(id, path);
    sb_input_each(id, path, check_named, &named);
    if (named.good && second) check_named(&named, second);
    good = named.good && good;
  }
  return good;
}
