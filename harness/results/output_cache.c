/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See output_cache.h. The file is a JSON object, thing -> digest, sealed as journal lines are. */
#include "harness/results/output_cache.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cases/common/durable.h"
#include "cases/common/json_text.h"
#include "harness/sweep/request.h"

#define NAME "made.json"

void sb_output_digest_file(sb_digest *digest, const char *path, const char *name)
{
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return;
  sb_digest_text(digest, name);
  sb_digest_integer(digest, about.st_size);
  sb_digest_integer(digest, about.st_mtim.tv_sec);
  sb_digest_integer(digest, about.st_mtim.tv_nsec);
}

static void digest_folder(sb_digest *digest, const char *folder, sb_arena *arena)
{
  struct dirent **entries = NULL;
  const int       count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; ++i) {
    sb_output_digest_file(digest, sb_arena_format(arena, "%s/%s", folder, entries[i]->d_name), entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
}

const char *sb_output_digest(const sb_results *results)
{
  const sb_rows *rows = results->rows;
  const size_t   columns = sb_rows_column_count(rows);
  sb_arena      *arena = results->session.arena;
  char           hex[SB_DIGEST_LENGTH + 1];
  if (results->kept->made_from) return results->kept->made_from;
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  SB_OWNED char                            *request = sb_request_text(results->sweep);
  sb_digest_text(digest, results->sweep->text);
  sb_digest_text(digest, request);
  sb_digest_text(digest, sb_results_set_aside(results));
  sb_digest_integer(digest, results->quick);
  sb_digest_text(digest, results->floor.words);
  for (size_t c = 0; c < columns; ++c) sb_digest_text(digest, sb_rows_column_at(rows, c)->name);
  for (size_t r = 0; r < sb_rows_count(rows); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      const sb_value value = sb_rows_get(rows, r, c);
      sb_digest_integer(digest, value.kind);
      if (value.kind == SB_NUMBER) sb_digest_reals(digest, 1, &value.number);
      if (value.kind == SB_WORD) sb_digest_text(digest, value.word);
      if (value.kind == SB_TRUTH) sb_digest_integer(digest, value.truth);
    }
    sb_digest_text(digest, results->checksums[r]);
  }
  sb_output_digest_file(digest, "/proc/self/exe", "");
  digest_folder(digest, sb_arena_adopt(arena, sb_data_directory("plots")), arena);
  digest_folder(digest, results->published_dir, arena);
  for (size_t i = 0; i < results->sweep->figure_count; ++i) {
    const char *name = results->sweep->figures[i].script;
    const char *script = name ? sb_sweep_script(results->sweep, name, arena) : NULL;
    if (script) sb_output_digest_file(digest, script, script);
  }
  sb_digest_hex(digest, hex);
  return results->kept->made_from = sb_arena_copy(arena, hex);
}

void sb_output_digest_text(const char *text, char hex[SB_DIGEST_LENGTH + 1])
{
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  sb_digest_text(digest, text);
  sb_output_digest_file(digest, "/proc/self/exe", "");
  sb_digest_hex(digest, hex);
}

/* Reads what the folder remembers; an empty object where its file is absent or damaged. */
static json_t *read_digests(const char *folder)
{
  size_t         length = 0;
  SB_OWNED char *path = sb_format("%s/" NAME, folder), *text = sb_read_file(path, &length);
  json_t        *digests = text && sb_json_is_intact(text, length) ? json_loadb(text, length, 0, NULL) : NULL;
  if (json_is_object(digests)) json_object_del(digests, "check");
  if (json_is_object(digests)) return digests;
  json_decref(digests);
  return json_object();
}

bool sb_output_is_current(const char *folder, const char *thing, const char *digest, const char *const *files)
{
  json_auto_t *digests = read_digests(folder);
  const char  *before = json_string_value(json_object_get(digests, thing));
  bool         current = before && strcmp(before, digest) == 0;
  for (; current && *files; ++files) current = sb_has_file(folder, *files);
  return current;
}

bool sb_output_note(const char *folder, const char *thing, const char *digest)
{
  json_auto_t *digests = read_digests(folder);
  const char  *before = json_string_value(json_object_get(digests, thing));
  if (strcmp(before ? before : "", digest ? digest : "") == 0) return true;
  if (digest)
    json_object_set_new(digests, thing, json_string(digest));
  else
    json_object_del(digests, thing);
  SB_OWNED char *text = sb_json_seal(json_dumps(digests, JSON_SORT_KEYS | JSON_INDENT(1)));
  return text && sb_replace_file(folder, NAME, text, strlen(text));
}
