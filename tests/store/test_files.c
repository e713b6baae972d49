/* Digests, growing datasets, curves and exports: what needs no MPI, on files made by the walking driver. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "harness/store/export.h"

static void digest_of_nothing_is_the_published_one(void **state)
{
  char       hex[SB_DIGEST_LENGTH + 1];
  sb_digest *digest = sb_digest_create();
  (void)state;
  sb_digest_hex(digest, hex);
  assert_string_equal(hex, "99aa06d3014798d86001c324468d497f"); /* xxHash's XXH3_128bits of no input */
  sb_digest_destroy(&digest);
  assert_null(digest);
}

static void digests_tell_bits_and_borders_apart(void **state)
{
  static const char *const texts[2][2] = {{"ab", "c"}, {"a", "bc"}};
  static const double      zeros[2] = {0.0, -0.0};
  char                     of_texts[2][SB_DIGEST_LENGTH + 1], of_reals[2][SB_DIGEST_LENGTH + 1];
  (void)state;
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
  char         name[32];
  sb_h5_series series;
  sb_columns   columns = {.arena = sb_arena_create()};
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

static void series_stream_in_any_length(void **state)
{
  enum { BLOCK = SB_H5_SERIES_BLOCK };
  static const size_t lengths[] = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 7};
  (void)state;
  sb_h5_watch(NULL);
  const hid_t file = sb_h5_file("series.h5", H5F_ACC_TRUNC);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) check_series(file, lengths[i]);
  assert_true(sb_h5_close(file));
  assert_true(sb_h5_good());
}

/* "run: column (unit) value value …" a line. */
static bool look(void *context, const char *run, const sb_columns *columns)
{
  fprintf(context, "%s:", run);
  for (size_t i = 0; i < columns->columns; ++i) {
    fprintf(context, " %s (%s)", columns->names[i], columns->units[i]);
    for (size_t k = 0; k < columns->count; ++k) fprintf(context, " %g", columns->values[i][k]);
  }
  fputc('\n', context);
  return true;
}

/* Timed columns join the run they belong to; runs come in the order they were recorded. */
static void curves_come_back(void **state)
{
  char   path[64], error[256], *text = NULL;
  size_t size;
  FILE  *stream = open_memstream(&text, &size);
  (void)state;
  json_decref(fixture_store(&(fixture_order){.save = "every:3", .name = "curves"}));
  assert_true(sb_case_file_curves(fixture_path("curves", path), look, stream, error));
  fclose(stream);
  assert_string_equal(text, "frame_1: iteration () 0 1 2 objective (J) 4 nan 1 seconds (s) 0 0.25 0.5\n"
                            "mean: iteration () 0 1\nclock: seconds (\xc2\xb5s) 0 0.25 0.5\n");
  free(text);
}

static void files_that_are_none_are_refused(void **state)
{
  static const char *const paths[] = {"no_such_file.h5", "not_hdf5.h5", "."};
  char                     error[256];
  (void)state;
  FILE *stream = fopen("not_hdf5.h5", "w");
  fputs("key,status\n", stream);
  fclose(stream);
  for (size_t i = 0; i < 3; ++i) {
    assert_false(sb_case_file_is_one(paths[i]));
    assert_false(sb_case_file_curves(paths[i], look, stdout, error));
    assert_true(strlen(error) > 0 && !strchr(error, '\n'));
    assert_false(sb_export(paths[i], "csv", stdout, error));
    assert_false(sb_export(paths[i], "xdmf", stdout, error));
  }
  assert_false(sb_export("no_such_file.h5", "xlsx", stdout, error));
  assert_non_null(strstr(error, "xlsx"));
}

/* Valid HDF5, but no case: an interrupted writer would leave such a file. */
static void incomplete_files_are_refused(void **state)
{
  char error[256] = "";
  (void)state;
  sb_h5_watch(NULL);
  hid_t file = sb_h5_file("incomplete.h5", H5F_ACC_TRUNC);
  assert_true(sb_h5_close(file));
  assert_false(sb_case_file_is_one("incomplete.h5"));
  file = sb_case_file_open("incomplete.h5", error);
  assert_null(sb_case_file_row(file));
  assert_false(sb_case_file_close(file, false, error));
  assert_true(strlen(error) > 0);
}

static char *export_text(const char *path, const char *to)
{
  char  *text = NULL, error[256];
  size_t size = 0;
  FILE  *stream = open_memstream(&text, &size);
  assert_true(sb_export(path, to, stream, error));
  assert_int_equal(fclose(stream), 0);
  return text;
}

static void exports_csv(void **state)
{
  static const char header[] =
      "step,time,energy_kinetic,energy_elastic,energy_gravity,energy_total,momentum_x,momentum_y,"
      "momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,strain_max\n";
  char   path[64];
  size_t lines = 0, commas = 0;
  (void)state;
  json_decref(fixture_store(&(fixture_order){.save = "every:3", .name = "exported"}));
  char *text = export_text(fixture_path("exported", path), "csv");
  assert_memory_equal(text, header, sizeof header - 1);
  assert_memory_equal(text + sizeof header - 1, "0,0,", 4);
  for (const char *c = text; *c; ++c) {
    lines += *c == '\n';
    commas += *c == ',';
  }
  assert_int_equal(lines, 1 + 8);
  assert_int_equal(commas, 12 * lines);
  free(text);
}

static void exports_json(void **state)
{
  char    path[64];
  char   *text = export_text(fixture_path("exported", path), "json");
  json_t *all = json_loads(text, 0, NULL), *observables = json_object_get(all, "observables");
  (void)state;
  assert_string_equal(json_string_value(json_object_get(json_object_get(all, "row"), "status")), "ok");
  json_t *parameters = json_object_get(all, "parameters");
  assert_true(json_real_value(json_object_get(parameters, "stiffness")) == 10);
  assert_int_equal(json_integer_value(json_object_get(parameters, "grid")), 2);
  assert_int_equal(json_array_size(json_object_get(parameters, "gravity")), 3);
  assert_true(json_is_false(json_object_get(parameters, "line_search")));
  json_t *kinetic = json_object_get(observables, "energy_kinetic");
  assert_string_equal(json_string_value(json_object_get(kinetic, "unit")), "J");
  assert_int_equal(json_array_size(json_object_get(kinetic, "values")), 8);
  json_decref(all);
  free(text);
}

/* For read_case_file.py, which looks at what it names. */
static void exports_xdmf(void **state)
{
  char path[64];
  (void)state;
  char *text = export_text(fixture_path("exported", path), "xdmf");
  FILE *stream = fopen("exported.xdmf", "w");
  assert_non_null(strstr(text, ">1_exported.h5:/frames/3/position<"));
  assert_true(fputs(text, stream) >= 0);
  assert_int_equal(fclose(stream), 0);
  free(text);
}

static int run_group(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digest_of_nothing_is_the_published_one),
      cmocka_unit_test(digests_tell_bits_and_borders_apart),
      cmocka_unit_test(series_stream_in_any_length),
      cmocka_unit_test(curves_come_back),
      cmocka_unit_test(files_that_are_none_are_refused),
      cmocka_unit_test(incomplete_files_are_refused),
      cmocka_unit_test(exports_csv),
      cmocka_unit_test(exports_json),
      cmocka_unit_test(exports_xdmf),
  };
  return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}

int main(int argc, char **argv) { return fixture_main(argc, argv, run_group); }
