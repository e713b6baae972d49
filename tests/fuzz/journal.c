/* Journal files, damaged in any way: read without harm, and a line appended behind what was read is read back. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/journal.h"
#include "tests/fuzz/fuzz.h"

static void write_file(const char *path, const uint8_t *data, size_t size)
{
  FILE *file = fopen(path, "wb");
  if (!file) abort();
  if (size > 0 && fwrite(data, 1, size, file) != size) abort();
  if (fclose(file) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char             path[64];
  sb_journal_state state = {0}, again = {0};
  sb_journal       journal;
  snprintf(path, sizeof path, "/tmp/fuzz-journal-%ld", (long)getpid());
  write_file(path, data, size);
  if (sb_journal_read(path, &state) && sb_journal_open(&journal, path, &state)) {
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
  unlink(path);
  return 0;
}
