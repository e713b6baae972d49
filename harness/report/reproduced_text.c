/* A line a finding on a terminal: the verdict, what it rests on, and where it was looked for. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/reproduced.h"

enum { WORD_WIDTH = 20, VALUES_WIDTH = 150 };

/* At most VALUES_WIDTH bytes, cut between characters. */
static void put_start(FILE *stream, const char *text)
{
  size_t length = strlen(text);
  if (length > VALUES_WIDTH) {
    for (length = VALUES_WIDTH; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;) --length;
  }
  fprintf(stream, "%.*s%s", (int)length, text, text[length] ? " …" : "");
}

/* What failed or contradicts comes before what holds; of what holds, what tells by how much a time is beaten. */
static int rank(const sb_judged_claim *claim)
{
  static const int ranks[] = {[SB_NOT_REPRODUCED] = 0,
                              [SB_CONTRADICTION_GONE] = 1,
                              [SB_CONTRADICTED] = 2,
                              [SB_REPRODUCED] = 4,
                              [SB_NOT_TESTED] = 5};
  const bool       beats = claim->verdict.kind == SB_REPRODUCED && claim->verdict.grounds.margin > 0;
  return beats ? 3 : ranks[claim->verdict.kind];
}

static bool is_before(const sb_judged_claim *a, const sb_judged_claim *b)
{
  if (!b || rank(a) != rank(b)) return !b || rank(a) < rank(b);
  return rank(a) == 3 && a->verdict.grounds.margin < b->verdict.grounds.margin;
}

/* Of the claims on a finding, the one to show. */
static const sb_judged_claim *speaker(const sb_reproduction *r, size_t row)
{
  const sb_judged_claim *best = NULL;
  for (size_t i = 0; i < r->claim_count; ++i)
    if (sb_finding_has(r, row, i) && is_before(&r->claims[i], best)) best = &r->claims[i];
  return best;
}

/* Names of the directories whose claims name the finding; claims come by directory. */
static void put_folders(const sb_reproduction *r, size_t row, FILE *stream)
{
  size_t before = (size_t)-1;
  for (size_t i = 0; i < r->claim_count; ++i) {
    if (!sb_finding_has(r, row, i) || r->claims[i].folder == before) continue;
    fprintf(stream, "%s%s", before == (size_t)-1 ? "" : ", ", r->folders[r->claims[i].folder].folder);
    before = r->claims[i].folder;
  }
}

/* "(3 claims; rope_blowup)", "(2 of 3 claims tested; rope_blowup-quick)" */
static void put_basis(const sb_reproduction *r, size_t row, FILE *stream)
{
  size_t claims = 0, tested = 0;
  for (size_t i = 0; i < r->claim_count; ++i) {
    if (!sb_finding_has(r, row, i)) continue;
    claims++;
    tested += r->claims[i].verdict.kind != SB_NOT_TESTED;
  }
  if (claims == 0) return;
  if (tested < claims)
    fprintf(stream, " (%zu of %zu claims tested; ", tested, claims);
  else
    fprintf(stream, " (%zu claim%s; ", claims, claims == 1 ? "" : "s");
  put_folders(r, row, stream);
  fputc(')', stream);
}

static void put_finding(const sb_reproduction *r, size_t row, FILE *stream)
{
  char                    *why = NULL;
  const sb_finding_verdict verdict = sb_finding_judge(r, row, &why);
  const sb_judged_claim   *claim = speaker(r, row);
  fprintf(stream, "%-*s  %s [%s]: ", WORD_WIDTH, sb_finding_word(verdict), sb_published_text(r->findings, row, "id"),
          sb_claim_kind_word(sb_finding_kind(r, row)));
  if (why && verdict != SB_FINDING_SOME_REPRODUCED) /* of which the basis tells */
    put_start(stream, why);
  else if (claim && claim->verdict.grounds.margin > 0 && sb_finding_kind(r, row) == SB_CLAIM_TIME)
    fprintf(stream, "%.3g times as fast as published", claim->verdict.grounds.margin);
  else if (claim && claim->verdict.kind == SB_REPRODUCED)
    put_start(stream, claim->claim); /* whose numbers stand in REPRODUCED.md */
  else if (claim && claim->verdict.kind == SB_CONTRADICTED)
    fprintf(stream, "it does not hold here that %s", claim->claim);
  else if (claim)
    put_start(stream, claim->verdict.detail);
  put_basis(r, row, stream);
  fputc('\n', stream);
  free(why);
}

/* Claims that name no finding are not on the list, so those that fail are named. */
static void put_others(const sb_reproduction *r, FILE *stream)
{
  size_t others = 0, failed = 0;
  for (size_t i = 0; i < r->claim_count; ++i) {
    const sb_judged_claim *claim = &r->claims[i];
    if (claim->finding || !r->folders[claim->folder].counts) continue;
    ++others;
    if (claim->verdict.kind != SB_NOT_REPRODUCED && claim->verdict.kind != SB_CONTRADICTION_GONE) continue;
    ++failed;
    fprintf(stream, "%-*s  %s (%s): ", WORD_WIDTH, sb_verdict_word(claim->verdict.kind), claim->claim,
            r->folders[claim->folder].folder);
    put_start(stream, claim->verdict.detail);
    fputc('\n', stream);
  }
  if (others > 0) fprintf(stream, "%zu further claims of our own, %zu of them fail\n", others, failed);
}

void sb_reproduction_print(const sb_reproduction *r, FILE *stream)
{
  size_t counts[3][SB_FINDING_VERDICTS];
  for (size_t row = 1; row < r->findings->rows; ++row) put_finding(r, row, stream);
  put_others(r, stream);
  for (size_t i = 0; i < r->folder_count; ++i)
    if (r->folders[i].error) fprintf(stream, "%s cannot be read: %s\n", r->folders[i].folder, r->folders[i].error);
  sb_reproduction_count(r, counts);
  for (int kind = SB_CLAIM_EXACT; kind <= SB_CLAIM_TIME; ++kind) {
    const char *separator = ": ";
    size_t      total = 0;
    for (int v = 0; v < SB_FINDING_VERDICTS; ++v) total += counts[kind][v];
    fprintf(stream, "%zu findings of kind %s", total, sb_claim_kind_word((sb_claim_kind)kind));
    for (int v = 0; v < SB_FINDING_VERDICTS; ++v) {
      if (counts[kind][v] == 0) continue;
      fprintf(stream, "%s%zu %s", separator, counts[kind][v], sb_finding_word((sb_finding_verdict)v));
      separator = ", ";
    }
    fputc('\n', stream);
  }
}
