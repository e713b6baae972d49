/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a file to its sweep. The text of one that `extends` another has the keys of the other that it lacks behind it:
 * so its own keys keep their lines, and a results directory has the whole. */
#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

#include "base/words.h"
#include "cases/common/durable.h"
#include "harness/sweep/sweep.h"
#include "harness/sweep/sweep_reader.h"

enum { EXTENSIONS_MAX = 8 };

/* A word without a folder may be a misspelt name of a sweep, with or without ".yaml". */
static void refuse_file(const char *path, const char *why, const sb_session *session)
{
  const bool  is_path = strpbrk(path, "/.") != NULL;
  const char *stem = sb_arena_copy_span(session->arena, path, strcspn(path, "."));
  const char *near = strchr(path, '/') ? NULL : sb_sweep_nearest(stem, session->arena);
  sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s%s%s%s%s", why,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
              is_path ? "" : "; `springbench list sweeps` lists those that come with springbench");
}

/* The text of a file of 1 byte to 1 MiB (malloc'ed), which is not waited for. Returns why it cannot be had, or NULL. */
static const char *read_file(const char *path, char **text, size_t *length)
{
  struct stat status;
  if (stat(path, &status) != 0) return sb_cause(errno);
  if (S_ISDIR(status.st_mode)) return strerror(EISDIR);
  if (status.st_size > SB_YAML_BYTES_MAX) return "larger than the limit of 1 MiB";
  if (!(*text = sb_read_file(path, length))) return sb_cause(errno);
  return *length == 0 ? "the file is empty" : NULL;
}

/* A path is beside the sweep's own file; a name is that of a sweep that comes with springbench. */
static const char *other_file(const char *path, const char *word, sb_arena *arena)
{
  size_t count = 0;
  if (*word == '/') return word;
  if (strpbrk(word, "/.")) return sb_arena_format(arena, "%s/%s", dirname(sb_arena_copy(arena, path)), word);
  const char **named = sb_sweeps_named(word, arena, &count);
  return count == 1 ? named[0] : word;
}

static const char *line_at(const char *text, int line)
{
  while (text && --line > 0) {
    text = strchr(text, '\n');
    text = text ? text + 1 : NULL;
  }
  return text ? text : "";
}

/* NULL, or what is wrong with a file whose keys are to be taken by their lines. */
static const char *why_not(const sb_yaml_node *root, const sb_yaml_node *extends)
{
  for (size_t i = 0; i < root->count; ++i)
    if (root->items[i].key_where.column != 1) return "needs every key at the beginning of a line";
  if (extends && extends->where.line != extends->key_where.line) return "'extends' is in one line with its file";
  return extends && !sb_yaml_find(root, "name") ? "a sweep that extends another has a 'name' of its own" : NULL;
}

/* The keys of the other sweep that `own` lacks, as they are written there. */
static void put_others(FILE *out, const sb_yaml_node *own, const char *text, const sb_yaml_node *other)
{
  for (size_t i = 0; i < other->count; ++i) {
    const char *start = line_at(text, other->items[i].key_where.line);
    const char *end = i + 1 < other->count ? line_at(text, other->items[i + 1].key_where.line) : start + strlen(start);
    if (!sb_yaml_find(own, other->items[i].key)) fprintf(out, "%.*s", (int)(end - start), start);
  }
}

/* `extends` in a text, whose tree is read for it; NULL: it has none, or mistakes, which are the reader's to report. */
static const sb_yaml_node *find_extends(const sb_session *session, const char *path, const char *text, size_t length,
                                        sb_yaml_node *own)
{
  const bool may = strstr(text, "extends") != NULL; /* few do: the others are parsed once */
  const bool read = may && sb_yaml_read(text, length, path, session->arena, NULL, own) && own->kind == SB_YAML_MAPPING;
  return read ? sb_yaml_find(own, "extends") : NULL;
}

/* With the keys of the sweep that it extends, `depth` sweeps behind the first. */
static sb_sweep *read_sweep(const char *path, int depth, const sb_session *session)
{
  SB_OWNED char  *text = NULL;
  size_t          length = 0;
  sb_yaml_node    own = {0}, keys = {0};
  sb_diagnostics *d = session->diagnostics;
  sb_arena_writer writer;
  const char     *why = read_file(path, &text, &length);
  if (why) return refuse_file(path, why, session), NULL;
  const sb_yaml_node *extends = find_extends(session, path, text, length, &own);
  if (!extends) return sb_sweep_parse(text, length, path, session);
  why = extends->kind != SB_YAML_TEXT ? "'extends' takes the file or name of one sweep" : why_not(&own, extends);
  if (why) return sb_error_at(d, extends->key_where, "E106", "%s", why), NULL;
  if (depth == EXTENSIONS_MAX)
    return sb_error_at(d, (sb_location){path, 0, 0}, "E106", "sweeps extend each other in a circle, or more than %d",
                       EXTENSIONS_MAX),
           NULL;
  const sb_sweep *other = read_sweep(other_file(path, extends->text, session->arena), depth + 1, session);
  if (!other) return NULL;
  sb_yaml_read(other->text, strlen(other->text), other->path, session->arena, NULL, &keys); /* as it was read before */
  why = why_not(&keys, NULL);
  if (why) return sb_error_at(d, (sb_location){other->path, 0, 0}, "E106", "%s", why), NULL;
  const char *line = line_at(text, extends->key_where.line);
  FILE       *out = sb_arena_write(&writer, session->arena);
  fprintf(out, "%.*s# %s%s", (int)(line - text), text, line, text[length - 1] == '\n' ? "" : "\n");
  fprintf(out, "# from %s:\n", extends->text);
  put_others(out, &own, other->text, &keys);
  const char *whole = sb_arena_text(&writer);
  return sb_sweep_parse(whole, strlen(whole), path, session);
}

sb_sweep *sb_sweep_read(const char *path, const sb_session *session)
{
  sb_sweep *sweep = read_sweep(path, 0, session);
  size_t    full = 0; /* the first of such claims, as one warning is enough */
  while (sweep && full < sweep->claim_count && !sweep->claims[full].full) ++full;
  if (sweep && full < sweep->claim_count)
    sb_warning_at(session->diagnostics, sweep->claims[full].location, "W120",
                  "'full' has no effect: every claim is about the whole sweep");
  return sweep;
}
