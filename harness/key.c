/* What makes two cases the same, and the line that repeats one. Every value goes into the canonical JSON as the text of
 * its option, so that no number is rounded again. */
#include <gcrypt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/allocate.h"
#include "harness/input_files.h"
#include "harness/plan.h"
#include "solvers/linear/petsc_text.h"

static bool in_key(const sb_options *options, sb_option_id id)
{
  return sb_options_has(options, id) && !(sb_option_at(id)->traits & SB_NOT_IN_KEY);
}

/* What an option means where its text says it in one of several ways, malloc'ed; NULL: the text. */
static char *meaning(const sb_options *options, sb_option_id id, sb_input_cache *known)
{
  if (id == SB_OPT_petsc) return sb_petsc_text_normalize(SB_TEXT(options, petsc));
  return sb_input_digest_known(options, id, known);
}

static char *canonical_json(const sb_options *options, sb_input_cache *known)
{
  json_t *values = json_object();
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    if (!in_key(options, id)) continue;
    char *meant = meaning(options, id, known);
    json_object_set_new(values, sb_option_at(id)->name, json_string(meant ? meant : sb_options_text(options, id)));
    free(meant);
  }
  json_t *root = json_pack("{s:i, s:o}", "format", SB_FORMAT_VERSION, "options", values);
  char   *text = json_dumps(root, JSON_SORT_KEYS | JSON_COMPACT);
  json_decref(root);
  return text;
}

char *sb_case_canonical_json(const sb_options *options) { return canonical_json(options, NULL); }

void sb_case_key_known(const sb_options *options, sb_input_cache *known, char key[SB_KEY_LENGTH + 1])
{
  unsigned char digest[32];
  char         *text = canonical_json(options, known);
  if (!gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) {
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  }
  gcry_md_hash_buffer(GCRY_MD_SHA256, digest, text, strlen(text));
  for (size_t i = 0; i < SB_KEY_LENGTH / 2; ++i) snprintf(key + 2 * i, 3, "%02x", digest[i]);
  free(text);
}

void sb_case_key(const sb_options *options, char key[SB_KEY_LENGTH + 1]) { sb_case_key_known(options, NULL, key); }

/* As one word of a POSIX shell. */
static void write_quoted(FILE *stream, const char *text)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+:,./@%-";
  if (*text != '\0' && text[strspn(text, plain)] == '\0') {
    fputs(text, stream);
    return;
  }
  fputc('\'', stream);
  for (; *text; ++text)
    if (*text == '\'') fputs("'\\''", stream);
    else fputc(*text, stream);
  fputc('\'', stream);
}

char *sb_case_command(const sb_options *options)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  if (!stream) return NULL;
  fputs("springbench case", stream);
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    const bool         always = id == SB_OPT_driver || id == SB_OPT_scene;
    if (sb_option_at(id)->traits & SB_LIMIT_ONLY) continue;
    if (!sb_options_has(options, id) || (!always && sb_options_origin(options, id) != SB_FROM_USER)) continue;
    fprintf(stream, " %s=", sb_option_at(id)->name);
    write_quoted(stream, sb_options_text(options, id));
  }
  fclose(stream);
  return text;
}
