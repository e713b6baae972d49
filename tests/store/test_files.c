/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests, growing datasets, curves and exports: what needs no MPI, on files made by the walking driver. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cases/store/export.h"

static void digest_of_nothing_is_the_published_one(void)
{
  char       hex[SB_DIGEST_LENGTH + 1];
  sb_digest *digest = sb_digest_create();
  sb_digest_hex(digest, hex);
  assert_string_equal(hex, "99aa06d3014798d86001c324468d497f"); /* xxHash's XXH3_128bits of no input */
  sb_digest_destroy(&digest);
  assert_null(digest);
}

static void digests_tell_bits_and_borders_apart(void)
{
  static const char *const texts[2][2] = {{"ab", "c"}, {"a", "bc"}};
  static const double      zeros[2] = {0.0, -0.0};
  char                     of_texts[2][SB_DIGEST_LENGTH + 1], of_reals[2][SB_DIGEST_LENGTH + 1];
  for (int i = 0; i < 2; ++i) {
    sb_digest *text = sb_digest_create(), *real = sb_digest_create();
    sb_digest_text(text, texts[i][0]);
    sb_digest_text(text, texts[i][1]);
    sb_digest_reals(real, 1, &zeros[i]);
    sb_digest_hex(text, of_texts[i]);
    sb_digest_hex(real, of_reals[i]);
    sb_digest_destroy(&text);
    sb_digest_destroy(&real);
  }
  assert_string_not_equal(of_texts[0], of_texts[1]);
  assert_string_not_equal(of_reals[0], of_reals[1]);
}

static void check_series(hid_t file, size_t rows)
{
  char              name[32];
  sb_h5_series      series;
  sb_stored_columns columns = {.arena = sb_arena_create()};
  snprintf(name, sizeof name, "rows_%zu", rows);
  sb_h5_series_begin(&series, columns.arena, file, name,
                     &(sb_h5_layout){.type = sb_h5_type('d', 0), .extents = {0, 3}, .unit = "m"});
  for (size_t i = 0; i < rows; ++i) {
    const double row[3] = {(double)i, (double)i + 0.25, -(double)i};
    sb_h5_series_append(&series, row);
  }
  sb_h5_series_end(&series);
  assert_true(sb_h5_read_columns(file, name, "c", &columns));
  assert_int_equal(columns.count, rows);
  assert_int_equal(columns.columns, 3);
  assert_string_equal(columns.names[2], "c_z");
  assert_string_equal(columns.units[0], "m");
  for (size_t i = 0; i < rows; ++i) {
    assert_true(columns.values[1][i] == (double)i + 0.25);
    assert_true(columns.values[2][i] == -(double)i);
  }
  sb_arena_destroy(&columns.arena);
}

static void series_stream_in_any_length(void)
{
  enum { BLOCK = SB_H5_SERIES_BLOCK };
  static const size_t lengths[] = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 7};
  sb_h5_watch(NULL);
  const hid_t file = sb_h5_file("series.h5", H5F_ACC_TRUNC);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) check_series(file, lengths[i]);
  assert_true(sb_h5_close(file));
  assert_true(sb_h5_good());
}

static int interruptions; /* of HDF5's own calls of open that are still to come; sb_open has O_CLOEXEC */

__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (interruptions == 0 || flags & O_CLOEXEC) return openat(AT_FDCWD, path, flags, mode);
  --interruptions;
  errno = EINTR;
  return -1;
}

static void interrupted_open_is_made_again(void)
{
  char        error[256];
  const hid_t made = sb_h5_file("interrupted.h5", H5F_ACC_TRUNC);
  assert_true(sb_h5_close(made));
  interruptions = 2;
  const hid_t file = sb_case_file_open("interrupted.h5", error);
  assert_string_equal(error, "");
  assert_int_equal(interruptions, 0);
  assert_true(sb_case_file_close(file, true, error));
}

static void cause_of_a_failure_is_kept_for_any_path(void)
{
  char path[400];
  memset(path, 'd', sizeof path);
  path[200] = '/';
  path[sizeof path - 1] = '\0';
  sb_h5_watch(NULL);
  assert_true(sb_h5_file(path, H5F_ACC_TRUNC) < 0);
  assert_string_equal(sb_h5_cause(), strerror(ENOENT));
  sb_h5_watch(NULL);
}

/* Timed columns join the run they belong to; runs come in the order they were recorded. */
static void curves_come_back(void)
{
  char                                    path[64], error[256], *text = NULL;
  size_t                                  size;
  FILE                                   *stream = open_memstream(&text, &size);
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  json_decref(fixture_store(&(fixture_order){.save = "every:3", .name = "curves"}));
  assert_true(sb_case_file_curves(fixture_path("curves", path), arena, fixture_print_run, stream, error));
  fclose(stream);
  assert_string_equal(text, "frame_1: iteration () 0 1 2 objective (J) 4 nan 1 seconds (s) 0 0.25 0.5\n"
                            "mean: iteration () 0 1\nclock: seconds (\xc2\xb5s) 0 0.25 0.5\n");
  free(text);
}

/* The last one is valid HDF5, but no case: an interrupted writer would leave such a file. */
static void files_that_are_no_cases_are_refused(void)
{
  static const char *const                paths[] = {"no_such_file.h5", "not_hdf5.h5", ".", "incomplete.h5"};
  char                                    error[256] = "";
  FILE                                   *stream = fopen("not_hdf5.h5", "w");
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  fputs("key,status\n", stream);
  fclose(stream);
  sb_h5_watch(NULL);
  assert_true(sb_h5_close(sb_h5_file("incomplete.h5", H5F_ACC_TRUNC)));
  for (size_t i = 0; i < 4; ++i) {
    assert_false(sb_case_file_is_one(paths[i]));
    if (i == 3) break;
    assert_false(sb_case_file_curves(paths[i], arena, fixture_print_run, stdout, error));
    assert_true(strlen(error) > 0 && !strchr(error, '\n'));
    assert_false(sb_export(paths[i], "csv", stdout, error));
    assert_false(sb_export(paths[i], "xdmf", stdout, error));
  }
  assert_false(sb_export("no_such_file.h5", "xlsx", stdout, error));
  assert_non_null(strstr(error, "xlsx"));
  const hid_t file = sb_case_file_open("incomplete.h5", error);
  assert_null(sb_case_file_row(file));
  assert_false(sb_case_file_close(file, false, error));
  assert_true(strlen(error) > 0);
}

/* The row of a file without this attribute; NULL: it is refused. */
static json_t *row_without(const char *attribute)
{
  char path[64], error[256];
  json_decref(fixture_store(&(fixture_order){.save = "none", .name = "without"}));
  const hid_t file = H5Fopen(fixture_path("without", path), H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0 && H5Adelete_by_name(file, "result", attribute, H5P_DEFAULT) >= 0 && H5Fclose(file) >= 0);
  const hid_t changed = sb_case_file_open(path, error);
  json_t     *row = sb_case_file_row(changed);
  assert_true(sb_case_file_close(changed, true, error));
  return row;
}

static void earlier_files_have_no_broke_off(void)
{
  json_auto_t *earlier = row_without("broke_off"), *torn = row_without("digest");
  assert_non_null(earlier);
  assert_null(json_object_get(earlier, "broke_off"));
  assert_non_null(json_object_get(earlier, "digest"));
  assert_null(torn);
}

/* A case that was stopped and continued has no time. */
static void an_unknown_time_is_blank(void)
{
  const sb_common_column *wall = sb_common_column_find("wall_s");
  sb_case_row             row = {.wall_seconds = 0.5};
  assert_int_equal(sb_case_row_common(&row, wall).kind, SB_NUMBER);
  row.wall_seconds = NAN;
  assert_int_equal(sb_case_row_common(&row, wall).kind, SB_BLANK);
}

static char *export_text(const char *to)
{
  char  *text = NULL, error[256], path[64];
  size_t size = 0;
  FILE  *stream = open_memstream(&text, &size);
  assert_true(sb_export(fixture_path("exported", path), to, stream, error));
  assert_int_equal(fclose(stream), 0);
  return text;
}

static void exports_csv(void)
{
  static const char begins[] =
      "step,time,energy_kinetic,energy_elastic,energy_gravity,energy_total,momentum_x,momentum_y,"
      "momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,last_position_x,last_position_y,"
      "last_position_z,last_velocity_x,last_velocity_y,last_velocity_z,strain_max\n0,0,";
  size_t lines = 0, commas = 0;
  json_decref(fixture_store(&(fixture_order){.save = "every:3", .name = "exported"}));
  SB_OWNED char *text = export_text("csv");
  assert_memory_equal(text, begins, sizeof begins - 1);
  for (const char *c = text; *c; ++c) {
    lines += *c == '\n';
    commas += *c == ',';
  }
  assert_int_equal(lines, 1 + 8);
  assert_int_equal(commas, 18 * lines);
}

static void exports_json(void)
{
  const char    *status = "", *unit = "";
  double         stiffness = 0;
  int            grid = 0, allow_zero_length = 1;
  json_t        *gravity = NULL, *values = NULL;
  SB_OWNED char *text = export_text("json");
  json_auto_t   *all = json_loads(text, 0, NULL);
  assert_int_equal(json_unpack(all, "{s:{s:s}, s:{s:F, s:i, s:o, s:b}, s:{s:{s:s, s:o}}}", "row", "status", &status,
                               "parameters", "stiffness", &stiffness, "grid", &grid, "gravity", &gravity,
                               "allow_zero_length", &allow_zero_length, "observables", "energy_kinetic", "unit", &unit,
                               "values", &values),
                   0);
  assert_string_equal(status, "ok");
  assert_true(stiffness == 10 && grid == 2 && !allow_zero_length && json_array_size(gravity) == 3);
  assert_string_equal(unit, "J");
  assert_int_equal(json_array_size(values), 8);
}

/* For read_case_file.py, which looks at what it names. */
static void exports_xdmf(void)
{
  SB_OWNED char *text = export_text("xdmf");
  FILE          *stream = fopen("exported.xdmf", "w");
  assert_non_null(strstr(text, ">1_exported.h5:/frames/3/position<"));
  assert_true(fputs(text, stream) >= 0);
  assert_int_equal(fclose(stream), 0);
}

static int run_group(void)
{
  return RUN_TESTS(digest_of_nothing_is_the_published_one, digests_tell_bits_and_borders_apart,
                   series_stream_in_any_length, interrupted_open_is_made_again, cause_of_a_failure_is_kept_for_any_path,
                   curves_come_back, files_that_are_no_cases_are_refused, earlier_files_have_no_broke_off,
                   an_unknown_time_is_blank, exports_csv, exports_json, exports_xdmf);
}

int main(int argc, char **argv) { return fixture_main(argc, argv, run_group); }
