/* Files that options name: whether they are there, and their content as a digest; see input_files.h. */
#include "harness/input_files.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/input_file.h"
#include "harness/allocate.h"
#include "harness/publish.h"
#include "model/mesh.h"

static bool names_file(const sb_options *options, sb_option_id id)
{
  const bool can = id == SB_OPT_mesh || id == SB_OPT_vertex_data || id == SB_OPT_spring_data;
  return can && sb_options_has(options, id) && *sb_options_text(options, id) != '\0';
}

/* Not of pipes, which would be waited for. */
static bool digest_of(const char *path, char hex[SB_SHA256_HEX + 1])
{
  return sb_check_input(path, SIZE_MAX, (sb_location){0}, NULL) && sb_sha256_file(path, hex);
}

char *sb_input_digest(const sb_options *options, sb_option_id id)
{
  char first[SB_SHA256_HEX + 1], both[2 * SB_SHA256_HEX + 2];
  if (!names_file(options, id)) return NULL;
  const char *path = sb_options_text(options, id);
  char       *second = id == SB_OPT_mesh ? sb_mesh_second_file(path) : NULL;
  bool        read = digest_of(path, first);
  int         length = read ? snprintf(both, sizeof both, "%s", first) : 0;
  if (read && second) {
    read = digest_of(second, first);
    snprintf(both + length, sizeof both - (size_t)length, "+%s", first);
  }
  free(second);
  return sb_copy_text(read ? both : "unreadable");
}

bool sb_input_files_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    if (!names_file(options, id)) continue;
    const char *path = sb_options_text(options, id);
    char       *second = id == SB_OPT_mesh ? sb_mesh_second_file(path) : NULL;
    good = sb_check_input(path, SIZE_MAX, sb_options_location(options, id), diagnostics) &&
           (!second || sb_check_input(second, SIZE_MAX, sb_options_location(options, id), diagnostics)) && good;
    free(second);
  }
  return good;
}
