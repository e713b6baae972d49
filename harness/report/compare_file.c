/* What a comparison takes from case files: the timed steps and the digests of frames; see compare_side.h. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/compare_side.h"
#include "harness/store/case_file_read.h"

typedef struct {
  size_t           count, quiet;
  sb_noise_record *records;
} verdicts;

/* Whether the samples of a repetition count: those of the quiet ones where there are any, else all. */
static bool counts(const verdicts *v, int32_t repetition)
{
  for (size_t i = 0; v->quiet > 0 && i < v->count; ++i)
    if (v->records[i].repetition == repetition) return v->records[i].broken == 0;
  return true;
}

static bool read_samples(const char *path, const char *key, sb_compare_file *file, char error[256])
{
  size_t            count = 0;
  sb_sample_record *samples = NULL;
  verdicts          v = {0};
  if (!sb_case_file_noise(path, key, &v.count, &v.records, error)) return false;
  for (size_t i = 0; i < v.count; ++i) v.quiet += v.records[i].broken == 0;
  if (!sb_case_file_samples(path, key, &count, &samples, error)) {
    free(v.records);
    return false;
  }
  file->seconds = sb_allocate(count + 1, sizeof *file->seconds);
  file->repetition = sb_allocate(count + 1, sizeof *file->repetition);
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(samples[i].phase, "step") != 0 || !counts(&v, samples[i].repetition)) continue;
    file->seconds[file->sample_count] = samples[i].seconds;
    file->repetition[file->sample_count++] = samples[i].repetition;
  }
  free(samples);
  free(v.records);
  return true;
}

/* /observables/all/state_digest of an open file. */
static bool read_digests(hid_t id, sb_compare_file *file)
{
  sb_columns  steps = {0};
  const hid_t dataset = H5Dopen2(id, "observables/all/state_digest/value", H5P_DEFAULT);
  const hid_t type = sb_h5_text_type(sizeof *file->digest, H5T_CSET_ASCII);
  const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
  bool        ok = sb_h5_read_columns(id, "observables/all/state_digest/step", "step", &steps) && space >= 0 &&
            H5Sget_simple_extent_npoints(space) == (hssize_t)steps.count;
  if (ok) {
    file->step = sb_allocate(steps.count + 1, sizeof *file->step);
    file->digest = sb_allocate(steps.count + 1, sizeof *file->digest);
    ok = H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, file->digest) >= 0;
  }
  for (size_t i = 0; ok && i < steps.count; ++i) {
    file->step[i] = (int64_t)steps.values[0][i];
    file->digest[i][SB_DIGEST_LENGTH] = '\0';
  }
  if (ok) file->frame_count = steps.count;
  sb_columns_clear(&steps);
  ok = sb_h5_close(space) && ok;
  ok = sb_h5_close(type) && ok;
  return sb_h5_close(dataset) && ok;
}

static bool read_frames(const char *path, sb_compare_file *file, char error[256])
{
  const hid_t id = sb_case_file_open(path, error);
  bool        ok = id >= 0;
  if (ok && sb_h5_exists(id, "observables") && sb_h5_exists(id, "observables/all")) ok = read_digests(id, file);
  return sb_case_file_close(id, ok, error);
}

bool sb_compare_file_read(sb_compare_side *side, size_t row, bool frames, sb_compare_file *file)
{
  char error[256] = "";
  *file = (sb_compare_file){0};
  if (!side->results || !side->results->checksums[row]) return true;
  const char *key = sb_compare_word(side, row, "key");
  char       *path = sb_results_case_path(side->results, key);
  const bool  good = sb_results_case_is_whole(side->results, key, error) && read_samples(path, key, file, error) &&
                    (!frames || read_frames(path, file, error));
  if (!good) {
    fprintf(stderr, "springbench: error: %s\n", error);
    sb_compare_file_clear(file);
    side->damaged++;
  }
  free(path);
  return good;
}

void sb_compare_file_clear(sb_compare_file *file)
{
  free(file->seconds);
  free(file->repetition);
  free(file->step);
  free(file->digest);
  *file = (sb_compare_file){0};
}
