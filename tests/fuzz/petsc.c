/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of option `petsc`: what is accepted has a normal form, which is its own, is accepted too and gives the same
 * entries; nothing that opens files, draws or runs code is accepted. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/linear/petsc_text.h"
#include "tests/fuzz/fuzz.h"

static void check_spans(const char *text)
{
  const char    *cursor = text, *end = text + strlen(text);
  sb_petsc_entry entry;
  while (sb_petsc_text_next(&cursor, &entry)) {
    fuzz_require(cursor > text && cursor <= end, "the cursor stays inside");
    if (entry.name_length > 0)
      fuzz_require(entry.name >= text && entry.name + entry.name_length <= end, "names stay inside");
    if (entry.value_length > 0)
      fuzz_require(entry.value >= text && entry.value + entry.value_length <= end, "values stay inside");
  }
}

/* Options that print into the log of the case: without a value they open no file. */
static bool is_report(const char *name)
{
  static const char *const ends[] = {"ksp_monitor", "ksp_monitor_true_residual", "ksp_monitor_singular_value",
                                     "ksp_view",    "ksp_view_eigenvalues",      "ksp_view_singularvalues",
                                     "log_view"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    const char *end = strstr(name, ends[i]);
    if (end && strcmp(end, ends[i]) == 0) return true;
  }
  return false;
}

static void check_harmless(const char *text)
{
  static const char *const harmful[] = {"_view",     "_monitor", "-options_file", "-log_",   "-dll_",  "-start",
                                        "-on_error", "-debug",   "-python",       "-malloc", "_test_", "snes_fd"};
  const char              *cursor = text;
  sb_petsc_entry           entry;
  while (sb_petsc_text_next(&cursor, &entry)) {
    char *name = strndup(entry.name, entry.name_length);
    for (char *letter = name; *letter; ++letter) *letter = (char)tolower((unsigned char)*letter);
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful && !(entry.value_length == 0 && is_report(name)); ++i)
      fuzz_require(!strstr(name, harmful[i]), "options that open, draw or run are refused");
    free(name);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char           *text = fuzz_text(data, size);
  sb_diagnostics *silent = sb_diagnostics_create();
  const int       ranks = size > 0 && data[size - 1] % 2 ? 2 : 1;
  check_spans(text);
  const bool good = sb_petsc_text_check(text, SB_PETSC_LINEAR, ranks, (sb_location){"fuzz", 1, 1}, silent);
  fuzz_require(good == (sb_diagnostics_errors(silent) == 0), "a refusal has a message");
  /* An excluded case has a key although its options are not checked. */
  char *normal = sb_petsc_text_normalize(text), *again = sb_petsc_text_normalize(normal);
  if (good) {
    check_harmless(text);
    fuzz_require(strcmp(normal, again) == 0, "a normal form is its own");
    fuzz_require(sb_petsc_text_check(normal, SB_PETSC_LINEAR, ranks, (sb_location){0}, silent),
                 "a normal form is accepted");
  }
  free(normal);
  free(again);
  sb_diagnostics_destroy(&silent);
  free(text);
  return 0;
}
