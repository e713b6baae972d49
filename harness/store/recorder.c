/* The life of a recorder, and the row: status, accuracy, columns, digest. See recorder.h and case_file.h. */
#include "harness/store/recorder_state.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/allocate.h"
#include "harness/common/durable.h"

PetscErrorCode sb_recorder_storage_error(sb_recorder *recorder)
{
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s", sb_case_writer_error(recorder->writer));
}

PetscErrorCode sb_recorder_check_name(const char *name)
{
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
  const size_t      length = strlen(name);
  PetscFunctionBeginUser;
  PetscCheck(length >= 1 && length <= 64 && strspn(name, allowed) == length, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "'%s' is no name for a file or a figure (1 to 64 of [A-Za-z0-9._+-])", name);
  PetscFunctionReturn(0);
}

/* save: none, final, every:K */
static PetscErrorCode read_save(sb_recorder *r, const char *save)
{
  static const char every[] = "every:";
  PetscFunctionBeginUser;
  r->keep_any = strcmp(save, "none") != 0;
  if (strncmp(save, every, sizeof every - 1) == 0)
    PetscCheck(sb_parse_integer(save + sizeof every - 1, &r->keep_every) && r->keep_every > 0, r->comm,
               PETSC_ERR_ARG_OUTOFRANGE, "save=%s", save);
  PetscFunctionReturn(0);
}

static PetscErrorCode open_file(sb_recorder *r, const sb_options *options, const char *path)
{
  const sb_case_head head = {.options = options, .command = r->command, .every_frame = r->keep_every == 1};
  PetscFunctionBeginUser;
  if (r->rank != 0 || !path) PetscFunctionReturn(0);
  r->writer = sb_case_writer_create(path, &head);
  if (!sb_case_writer_good(r->writer)) PetscCall(sb_recorder_storage_error(r));
  PetscFunctionReturn(0);
}

static void describe_run(sb_recorder *r, const sb_case *c, PetscMPIInt ranks)
{
  r->provenance = (sb_provenance){.ranks = ranks,
                                  .threads = SB_INTEGER(c->options, threads),
                                  .warm_up = c->warm_up,
                                  .repetition = c->repetition,
                                  .petsc_options = r->petsc_options};
  sb_now(r->provenance.start_utc);
}

PetscErrorCode sb_recorder_create(const sb_case *c, const sb_driver *driver, const sb_case_target *target,
                                  sb_recorder **recorder)
{
  sb_recorder *r = sb_allocate(1, sizeof *r);
  PetscMPIInt  ranks;
  PetscFunctionBeginUser;
  *recorder = r;
  r->comm = c->comm;
  PetscCallMPI(MPI_Comm_rank(c->comm, &r->rank));
  PetscCallMPI(MPI_Comm_size(c->comm, &ranks));
  r->driver = driver;
  r->calibration_given_s = c->calibration_seconds;
  r->key = sb_copy_text(target->key);
  r->command = sb_copy_text(target->command);
  r->petsc_options = sb_copy_text(SB_TEXT(c->options, petsc));
  r->reason = sb_copy_text("");
  r->values = sb_allocate(driver->column_count + 1, sizeof *r->values);
  r->started_seconds = sb_clock_seconds();
  r->last_frame = -1;
  r->digest = sb_digest_create();
  describe_run(r, c, ranks);
  PetscCall(read_save(r, SB_TEXT(c->options, save)));
  PetscCall(open_file(r, c->options, target->path));
  if (target->samples_from) PetscCall(sb_recorder_join_samples(r, target->samples_from));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_status(sb_recorder *recorder, sb_status status, const char *format, ...)
{
  va_list arguments;
  PetscFunctionBeginUser;
  if (recorder->status != SB_OK || status == SB_OK) PetscFunctionReturn(0);
  recorder->status = status;
  if (!format) PetscFunctionReturn(0);
  free(recorder->reason);
  va_start(arguments, format);
  const int length = vasprintf(&recorder->reason, format, arguments);
  va_end(arguments);
  if (length < 0) recorder->reason = sb_copy_text("");
  for (char *c = recorder->reason; *c; ++c)
    if (iscntrl((unsigned char)*c)) *c = ' ';
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_accuracy(sb_recorder *recorder, bool met)
{
  PetscFunctionBeginUser;
  const bool so_far = recorder->accuracy.kind == SB_BLANK || recorder->accuracy.truth;
  recorder->accuracy = (sb_value){.kind = SB_TRUTH, .truth = so_far && met};
  PetscFunctionReturn(0);
}

static PetscErrorCode set_column(sb_recorder *r, const char *name, sb_value value)
{
  size_t i = 0;
  PetscFunctionBeginUser;
  while (i < r->driver->column_count && strcmp(r->driver->columns[i].name, name) != 0) ++i;
  PetscCheck(i < r->driver->column_count, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "driver %s has no column '%s'",
             r->driver->name, name);
  if (r->values[i].kind == SB_WORD) free((char *)(uintptr_t)r->values[i].word);
  r->values[i] = value;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_real(sb_recorder *recorder, const char *name, double value)
{
  PetscFunctionBeginUser;
  PetscCall(set_column(recorder, name, (sb_value){.kind = isfinite(value) ? SB_NUMBER : SB_BLANK, .number = value}));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_word(sb_recorder *recorder, const char *name, const char *word)
{
  PetscFunctionBeginUser;
  PetscCall(set_column(recorder, name, (sb_value){.kind = SB_WORD, .word = sb_copy_text(word)}));
  PetscFunctionReturn(0);
}

static void digest_value(sb_digest *digest, const sb_value *value)
{
  sb_digest_integer(digest, value->kind);
  if (value->kind == SB_NUMBER) sb_digest_reals(digest, 1, &value->number);
  if (value->kind == SB_WORD) sb_digest_text(digest, value->word);
  if (value->kind == SB_TRUTH) sb_digest_integer(digest, value->truth);
}

static void digest_row(sb_recorder *r)
{
  sb_digest_text(r->digest, sb_status_name(r->status));
  sb_digest_text(r->digest, r->reason);
  digest_value(r->digest, &r->accuracy);
  for (size_t i = 0; i < r->driver->column_count; ++i) {
    if (r->driver->columns[i].timing) continue;
    sb_digest_text(r->digest, r->driver->columns[i].name);
    digest_value(r->digest, &r->values[i]);
  }
  sb_digest_hex(r->digest, r->digest_hex);
}

static PetscErrorCode measure_cost(sb_recorder *r)
{
  struct rusage usage;
  double        bytes = 0;
  PetscFunctionBeginUser;
  r->wall_seconds = sb_clock_seconds() - r->started_seconds;
  if (getrusage(RUSAGE_SELF, &usage) == 0) bytes = 1024.0 * (double)usage.ru_maxrss;
  PetscCallMPI(MPI_Allreduce(&bytes, &r->max_rss_bytes, 1, MPI_DOUBLE, MPI_SUM, r->comm));
  PetscFunctionReturn(0);
}

static sb_case_row row_of(const sb_recorder *r)
{
  sb_case_row row = {.key = r->key,
                     .status = r->status,
                     .reason = r->reason,
                     .accuracy = r->accuracy,
                     .wall_seconds = r->wall_seconds,
                     .max_rss_bytes = r->max_rss_bytes,
                     .column_count = r->driver->column_count,
                     .columns = r->driver->columns,
                     .values = r->values,
                     .timing = sb_recorder_timing(r)};
  memcpy(row.digest, r->digest_hex, sizeof row.digest);
  return row;
}

PetscErrorCode sb_recorder_finish(sb_recorder *recorder)
{
  PetscFunctionBeginUser;
  PetscCall(sb_recorder_store_pending(recorder));
  PetscCall(measure_cost(recorder));
  digest_row(recorder);
  const sb_case_row row = row_of(recorder);
  if (recorder->writer && recorder->attempt_count > 0 &&
      !sb_case_writer_noise(recorder->writer, recorder->attempt_count, recorder->attempts))
    PetscCall(sb_recorder_storage_error(recorder));
  if (recorder->writer && !sb_case_writer_finish(recorder->writer, &row, &recorder->provenance))
    PetscCall(sb_recorder_storage_error(recorder));
  PetscFunctionReturn(0);
}

sb_status sb_recorder_status_now(const sb_recorder *recorder) { return recorder->status; }

char *sb_recorder_row_json(const sb_recorder *recorder)
{
  if (recorder->rank != 0) return NULL;
  const sb_case_row row = row_of(recorder);
  return sb_case_row_json(&row);
}

PetscErrorCode sb_recorder_destroy(sb_recorder **recorder)
{
  sb_recorder *r = *recorder;
  PetscFunctionBeginUser;
  if (!r) PetscFunctionReturn(0);
  *recorder = NULL;
  sb_case_writer_destroy(&r->writer);
  PetscCall(sb_recorder_destroy_frames(r));
  for (size_t i = 0; i < r->driver->column_count; ++i)
    if (r->values[i].kind == SB_WORD) free((char *)(uintptr_t)r->values[i].word);
  sb_digest_destroy(&r->digest);
  free(r->values);
  free(r->samples);
  free(r->phase_seconds);
  sb_recorder_destroy_noise(r);
  free(r->key);
  free(r->command);
  free(r->petsc_options);
  free(r->warnings);
  free(r->reason);
  free(r);
  PetscFunctionReturn(0);
}
