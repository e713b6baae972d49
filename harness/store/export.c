/* Case files as CSV, JSON and XDMF; see export.h. Numbers are the shortest that read back to the same bits. XDMF names
 * plain two-dimensional datasets only, which every reader takes. */
#include "harness/store/export.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/number.h"
#include "harness/common/text.h"
#include "harness/store/case_file.h"

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

static bool print_json(FILE *stream, hid_t file, const sb_columns *columns)
{
  json_auto_t *all = json_object(), *observables = json_object();
  for (size_t i = 0; i < columns->columns; ++i) {
    json_t *values = json_array();
    for (size_t row = 0; row < columns->count; ++row) {
      const double value = columns->values[i][row];
      json_array_append_new(values, isfinite(value) ? json_real(value) : json_null());
    }
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

typedef struct {
  const char *file;
  size_t      vertices, springs, triangles;
  sb_columns  times; /* one column, a row a stored frame */
} trajectory;

static bool first_extent(hid_t file, const char *path, size_t *extent)
{
  hsize_t  extents[SB_H5_RANK_MAX];
  SB_H5_ID dataset = sb_h5_open_dataset(file, path, 0, extents);
  *extent = (size_t)extents[0];
  return dataset >= 0;
}

static bool read_trajectory(hid_t file, trajectory *t)
{
  if (!sb_h5_exists(file, "frames")) return true;
  return first_extent(file, "particles/all/mass", &t->vertices) &&
         first_extent(file, "connectivity/springs", &t->springs) &&
         first_extent(file, "connectivity/triangles", &t->triangles) &&
         sb_h5_read_columns(file, "particles/all/position/time", "time", &t->times);
}

static void print_item(FILE *stream, const char *file, const char *number, const size_t extents[2], const char *path)
{
  fprintf(stream, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"8\" Dimensions=\"%zu", number, extents[0]);
  if (extents[1] > 0) fprintf(stream, " %zu", extents[1]);
  fputs("\">", stream);
  sb_text_put_html(stream, file);
  fprintf(stream, ":%s</DataItem>\n", path);
}

static void print_grid(FILE *stream, const trajectory *t, size_t frame, bool lines)
{
  const size_t state[2] = {t->vertices, 3}, scalar[2] = {t->vertices, 0};
  const size_t cells[2] = {lines ? t->springs : t->triangles, lines ? 2 : 3};
  char         path[64];
  fprintf(stream, "<Grid Name=\"%s\" GridType=\"Uniform\">\n<Topology TopologyType=\"%s NumberOfElements=\"%zu\">\n",
          lines ? "springs" : "triangles", lines ? "Polyline\" NodesPerElement=\"2\"" : "Triangle\"", cells[0]);
  print_item(stream, t->file, "Int", cells, lines ? "/connectivity/springs" : "/connectivity/triangles");
  fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">\n", stream);
  snprintf(path, sizeof path, "/frames/%zu/position", frame);
  print_item(stream, t->file, "Float", state, path);
  fputs("</Geometry>\n<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">\n", stream);
  snprintf(path, sizeof path, "/frames/%zu/velocity", frame);
  print_item(stream, t->file, "Float", state, path);
  fputs("</Attribute>\n<Attribute Name=\"mass\" AttributeType=\"Scalar\" Center=\"Node\">\n", stream);
  print_item(stream, t->file, "Float", scalar, "/particles/all/mass");
  fputs("</Attribute>\n</Grid>\n", stream);
}

static void print_xdmf(FILE *stream, const trajectory *t)
{
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
        "<Grid Name=\"trajectory\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
        stream);
  for (size_t k = 0; k < t->times.count; ++k) {
    fprintf(stream,
            "<Grid Name=\"frame %zu\" GridType=\"Collection\" CollectionType=\"Spatial\">\n<Time Value=\"%.17g\"/>\n",
            k, t->times.values[0][k]);
    if (t->springs > 0) print_grid(stream, t, k, true);
    if (t->triangles > 0) print_grid(stream, t, k, false);
    fputs("</Grid>\n", stream);
  }
  fputs("</Grid>\n</Domain>\n</Xdmf>\n", stream);
}

bool sb_export(const char *path, const char *to, FILE *stream, char error[256])
{
  const bool xdmf = strcmp(to, "xdmf") == 0, csv = strcmp(to, "csv") == 0;
  if (!xdmf && !csv && strcmp(to, "json") != 0) {
    snprintf(error, 256, "unknown form '%.40s'; choose csv, json or xdmf", to);
    return false;
  }
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  trajectory                              states = {.file = path, .times.arena = arena};
  sb_columns                              columns = {.arena = arena};
  const hid_t                             file = sb_case_file_open(path, error);
  bool ok = file >= 0 && (xdmf ? read_trajectory(file, &states) : sb_case_file_observables(file, &columns));
  if (ok && xdmf) print_xdmf(stream, &states);
  if (ok && csv) print_csv(stream, &columns);
  if (ok && !xdmf && !csv) ok = print_json(stream, file, &columns);
  if (!sb_case_file_close(file, ok, error)) return false;
  if (fflush(stream) == 0 && !ferror(stream)) return true;
  snprintf(error, 256, "%s", strerror(errno));
  return false;
}
