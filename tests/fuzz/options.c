/* Lines "option=value": what is accepted has a canonical text that is accepted again and means the same. */
#include <stdlib.h>
#include <string.h>

#include "model/vocabulary.h"
#include "tests/fuzz/fuzz.h"

static void check_canonical(const sb_options *options)
{
  sb_diagnostics *silent = sb_diagnostics_create();
  sb_options     *again = sb_options_create(sb_model_vocabulary());
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option_id id = (sb_option_id)i;
    if (sb_options_origin(options, id) != SB_FROM_USER) continue;
    const char *text = sb_options_text(options, id);
    fuzz_require(sb_options_set(again, id, text, SB_FROM_USER, (sb_location){0}, silent),
                 "a canonical text is accepted");
    fuzz_require(strcmp(sb_options_text(again, id), text) == 0, "a canonical text is its own canonical text");
  }
  sb_options_destroy(&again);
  sb_diagnostics_destroy(&silent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char           *text = fuzz_text(data, size), *rest = NULL;
  sb_diagnostics *silent = sb_diagnostics_create();
  sb_options     *options = sb_options_create(sb_model_vocabulary());
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    (void)sb_options_set_pair(options, line, SB_FROM_USER, (sb_location){"fuzz", 1, 1}, silent);
  check_canonical(options);
  sb_options_destroy(&options);
  sb_diagnostics_destroy(&silent);
  free(text);
  return 0;
}
