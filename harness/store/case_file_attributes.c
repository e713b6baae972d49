/* What the case file keeps as attributes: who made it (H5MD 1.1), with which options, and the row it adds to the index.
 * Columns that are timings, and what the run cost, stand below /timing, apart from what equal runs share. */
#include <stdlib.h>

#include "harness/store/build_facts.h"
#include "harness/store/case_file_write.h"
#include "harness/store/hdf5_tools.h"
#include "harness/store/input_files.h"

static bool write_h5md(hid_t file)
{
  static const int64_t version[2] = {1, 1};
  const hid_t          h5md = sb_h5_group(file, "h5md"), author = sb_h5_group(file, "h5md/author");
  const hid_t          creator = sb_h5_group(file, "h5md/creator");
  bool ok = h5md >= 0 && author >= 0 && creator >= 0 && sb_h5_put_integers(h5md, "version", 2, version) &&
            sb_h5_put_ascii(author, "name", "springbench") && sb_h5_put_ascii(creator, "name", "springbench") &&
            sb_h5_put_ascii(creator, "version", SB_BUILD_VERSION);
  ok = sb_h5_close(h5md) && ok;
  ok = sb_h5_close(author) && ok;
  return sb_h5_close(creator) && ok;
}

static bool put_option(hid_t group, const sb_options *options, sb_option_id id)
{
  const sb_option *option = sb_option_at(id);
  if (!sb_options_has(options, id) || (option->traits & SB_LIMIT_ONLY)) return true;
  switch (option->kind) {
  case SB_KIND_BOOL:
    return sb_h5_put_flag(group, option->name, sb_options_flag(options, id));
  case SB_KIND_INTEGER:
    return sb_h5_put_integers(group, option->name, 1, &(int64_t){sb_options_integer(options, id)});
  case SB_KIND_REAL:
    return sb_h5_put_reals(group, option->name, 1, &(double){sb_options_real(options, id)});
  case SB_KIND_VECTOR:
    return sb_h5_put_reals(group, option->name, 3, sb_options_vector(options, id));
  default:
    return sb_h5_put_text(group, option->name, sb_options_text(options, id));
  }
}

/* What was in the files that options name, beside their paths: attributes of /inputs, which is there when one does. */
static bool write_inputs(hid_t file, const sb_options *options)
{
  hid_t group = -1;
  bool  ok = true;
  for (int id = 0; ok && id < SB_OPT_COUNT; ++id) {
    char *digest = sb_input_digest(options, (sb_option_id)id);
    if (!digest) continue;
    if (group < 0) group = sb_h5_group(file, "inputs");
    ok = group >= 0 && sb_h5_put_text(group, sb_option_at((sb_option_id)id)->name, digest);
    free(digest);
  }
  return (group < 0 || sb_h5_close(group)) && ok;
}

bool sb_case_write_head(hid_t file, const sb_case_head *head)
{
  if (!write_h5md(file) || !write_inputs(file, head->options)) return false;
  const hid_t group = sb_h5_group(file, "parameters");
  bool        ok = group >= 0 && sb_h5_put_text(group, "command", head->command);
  for (int id = 0; ok && id < SB_OPT_COUNT; ++id) ok = put_option(group, head->options, (sb_option_id)id);
  return sb_h5_close(group) && ok;
}

static bool put_value(hid_t group, const char *name, const sb_value *value)
{
  switch (value->kind) {
  case SB_NUMBER:
    return sb_h5_put_reals(group, name, 1, &value->number);
  case SB_WORD:
    return sb_h5_put_text(group, name, value->word);
  case SB_TRUTH:
    return sb_h5_put_flag(group, name, value->truth);
  case SB_BLANK:
    break;
  }
  return sb_h5_put_blank(group, name);
}

static bool put_columns(hid_t group, const sb_case_row *row, bool timing)
{
  bool ok = true;
  for (size_t i = 0; ok && i < row->column_count; ++i)
    if (row->columns[i].timing == timing) ok = put_value(group, row->columns[i].name, &row->values[i]);
  return ok;
}

bool sb_case_write_row(hid_t file, const sb_case_row *row)
{
  const hid_t result = sb_h5_group(file, "result"), timing = sb_h5_group(file, "timing/result");
  bool        ok = result >= 0 && timing >= 0 && sb_h5_put_text(result, "key", row->key) &&
            sb_h5_put_text(result, "status", sb_status_name(row->status)) &&
            sb_h5_put_text(result, "reason", row->reason) && put_value(result, "accuracy_ok", &row->accuracy) &&
            sb_h5_put_text(result, "digest", row->digest) && put_columns(result, row, false) &&
            sb_h5_put_reals(timing, "wall_s", 1, &row->wall_seconds) &&
            sb_h5_put_reals(timing, "max_rss_bytes", 1, &row->max_rss_bytes) && put_columns(timing, row, true);
  ok = sb_h5_close(result) && ok;
  return sb_h5_close(timing) && ok;
}
