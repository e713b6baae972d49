/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See output_cache.h. The file is a JSON object, sealed as journal lines are: thing -> {"from": digest, "files": {name:
 * "size seconds nanoseconds"}}. In earlier versions a thing had its digest alone; it is made again. */
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
static json_t *read_things(const char *folder)
{
  size_t         length = 0;
  SB_OWNED char *path = sb_format("%s/" NAME, folder), *text = sb_read_file(path, &length);
  json_t        *things = text && sb_json_is_intact(text, length) ? json_loadb(text, length, 0, NULL) : NULL;
  if (json_is_object(things)) json_object_del(things, "check");
  if (json_is_object(things)) return things;
  json_decref(things);
  return json_object();
}

static bool store_things(const char *folder, const json_t *things)
{
  SB_OWNED char *text = sb_json_seal(json_dumps(things, JSON_SORT_KEYS | JSON_INDENT(1)));
  return text && sb_replace_file(folder, NAME, text, strlen(text));
}

static char *path_of(const sb_output *output, const char *file)
{
  return sb_format("%s/%s", output->place ? output->place : output->folder, file);
}

/* Size and time of change (malloc'ed); NULL: there is no such file. */
static char *stamp_of(const sb_output *output, const char *file)
{
  struct stat    about;
  SB_OWNED char *path = path_of(output, file);
  if (stat(path, &about) != 0) return NULL;
  return sb_format("%lld %lld %09ld", (long long)about.st_size, (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

/* The files as they are now: those of the output that are there. */
static json_t *stamps_now(const sb_output *output)
{
  json_t *stamps = json_object();
  for (size_t i = 0; i < output->files.count; ++i) {
    SB_OWNED char *stamp = stamp_of(output, output->files.names[i]);
    if (stamp) json_object_set_new(stamps, output->files.names[i], json_string(stamp));
  }
  return stamps;
}

bool sb_output_is_current(const sb_output *output, const char *digest)
{
  json_auto_t  *things = read_things(output->folder);
  const json_t *thing = json_object_get(things, output->thing), *stamps = json_object_get(thing, "files");
  const char   *before = json_string_value(json_object_get(thing, "from")), *first = NULL, *name;
  bool          current = before && strcmp(before, digest) == 0;
  size_t        changed = 0;
  json_t       *stamp;
  for (size_t i = 0; i < output->files.count && current; ++i)
    current = json_object_get(stamps, output->files.names[i]) != NULL;
  if (!current) return false; /* it is made again anyway */
  json_object_foreach((json_t *)stamps, name, stamp)
  {
    SB_OWNED char *now = stamp_of(output, name);
    if (now && strcmp(now, json_string_value(stamp)) == 0) continue;
    current = false;
    if (!now) continue;
    if (changed++ == 0) first = name;
  }
  if (changed == 0) return current;
  SB_OWNED char *path = path_of(output, first);
  if (changed == 1)
    fprintf(stderr, "springbench: %s was changed since it was made; outputs are made again\n", path);
  else
    fprintf(stderr, "springbench: %s and %zu more were changed since they were made; outputs are made again\n", path,
            changed - 1);
  return false;
}

bool sb_output_note(const sb_output *output, const char *digest)
{
  json_auto_t *things = read_things(output->folder);
  json_auto_t *before = json_incref(json_object_get(things, output->thing));
  json_auto_t *now = digest ? json_pack("{s:s, s:o}", "from", digest, "files", stamps_now(output)) : NULL;
  if (before == now || (before && now && json_equal(before, now))) return true;
  if (now)
    json_object_set(things, output->thing, now);
  else
    json_object_del(things, output->thing);
  return store_things(output->folder, things);
}

bool sb_output_note_again(const sb_output *output)
{
  json_auto_t *things = read_things(output->folder), *now = stamps_now(output);
  json_t      *stamps = json_object_get(json_object_get(things, output->thing), "files");
  json_auto_t *before = json_deep_copy(stamps);
  json_object_update_existing(stamps, now);
  return !stamps || json_equal(before, stamps) || store_things(output->folder, things);
}
