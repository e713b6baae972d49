/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines "option=value": what is accepted has a canonical text that is accepted again and means the same; what is not
 * has a message. */
#include <stdlib.h>
#include <string.h>

#include "cases/describe/names.h"
#include "base/option_ids.h"
#include "drivers/drivers.h"
#include "tests/fuzz/fuzz.h"

static void check_canonical(const sb_options *options, sb_options *again)
{
  sb_diagnostics *silent = sb_diagnostics_create();
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    if (sb_options_origin(options, id) != SB_FROM_USER) continue;
    const char *text = sb_options_text(options, id);
    fuzz_require(sb_options_set(again, id, text, SB_FROM_USER, (sb_location){0}, silent),
                 "a canonical text is accepted");
    fuzz_require(strcmp(sb_options_text(again, id), text) == 0, "a canonical text is its own canonical text");
  }
  sb_diagnostics_destroy(&silent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static sb_options *options, *again;
  if (!options) options = sb_options_create(sb_full_vocabulary());
  if (!again) again = sb_options_create(sb_full_vocabulary());
  char           *text = fuzz_text(data, size), *rest = NULL;
  sb_diagnostics *silent = sb_diagnostics_create();
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    const size_t before = sb_diagnostics_errors(silent);
    const bool   good = sb_options_set_pair(options, line, SB_FROM_USER, (sb_location){"fuzz", 1, 1}, silent);
    fuzz_require(good == (sb_diagnostics_errors(silent) == before), "a refusal has a message");
  }
  check_canonical(options, again);
  fuzz_reset_options(options);
  fuzz_reset_options(again);
  sb_diagnostics_destroy(&silent);
  free(text);
  return 0;
}
