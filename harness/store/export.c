/* Case files as CSV and JSON; see export.h. Numbers are the shortest that read back to the same bits. */
#include "harness/store/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/store/case_file_read.h"

static void print_csv(FILE *stream, const sb_columns *columns)
{
  char text[32];
  for (size_t i = 0; i < columns->columns; ++i) fprintf(stream, "%s%s", i > 0 ? "," : "", columns->names[i]);
  if (columns->columns > 0) fputc('\n', stream);
  for (size_t row = 0; row < columns->count; ++row) {
    for (size_t i = 0; i < columns->columns; ++i)
      fprintf(stream, "%s%s", i > 0 ? "," : "", sb_format_real(columns->values[i][row], text));
    fputc('\n', stream);
  }
}

static json_t *json_of_columns(const sb_columns *columns)
{
  json_t *object = json_object();
  for (size_t i = 0; i < columns->columns; ++i) {
    json_t *values = json_array();
    for (size_t row = 0; row < columns->count; ++row) {
      const double value = columns->values[i][row];
      json_array_append_new(values, isfinite(value) ? json_real(value) : json_null());
    }
    json_object_set_new(object, columns->names[i],
                        json_pack("{s:s, s:o}", "unit", columns->units[i], "values", values));
  }
  return object;
}

static bool print_json(hid_t file, FILE *stream, const sb_columns *columns)
{
  json_t *row = sb_case_file_row(file), *parameters = sb_case_file_parameters(file);
  if (!row || !parameters) {
    json_decref(row);
    json_decref(parameters);
    return false;
  }
  json_t *all =
      json_pack("{s:o, s:o, s:o}", "row", row, "parameters", parameters, "observables", json_of_columns(columns));
  const bool ok = all && json_dumpf(all, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0;
  fputc('\n', stream);
  json_decref(all);
  return ok;
}

static bool export_observables(const char *path, bool json, FILE *stream, char error[256])
{
  sb_columns  columns = {0};
  const hid_t file = sb_case_file_open(path, error);
  bool        ok = file >= 0 && sb_case_file_observables(file, &columns);
  if (ok && json)
    ok = print_json(file, stream, &columns);
  else if (ok)
    print_csv(stream, &columns);
  sb_columns_clear(&columns);
  if (!sb_case_file_close(file, ok, error)) return false;
  if (fflush(stream) == 0 && !ferror(stream)) return true;
  snprintf(error, 256, "%s", strerror(errno));
  return false;
}

bool sb_export(const char *path, const char *to, FILE *stream, char error[256])
{
  if (strcmp(to, "xdmf") == 0) return sb_xdmf_print(path, path, stream, error);
  if (strcmp(to, "csv") == 0 || strcmp(to, "json") == 0)
    return export_observables(path, strcmp(to, "json") == 0, stream, error);
  snprintf(error, 256, "unknown form '%.40s'; choose csv, json or xdmf", to);
  return false;
}
