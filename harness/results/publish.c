/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Publishing by rename; see publish.h and docs/robustness.md, "Storing results". The journal line comes before the
 * rename, so that a file under cases/ always has its checksum; a crash between the two is completed by
 * sb_publish_recover. */
#include "harness/results/publish.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/outcome.h"
#include "cases/common/durable.h"
#include "cases/common/processes.h"
#include "cases/store/side_car.h"

/* Renames unless `to` exists (then EEXIST); by a hard link where the file system does not know the flag. */
static bool rename_new(const char *from, const char *to)
{
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return link(from, to) == 0 && unlink(from) == 0;
}

/* True if the file that is published by this event may have states, by its line alone. */
static bool has_trajectory(const json_t *event)
{
  const char *saved = json_string_value(json_object_get(event, "save"));
  const char *status = json_string_value(json_object_get(json_object_get(event, "row"), "status"));
  const bool  skipped = status && strcmp(status, sb_status_name(SB_CASE_SKIPPED)) == 0;
  return saved && strcmp(saved, "none") != 0 && !skipped;
}

/* The side-car of a file that is published by this event (malloc'ed), NULL where it has no trajectory. */
static bool make_side_car(const json_t *event, const char *key, const char *file, char **text)
{
  char           error[256];
  SB_OWNED char *name = sb_format("%s.h5", key);
  *text = NULL;
  if (!has_trajectory(event) || sb_side_car_make(file, name, text, error)) return true;
  fprintf(stderr, "springbench: error: cannot read back %s: %s\n", file, error);
  return false;
}

/* Beside the case of that key; NULL: there is to be none. */
static bool put_side_car(const char *directory, const char *key, const char *aside, const char *text)
{
  SB_OWNED char *target = sb_published_path(directory, key), *path = sb_side_car_path(target);
  return ((!text || sb_write_file(aside, text, strlen(text))) && sb_side_car_place(path, text ? aside : NULL)) ||
         sb_storage_error("write", path, errno, text ? (double)strlen(text) : 0);
}

/* Renames the side-car first, so that a case is never without one. The caller syncs the folder. */
static bool move_into_place(const char *directory, const char *key, const char *file, const char *side_car)
{
  SB_OWNED char *target = sb_published_path(directory, key), *beside = sb_format("%s.xdmf", file);
  SB_OWNED char *aside = sb_format("%s/cases/%s.unknown.h5", directory, key);
  /* A file without a journal line is not a result, but is not deleted either: it is set aside. */
  if (rename(target, aside) == 0)
    fprintf(stderr, "springbench: warning: %s was not in the journal; it is %s now\n", target, aside);
  else if (errno != ENOENT)
    return sb_storage_error("publish", target, errno, 0);
  if (!put_side_car(directory, key, beside, side_car)) return false;
  return rename_new(file, target) || sb_storage_error("publish", target, errno, 0);
}

static bool sync_cases(const char *directory)
{
  SB_OWNED char *cases = sb_format("%s/cases", directory);
  return sb_sync_directory(cases);
}

/* A case that has ended has no use for it. */
static void remove_checkpoint(const char *directory, const char *key)
{
  SB_OWNED char *path = sb_checkpoint_path(directory, key);
  unlink(path);
}

static void remove_case_file(const char *directory, const char *key)
{
  SB_OWNED char *target = sb_published_path(directory, key), *side_car = sb_side_car_path(target);
  unlink(side_car);
  unlink(target);
}

/* Writes digest and name of the file into its event, once the file is on the disk and its side-car can be made. */
static bool make_promise(sb_publication *one)
{
  char           hex[SB_SHA256_HEX + 1];
  SB_OWNED char *name = sb_format("cases/%s.h5", one->key);
  if (!one->file) return true;
  if (!sb_sha256_file(one->file, hex) || !sb_sync_data(one->file))
    return sb_storage_error("read back", one->file, errno, 0);
  json_object_set_new(one->event, "sha256", json_string(hex));
  json_object_set_new(one->event, "file", json_string(name));
  return make_side_car(one->event, one->key, one->file, &one->side_car);
}

/* Retires these keys in the journal first, so that a file is never removed without an event. */
static bool retire(const sb_publisher *p, size_t count, const char *const *keys)
{
  json_t *events = json_array();
  for (size_t i = 0; i < count; ++i)
    if (json_object_get(p->state->cases, keys[i]))
      json_array_append_new(events, json_pack("{s:s, s:s}", "event", "retire", "key", keys[i]));
  const bool good = sb_journal_append_all(p->journal, p->state, events);
  for (size_t i = 0; good && i < count; ++i) remove_case_file(p->directory, keys[i]);
  return good;
}

bool sb_publish_all(const sb_publisher *p, size_t count, sb_publication *each)
{
  json_auto_t          *events = json_array();
  SB_OWNED const char **before = sb_allocate(count, sizeof *before);
  size_t                replaced = 0;
  bool                  good = true, files = false;
  for (size_t i = 0; i < count; ++i) {
    good = good && make_promise(&each[i]);
    files = files || each[i].file;
    if (each[i].file && sb_journal_published(p->state, each[i].key)) before[replaced++] = each[i].key;
    json_array_append(events, each[i].event);
  }
  good = good && retire(p, replaced, before);
  good = good && sb_journal_append_all(p->journal, p->state, json_incref(events));
  for (size_t i = 0; good && i < count; ++i)
    good = !each[i].file || move_into_place(p->directory, each[i].key, each[i].file, each[i].side_car);
  good = good && (!files || sync_cases(p->directory));
  for (size_t i = 0; i < count; ++i) {
    if (good) remove_checkpoint(p->directory, each[i].key);
    free(each[i].side_car);
    json_decref(each[i].event);
  }
  return good;
}

bool sb_batch_publish(sb_batch *batch)
{
  const size_t count = batch->count;
  batch->count = 0;
  const bool done = count == 0 || sb_publish_all(batch->publisher, count, batch->each);
  for (size_t i = 0; i < count; ++i) {
    if (batch->each[i].file) unlink(batch->each[i].file);
    free((char *)batch->each[i].file);
    free((char *)batch->each[i].key);
  }
  return done;
}

bool sb_batch_add(sb_batch *batch, const char *key, char *file, json_t *event)
{
  batch->each[batch->count++] = (sb_publication){.key = sb_copy_text(key), .file = file, .event = event};
  return batch->count < SB_BATCH || sb_batch_publish(batch);
}

bool sb_publish(const sb_publisher *p, const char *key, const char *file, json_t *event)
{
  return sb_publish_all(p, 1, &(sb_publication){.key = key, .file = file, .event = event});
}

bool sb_publish_failure(const sb_publisher *p, const char *key, json_t *event)
{
  const bool had = sb_journal_published(p->state, key) != NULL;
  if (!sb_journal_append(p->journal, p->state, event)) return false;
  if (had) remove_case_file(p->directory, key);
  remove_checkpoint(p->directory, key);
  return true;
}

bool sb_publish_forget(const sb_publisher *p, size_t count, const char *const *keys)
{
  if (!retire(p, count, keys)) return false;
  for (size_t i = 0; i < count; ++i) remove_checkpoint(p->directory, keys[i]);
  return sync_cases(p->directory);
}

/* Side-cars that are not there, because somebody removed them or an earlier version wrote none, are made anew. A file
 * that is damaged has none: HDF5 is not to see it. A file that needs none is not read: there may be 10 000 of them. */
static bool restore_side_cars(const sb_publisher *p)
{
  const char *key = NULL;
  json_t     *event = NULL;
  char        hex[SB_SHA256_HEX + 1], host[64];
  json_object_foreach(p->state->cases, key, event)
  {
    SB_OWNED char *file = sb_published_path(p->directory, key), *path = sb_side_car_path(file), *text = NULL;
    const char    *promised = json_string_value(json_object_get(event, "sha256"));
    if (!promised || !has_trajectory(event) || access(path, F_OK) == 0) continue;
    if (!sb_sha256_file(file, hex) || strcmp(hex, promised) != 0) continue;
    SB_OWNED char *aside = sb_format("%s/tmp/%s.%s.%ld.xdmf", p->directory, key, sb_host_name(host), (long)getpid());
    if (!make_side_car(event, key, file, &text) || !put_side_car(p->directory, key, aside, text)) return false;
  }
  return true;
}

bool sb_publish_recover(const sb_publisher *p)
{
  char           hex[SB_SHA256_HEX + 1];
  SB_OWNED char *tmp = sb_format("%s/tmp", p->directory);
  DIR           *entries = opendir(tmp);
  bool           good = entries || errno == ENOENT || sb_storage_error("read", tmp, errno, 0);
  for (const struct dirent *entry; entries && good && (entry = readdir(entries));) {
    const char    *name = entry->d_name;
    SB_OWNED char *path = sb_format("%s/%s", tmp, name), *key = sb_copy_span(name, SB_KEY_LENGTH);
    SB_OWNED char *target = sb_published_path(p->directory, key);
    const json_t  *event = strcspn(name, ".") == SB_KEY_LENGTH ? sb_journal_published(p->state, key) : NULL;
    const char    *promised = json_string_value(json_object_get(event, "sha256"));
    SB_OWNED char *side_car = NULL;
    if (promised && access(target, F_OK) != 0 && sb_sha256_file(path, hex) && strcmp(hex, promised) == 0)
      good = make_side_car(event, key, path, &side_car) && move_into_place(p->directory, key, path, side_car) &&
             sync_cases(p->directory);
    else if (sb_process_left(name))
      unlink(path);
  }
  if (entries) closedir(entries);
  return good && restore_side_cars(p);
}
