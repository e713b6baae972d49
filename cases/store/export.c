/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See export.h. Numbers are the shortest that read back to the same bits. */
#include "cases/store/export.h"

#include <errno.h>
#include <string.h>

#include "base/allocate.h"
#include "base/number.h"
#include "cases/common/json_text.h"
#include "cases/store/case_file.h"
#include "cases/store/side_car.h"

static void print_csv(FILE *stream, const sb_stored_columns *columns)
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

static bool print_json(FILE *stream, hid_t file, const sb_stored_columns *columns)
{
  json_auto_t *all = json_object(), *observables = json_object();
  for (size_t i = 0; i < columns->columns; ++i) {
    json_t *values = json_array();
    for (size_t row = 0; row < columns->count; ++row)
      json_array_append_new(values, sb_json_of_real(columns->values[i][row]));
    json_object_set_new(observables, columns->names[i],
                        json_pack("{s:s, s:o}", "unit", columns->units[i], "values", values));
  }
  const bool ok = json_object_set_new(all, "row", sb_case_file_row(file)) == 0 &&
                  json_object_set_new(all, "parameters", sb_h5_attributes(file, "parameters")) == 0 &&
                  json_object_set(all, "observables", observables) == 0 &&
                  json_dumpf(all, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0;
  fputc('\n', stream);
  return ok;
}

static bool export_side_car(const char *path, FILE *stream, char error[256])
{
  SB_OWNED char *text = NULL;
  if (strchr(path, ':')) {
    snprintf(error, 256, "readers of XDMF end a file's name at a ':'; rename the file, or export from its folder");
    return false;
  }
  if (!sb_side_car_make(path, path, &text, error)) return false;
  if (text && fputs(text, stream) >= 0) return true;
  snprintf(error, 256, "%s", text ? strerror(errno) : "no state is stored in it");
  return false;
}

static bool export_content(const char *path, bool csv, FILE *stream, char error[256])
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  sb_stored_columns                       columns = {.arena = arena};
  const hid_t                             file = sb_case_file_open(path, error);
  if (file >= 0 && !sb_h5_exists(file, "result"))
    sb_h5_refuse(
        "no case of springbench has written it: it has no row; `springbench measure -o` makes a case file of a motion");
  bool ok = sb_h5_good() && sb_case_file_observables(file, &columns);
  if (ok && csv) print_csv(stream, &columns);
  if (ok && !csv) ok = print_json(stream, file, &columns);
  return sb_case_file_close(file, ok, error);
}

bool sb_export(const char *path, const char *to, FILE *stream, char error[256])
{
  const bool xdmf = strcmp(to, "xdmf") == 0, csv = strcmp(to, "csv") == 0;
  if (!xdmf && !csv && strcmp(to, "json") != 0) {
    snprintf(error, 256, "unknown form '%.40s'; choose csv, json or xdmf", to);
    return false;
  }
  if (xdmf ? !export_side_car(path, stream, error) : !export_content(path, csv, stream, error)) return false;
  if (fflush(stream) == 0 && !ferror(stream)) return true;
  snprintf(error, 256, "%s", strerror(errno));
  return false;
}
