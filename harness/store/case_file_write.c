/* The life of a case file that is being written, and its tables and curves; see case_file_write.h. */
#include "harness/store/case_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/store/vtkhdf.h"

sb_case_writer *sb_case_writer_create(const char *path, const sb_case_head *head)
{
  sb_case_writer *w = sb_allocate(1, sizeof *w);
  w->path = sb_copy_text(path);
  w->part = sb_format("%s.%ld.part", path, (long)getpid());
  w->every_frame = head->every_frame;
  w->file = w->position = w->velocity = -1;
  if (!sb_h5_watch(w->cause)) return w;
  w->file = sb_h5_create_file(w->part);
  if (w->file >= 0 && !sb_case_write_head(w->file, head)) w->file = -1;
  return w;
}

bool sb_case_writer_good(const sb_case_writer *w) { return w->file >= 0; }

const char *sb_case_writer_error(sb_case_writer *w)
{
  const double room = sb_tells_of_room(w->cause) ? sb_free_bytes(w->path) : -1;
  char         size[32];
  snprintf(w->error, sizeof w->error, "cannot write '%s': %s", w->path, w->cause[0] ? w->cause : "HDF5 cannot be used");
  const size_t length = strlen(w->error);
  if (room >= 0) snprintf(w->error + length, sizeof w->error - length, " (%s free)", sb_format_bytes(room, size));
  return w->error;
}

static bool begin_steps(sb_case_writer *w)
{
  const hid_t outcome = sb_h5_text_type(SB_STEP_OUTCOME_SIZE, H5T_CSET_ASCII), group = sb_h5_group(w->file, "steps");
  const hid_t integer = H5T_NATIVE_INT64;
  bool        ok = group >= 0 && sb_h5_series_begin(&w->step, w->file, "steps/step", NULL, integer, 0) &&
            sb_h5_series_begin(&w->step_minimizer, w->file, "steps/minimizer_iterations", NULL, integer, 0) &&
            sb_h5_series_begin(&w->step_linear, w->file, "steps/linear_iterations", NULL, integer, 0) &&
            sb_h5_series_begin(&w->step_residual, w->file, "steps/residual", NULL, H5T_NATIVE_DOUBLE, 0) &&
            sb_h5_series_begin(&w->step_outcome, w->file, "steps/outcome", NULL, outcome, 0);
  w->stepped = true;
  ok = sb_h5_close(group) && ok;
  return sb_h5_close(outcome) && ok;
}

bool sb_case_writer_step(sb_case_writer *w, const sb_step_record *step)
{
  if (!sb_h5_watch(w->cause) || (!w->stepped && !begin_steps(w))) return false;
  return sb_h5_series_append(&w->step, &step->step) &&
         sb_h5_series_append(&w->step_minimizer, &step->minimizer_iterations) &&
         sb_h5_series_append(&w->step_linear, &step->linear_iterations) &&
         sb_h5_series_append(&w->step_residual, &step->residual) &&
         sb_h5_series_append(&w->step_outcome, step->outcome);
}

bool sb_case_writer_curve(sb_case_writer *w, const sb_curve_record *curve)
{
  char path[SB_H5_CAUSE_SIZE];
  if (!sb_h5_watch(w->cause) || w->file < 0) return false;
  snprintf(path, sizeof path, "%s/%s", curve->timing ? "timing/convergence" : "convergence", curve->run);
  const hid_t group = sb_h5_group(w->file, path);
  const bool  ok = group >= 0 && sb_h5_write_curve(group, curve->name, curve->unit, curve->count, curve->values);
  return sb_h5_close(group) && ok;
}

hid_t sb_sample_type(void)
{
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(sb_sample_record));
  const hid_t phase = sb_h5_text_type(SB_SAMPLE_PHASE_SIZE, H5T_CSET_ASCII);
  const bool  ok = phase >= 0 &&
                  H5Tinsert(type, "repetition", offsetof(sb_sample_record, repetition), H5T_NATIVE_INT32) >= 0 &&
                  H5Tinsert(type, "phase", offsetof(sb_sample_record, phase), phase) >= 0 &&
                  H5Tinsert(type, "step", offsetof(sb_sample_record, step), H5T_NATIVE_INT64) >= 0 &&
                  H5Tinsert(type, "seconds", offsetof(sb_sample_record, seconds), H5T_NATIVE_DOUBLE) >= 0;
  if (sb_h5_close(phase) && ok) return type;
  (void)sb_h5_close(type);
  return -1;
}

static bool begin_samples(sb_case_writer *w)
{
  const hid_t group = sb_h5_group(w->file, "timing"), type = sb_sample_type();
  bool        ok = group >= 0 && type >= 0 && sb_h5_series_begin(&w->samples, w->file, "timing/samples", NULL, type, 0);
  w->sampled = true;
  ok = sb_h5_close(group) && ok;
  return sb_h5_close(type) && ok;
}

bool sb_case_writer_sample(sb_case_writer *w, const sb_sample_record *sample)
{
  if (!sb_h5_watch(w->cause) || w->file < 0 || (!w->sampled && !begin_samples(w))) return false;
  return sb_h5_series_append(&w->samples, sample);
}

hid_t sb_noise_type(void)
{
  static const struct {
    const char *name;
    size_t      offset;
  } integers[] = {{"repetition", offsetof(sb_noise_record, repetition)}, {"broken", offsetof(sb_noise_record, broken)}},
    counts[] = {{"calibrations", offsetof(sb_noise_record, calibrations)},
                {"switches", offsetof(sb_noise_record, switches)}},
    reals[] = {{"window_s", offsetof(sb_noise_record, window_s)},
               {"calibration_median_s", offsetof(sb_noise_record, calibration_median_s)},
               {"calibration_fast_s", offsetof(sb_noise_record, calibration_fast_s)},
               {"steal", offsetof(sb_noise_record, steal)},
               {"waited", offsetof(sb_noise_record, waited)},
               {"halves", offsetof(sb_noise_record, halves)}};
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(sb_noise_record));
  const hid_t text = sb_h5_text_type(SB_NOISE_WORDS, H5T_CSET_ASCII);
  bool        ok = type >= 0 && text >= 0;
  for (size_t i = 0; ok && i < sizeof integers / sizeof *integers; ++i)
    ok = H5Tinsert(type, integers[i].name, integers[i].offset, H5T_NATIVE_INT32) >= 0;
  for (size_t i = 0; ok && i < sizeof counts / sizeof *counts; ++i)
    ok = H5Tinsert(type, counts[i].name, counts[i].offset, H5T_NATIVE_INT64) >= 0;
  for (size_t i = 0; ok && i < sizeof reals / sizeof *reals; ++i)
    ok = H5Tinsert(type, reals[i].name, reals[i].offset, H5T_NATIVE_DOUBLE) >= 0;
  ok = ok && H5Tinsert(type, "noisy", offsetof(sb_noise_record, noisy), text) >= 0;
  if (sb_h5_close(text) && ok) return type;
  (void)sb_h5_close(type);
  return -1;
}

bool sb_case_writer_noise(sb_case_writer *w, size_t count, const sb_noise_record *records)
{
  if (!sb_h5_watch(w->cause) || w->file < 0) return false;
  const hid_t group = sb_h5_group(w->file, "timing"), type = sb_noise_type();
  bool        ok = group >= 0 && type >= 0 && sb_h5_write_array(group, "noise", type, count, 0, records);
  ok = sb_h5_close(type) && ok;
  return sb_h5_close(group) && ok;
}

static bool end_tables(sb_case_writer *w)
{
  return sb_h5_series_end(&w->step) && sb_h5_series_end(&w->step_minimizer) && sb_h5_series_end(&w->step_linear) &&
         sb_h5_series_end(&w->step_residual) && sb_h5_series_end(&w->step_outcome) && sb_h5_series_end(&w->samples);
}

static bool write_rest(sb_case_writer *w, const sb_case_row *row, const sb_provenance *provenance)
{
  const sb_view_shape shape = {w->kept, w->vertices, w->springs, w->triangles};
  return sb_case_writer_end_frames(w) && end_tables(w) && sb_vtkhdf_write(w->file, &shape) &&
         sb_frame_views_write(w->file, &shape) && sb_case_write_row(w->file, row) &&
         sb_provenance_write(w->file, provenance);
}

static bool refuse(sb_case_writer *w, const char *cause)
{
  snprintf(w->cause, sizeof w->cause, "%s", cause);
  return false;
}

static bool sync_file(sb_case_writer *w, const char *path)
{
  const int descriptor = sb_open(path, O_RDONLY);
  if (descriptor < 0) return refuse(w, strerror(errno));
  const bool synced = TEMP_FAILURE_RETRY(fsync(descriptor)) == 0 || refuse(w, strerror(errno));
  return (close(descriptor) == 0 || refuse(w, strerror(errno))) && synced;
}

static bool publish(sb_case_writer *w)
{
  if (!sync_file(w, w->part)) return false;
  if (rename(w->part, w->path) != 0) return refuse(w, strerror(errno));
  w->finished = true;
  char      *copy = sb_copy_text(w->path);
  const bool ok = sync_file(w, dirname(copy));
  free(copy);
  return ok;
}

bool sb_case_writer_finish(sb_case_writer *w, const sb_case_row *row, const sb_provenance *provenance)
{
  if (!sb_h5_watch(w->cause) || w->file < 0 || !write_rest(w, row, provenance)) return false;
  if (H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0) return false;
  const hid_t file = w->file;
  w->file = -1;
  if (!sb_h5_close(file) || w->cause[0] != '\0') return false; /* any failure there was, also one that nobody saw */
  return sb_h5_watch(NULL) && publish(w);
}

void sb_case_writer_destroy(sb_case_writer **writer)
{
  sb_case_writer *w = *writer;
  *writer = NULL;
  if (!w) return;
  (void)sb_h5_watch(NULL);
  if (!w->finished) (void)unlink(w->part);
  if (w->cause[0] != '\0') return; /* HDF5 is not to be touched again; the process is about to leave by _exit */
  sb_h5_series *const tables[] = {&w->step,          &w->step_minimizer, &w->step_linear,
                                  &w->step_residual, &w->step_outcome,   &w->samples};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) sb_h5_series_drop(tables[i]);
  sb_case_writer_drop_frames(w);
  (void)sb_h5_close(w->file);
  free(w->path);
  free(w->part);
  free(w);
}
