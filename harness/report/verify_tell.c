/* What a run says of its claims when it ends: how many came out how, and how to see them. */
#include <stdlib.h>

#include "harness/report/report.h"

void sb_verify_tell(const sb_results *results, FILE *stream)
{
  const sb_sweep *sweep = results->sweep;
  size_t          counts[SB_NOT_TESTED + 1] = {0};
  const char     *separator = " ";
  if (sweep->claim_count == 0) return;
  sb_verdict *verdicts = sb_claims_judge(results);
  for (size_t i = 0; i < sweep->claim_count; ++i) counts[verdicts[i].kind]++;
  free(verdicts);
  fprintf(stream, "springbench: %zu claim%s:", sweep->claim_count, sweep->claim_count == 1 ? "" : "s");
  for (size_t kind = 0; kind <= SB_NOT_TESTED; ++kind) {
    if (counts[kind] == 0) continue;
    fprintf(stream, "%s%zu %s", separator, counts[kind], sb_verdict_word((sb_verdict_kind)kind));
    separator = ", ";
  }
  fprintf(stream, " (springbench verify %s)\n", results->directory);
}
