/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep that `extends` another one: its text, with the keys of the other that it does not have behind it. So its own
 * keys keep their lines, and a results directory has the whole. */
#include <libgen.h>
#include <string.h>

#include "base/words.h"
#include "harness/sweep/sweep.h"
#include "harness/sweep/sweep_reader.h"

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

bool sb_sweep_base(const sb_session *session, const char *path, const char *text, size_t length, sb_yaml_node *own,
                   const char **base)
{
  const bool may = strstr(text, "extends") != NULL; /* few do: the others are parsed once */
  const bool read = may && sb_yaml_read(text, length, path, session->arena, NULL, own) && own->kind == SB_YAML_MAPPING;
  const sb_yaml_node *extends = read ? sb_yaml_find(own, "extends") : NULL;
  *base = NULL;
  if (!extends) return true; /* mistakes are the reader's to report */
  const char *why =
      extends->kind != SB_YAML_TEXT ? "'extends' takes the file or name of one sweep" : why_not(own, extends);
  *base = why ? NULL : other_file(path, extends->text, session->arena);
  return !why || sb_error_at(session->diagnostics, extends->key_where, "E106", "%s", why);
}

const char *sb_sweep_joined(const sb_session *session, const char *text, size_t length, const sb_yaml_node *own,
                            const sb_sweep *base)
{
  sb_yaml_node    other = {0};
  sb_arena_writer writer;
  sb_yaml_read(base->text, strlen(base->text), base->path, session->arena, NULL,
               &other); /* as it has been read before */
  const sb_yaml_node *extends = sb_yaml_find(own, "extends");
  const char         *why = why_not(&other, NULL), *line = line_at(text, extends->key_where.line);
  if (why) return sb_error_at(session->diagnostics, (sb_location){base->path, 0, 0}, "E106", "%s", why), NULL;
  FILE *out = sb_arena_write(&writer, session->arena);
  fprintf(out, "%.*s# %s%s", (int)(line - text), text, line, text[length - 1] == '\n' ? "" : "\n");
  fprintf(out, "# from %s:\n", extends->text);
  put_others(out, own, base->text, &other);
  return sb_arena_text(&writer);
}
