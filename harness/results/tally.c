/* Counting cases; see tally.h. */
#include "harness/results/tally.h"

static bool has_status(const sb_rows *rows, size_t row, sb_status *status)
{
  const sb_value value = sb_rows_get_named(rows, row, "status");
  return value.kind == SB_WORD && sb_status_from_name(value.word, status);
}

sb_case_state sb_row_state(const sb_rows *rows, size_t row)
{
  sb_status status = SB_OK;
  if (!has_status(rows, row, &status)) return SB_STATE_PLANNED;
  if (status == SB_CASE_INTERRUPTED) return SB_STATE_PENDING;
  return sb_status_is_result(status) ? SB_STATE_DONE : SB_STATE_FAILED;
}

bool sb_row_noisy(const sb_rows *rows, size_t row) { return sb_rows_get_named(rows, row, "noisy").kind == SB_WORD; }

sb_tally sb_tally_of(const sb_rows *rows, const bool *selected)
{
  sb_tally tally = {0};
  for (size_t row = 0; row < sb_rows_count(rows); ++row) {
    sb_status status = SB_OK;
    if (selected && !selected[row]) continue;
    const sb_case_state state = sb_row_state(rows, row);
    tally.cases++;
    if (has_status(rows, row, &status))
      tally.of[status]++;
    else
      tally.missing++;
    tally.pending += state == SB_STATE_PLANNED || state == SB_STATE_PENDING;
    tally.failed += state == SB_STATE_FAILED;
    tally.noisy += sb_row_noisy(rows, row);
  }
  return tally;
}

void sb_tally_write(const sb_tally *tally, FILE *stream)
{
  const char *separator = "";
  for (int status = 0; status < SB_STATUS_COUNT; ++status) {
    if (tally->of[status] == 0) continue;
    fprintf(stream, "%s%zu %s", separator, tally->of[status], sb_status_name((sb_status)status));
    separator = ", ";
  }
  if (tally->missing > 0) fprintf(stream, "%s%zu not run", separator, tally->missing);
}

const char *sb_noise_note(sb_arena *arena, size_t noisy, size_t cases)
{
  if (noisy == 0) return NULL;
  return sb_arena_format(arena, "%zu of %zu cases %s timed while the machine was noisy; --rerun noisy times %s again",
                         noisy, cases, noisy == 1 ? "was" : "were", noisy == 1 ? "it" : "them");
}
