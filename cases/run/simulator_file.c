/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads descriptions of simulators; see simulator_file.h. The digest of a simulator is the SHA-256 of a text: the
 * digests of the description and of its files, and the output of the version command. */
#include "cases/run/simulator_file.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "base/option_ids.h"
#include "cases/common/digest.h"
#include "cases/common/durable.h"
#include "cases/common/foreign.h"
#include "cases/describe/names.h"
#include "cases/describe/simulators.h"

enum { DESCRIPTION_MAX = 1 << 20, VERSION_MAX = 4096, VERSION_SECONDS = 60, VERSION_FILES_MAX = 1 << 26 };

typedef struct {
  sb_session *session;
  const char *file, *folder; /* the description, and its path */
} reader;

#define REFUSE(r, ...) sb_error_at((r)->session->diagnostics, (sb_location){(r)->file, 0, 0}, "E106", __VA_ARGS__)

/* The word with the description's folder in place of each {here}. */
static const char *in_place(const reader *r, const char *word)
{
  static const char here[] = "{here}";
  const char       *at = strstr(word, here);
  if (!at) return sb_arena_copy(r->session->arena, word);
  return sb_arena_format(r->session->arena, "%.*s%s%s", (int)(at - word), word, r->folder,
                         in_place(r, at + sizeof here - 1));
}

/* The words of a command; NULL after E106. */
static const char *const *read_command(const reader *r, const char *member, const json_t *list)
{
  const size_t count = json_array_size(list);
  const char **words = sb_arena_take(r->session->arena, count + 1, sizeof *words);
  for (size_t i = 0; i < count || i == 0; ++i) {
    const char *word = json_string_value(json_array_get(list, i));
    if (!word || (i == 0 && !*word)) return REFUSE(r, "'%s' is not a list of words", member), NULL;
    words[i] = in_place(r, word);
  }
  return words;
}

/* Names of options with blanks between; NULL after an error. */
static const char *read_options(const reader *r, const char *member, const json_t *list)
{
  const char *names = "";
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const char *name = json_string_value(json_array_get(list, i));
    if (!name) return REFUSE(r, "'%s' is not a list of options", member), NULL;
    if (sb_option_named(name, (sb_location){r->file, 0, 0}, r->session->diagnostics) == sb_option_count) return NULL;
    names = sb_arena_join(r->session->arena, names, " ", "%s", name);
  }
  return names;
}

/* The output of the version command as one line; NULL after E106. */
static const char *ask_version(const reader *r, const char *const *words)
{
  char                            text[VERSION_MAX + 1];
  SB_ENDED_BY(sb_close) const int output = memfd_create("version", MFD_CLOEXEC);
  if (output < 0) return REFUSE(r, "no memory for its version"), NULL;
  const sb_foreign_program program = {words, r->folder, output, VERSION_SECONDS, VERSION_FILES_MAX, false};
  const sb_foreign_end     end = sb_foreign_run(&program, r->session->arena);
  const ssize_t            got = pread(output, text, VERSION_MAX, 0);
  size_t                   length = got > 0 ? (size_t)got : 0;
  while (length > 0 && isspace((unsigned char)text[length - 1])) --length;
  text[length] = '\0';
  for (char *c = text; *c; ++c)
    if (*c == '\n') *c = ' ';
  if (end.failure) return REFUSE(r, "its version_command failed: %s", end.failure), NULL;
  if (length == 0 || !sb_is_printable(text)) return REFUSE(r, "its version_command prints no plain text"), NULL;
  return sb_arena_copy(r->session->arena, text);
}

/* As ask_version, from the cache of the parent process if it has the answer. */
static const char *read_version(const reader *r, const char *const *words)
{
  const char  *text = getenv(SB_SIMULATOR_VERSIONS_VARIABLE);
  json_auto_t *versions = text ? json_loads(text, 0, NULL) : NULL;
  const char  *known = json_string_value(json_object_get(versions, r->file));
  if (known && *known && sb_is_printable(known)) return sb_arena_copy(r->session->arena, known);
  const char *version = ask_version(r, words);
  if (!versions) versions = json_object();
  json_object_set_new(versions, r->file, json_string(version));
  SB_OWNED char *told = json_dumps(versions, JSON_COMPACT);
  if (version && told) setenv(SB_SIMULATOR_VERSIONS_VARIABLE, told, 1);
  return version;
}

/* The SHA-256 of all that makes a build of the simulator; NULL after E100 or E106. */
static const char *digest_of(const reader *r, const json_t *files, const char *version)
{
  sb_arena   *arena = r->session->arena;
  char        hex[SB_SHA256_HEX + 1] = "";
  const char *text = "";
  for (size_t i = 0; i <= json_array_size(files); ++i) {
    const char *name = i == 0 ? r->file : json_string_value(json_array_get(files, i - 1));
    if (!name) return REFUSE(r, "'files' is not a list of files"), NULL;
    const char *path = *name == '/' ? name : sb_arena_format(arena, "%s/%s", r->folder, name);
    if (!sb_sha256_file(path, hex))
      return sb_error_at(r->session->diagnostics, (sb_location){r->file, 0, 0}, "E100", "cannot read '%s': %s", path,
                         sb_cause(errno)),
             NULL;
    text = sb_arena_format(arena, "%s%s %s\n", text, hex, i == 0 ? "description" : name);
  }
  text = sb_arena_format(arena, "%s%s\n", text, version);
  sb_sha256(text, strlen(text), hex);
  return sb_arena_copy(arena, hex);
}

/* False after an error. */
static bool fill(const reader *r, json_t *root, sb_simulator *s)
{
  sb_arena    *arena = r->session->arena;
  int          format = 0;
  const char  *name, *summary;
  json_t      *command, *version_command, *files = NULL, *maps = NULL, *ignores = NULL;
  json_error_t error;
  if (json_unpack_ex(root, &error, JSON_STRICT, "{s:i, s:s, s:s, s:o, s:o, s?o, s?o, s?o}", "springbench_simulator",
                     &format, "name", &name, "summary", &summary, "command", &command, "version_command",
                     &version_command, "files", &files, "maps", &maps, "ignores", &ignores) != 0)
    return REFUSE(r, "not a description of a simulator: %s (docs/library.md)", error.text);
  if (format != 1) return REFUSE(r, "a description of format %d; this springbench reads format 1", format);
  if (!sb_is_method_name(name))
    return REFUSE(r, "'%s' is not a name of at most 31 lower-case letters, digits and '_'", name);
  if (sb_list_find(sb_vocabulary_list(r->session->vocabulary, sb_simulators.family), name))
    return REFUSE(r, "the name '%s' is taken", name);
  if (!*summary || !sb_is_printable(summary)) return REFUSE(r, "'summary' is not plain text");
  *s = (sb_simulator){.name = sb_arena_copy(arena, name), .summary = sb_arena_copy(arena, summary)};
  s->command = read_command(r, "command", command);
  const char *const *ask = s->command ? read_command(r, "version_command", version_command) : NULL;
  if (!ask || !(s->maps = read_options(r, "maps", maps)) || !(s->ignores = read_options(r, "ignores", ignores)))
    return false;
  s->uses = sb_simulator_uses(s->maps, r->session->vocabulary, arena);
  s->version = read_version(r, ask);
  if (s->version) s->digest = digest_of(r, files, s->version);
  return s->digest != NULL;
}

bool sb_simulator_file_load(sb_session *session, const char *file)
{
  const reader   r = {session, file, sb_arena_copy_span(session->arena, file, (size_t)(strrchr(file, '/') - file))};
  json_error_t   error;
  size_t         size = 0;
  SB_OWNED char *text = sb_read_input(file, DESCRIPTION_MAX, (sb_location){file, 0, 0}, &size, session->diagnostics);
  json_auto_t   *root = text ? json_loads(text, JSON_REJECT_DUPLICATES, &error) : NULL;
  sb_simulator  *s = sb_arena_take(session->arena, 1, sizeof *s);
  if (!text) return false;
  if (!root)
    return sb_error_at(session->diagnostics, (sb_location){file, error.line, error.column}, "E110", "not JSON: %s",
                       error.text);
  if (!fill(&r, root, s)) return false;
  session->vocabulary = sb_vocabulary_with(session->vocabulary, sb_simulators.family, &s->entry, session->arena);
  return true;
}
