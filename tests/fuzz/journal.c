/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Journal files, damaged in any way: read without harm, and a line appended behind what was read is read back. */
#include "cases/store/journal.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  sb_journal_state state = {0}, again = {0};
  sb_journal       journal;
  const char      *path = fuzz_file(".jsonl", data, size);
  fuzz_require(sb_journal_read(path, &state), "a journal is read");
  fuzz_require(state.length >= 0 && (size_t)state.length <= size, "what is read is there");
  if (sb_journal_open(&journal, path, &state)) {
    json_t *event = json_pack("{s:s, s:s}", "event", "retire", "key", "0123456789abcdef");
    fuzz_require(sb_journal_append(&journal, &state, event), "an event is appended");
    const off_t length = journal.length;
    sb_journal_close(&journal);
    fuzz_require(sb_journal_read(path, &again), "the journal is read again");
    fuzz_require(again.length == length && again.bad_lines == state.bad_lines, "nothing else changed");
    fuzz_require(json_equal(again.cases, state.cases), "the cases are the same");
    sb_journal_clear(&again);
  }
  sb_journal_clear(&state);
  return 0;
}
