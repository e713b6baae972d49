/* What makes two cases the same, and the line that repeats one. Every value goes into the canonical JSON as the text of
 * its option, so that no number is rounded again. */
#include <gcrypt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/json_text.h"
#include "harness/common/text.h"
#include "harness/store/input_files.h"
#include "harness/sweep/plan.h"
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

static int compare_names(const void *a, const void *b)
{
  return strcmp(sb_option_at(*(const sb_option_id *)a)->name, sb_option_at(*(const sb_option_id *)b)->name);
}

/* {"format":…,"options":{…}}, members in the order of their names, without a blank. */
static char *canonical_json(const sb_options *options, sb_input_cache *known)
{
  sb_option_id ids[SB_OPT_COUNT];
  size_t       count = 0, length = 0;
  char        *text = NULL;
  FILE        *stream = sb_text_stream(&text, &length);
  for (int i = 0; i < SB_OPT_COUNT; ++i)
    if (in_key(options, (sb_option_id)i)) ids[count++] = (sb_option_id)i;
  qsort(ids, count, sizeof *ids, compare_names);
  fprintf(stream, "{\"format\":%d,\"options\":{", (int)SB_FORMAT_VERSION);
  for (size_t i = 0; i < count; ++i) {
    char *meant = meaning(options, ids[i], known);
    if (i > 0) fputc(',', stream);
    sb_json_put_text(stream, sb_option_at(ids[i])->name);
    fputc(':', stream);
    sb_json_put_text(stream, meant ? meant : sb_options_text(options, ids[i]));
    free(meant);
  }
  fputs("}}", stream);
  fclose(stream);
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

char *sb_case_command(const sb_options *options)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  fputs("springbench case", stream);
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    const bool         always = id == SB_OPT_driver || id == SB_OPT_scene;
    if (sb_option_at(id)->traits & SB_LIMIT_ONLY) continue;
    if (!sb_options_has(options, id) || (!always && sb_options_origin(options, id) != SB_FROM_USER)) continue;
    fprintf(stream, " %s=", sb_option_at(id)->name);
    sb_text_put_word(stream, sb_options_text(options, id));
  }
  fclose(stream);
  return text;
}
