/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Side-cars; see side_car.h. XDMF names plain datasets of the file only, which all readers of ParaView 5.11 accept:
 * they cannot select one frame out of many, and the functions of XDMF cannot give the ends of a spring. */
#include "cases/store/side_car.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/durable.h"
#include "cases/common/text.h"
#include "cases/store/case_file.h"

typedef struct {
  const char       *file; /* its name in the side-car */
  size_t            vertices, springs, triangles;
  bool              strained; /* strains are stored: earlier versions lacked them */
  bool              loose;    /* particles, which nothing joins */
  sb_stored_columns times;    /* one column, a row a stored frame */
} trajectory;

/* A dataset as XDMF names it: "Float" of 8 bytes and the like, and whose values they are. */
typedef struct {
  const char *number;
  int         bytes;
  size_t      rows, columns; /* columns 0: a list */
} shape;

typedef enum { SPRINGS, TRIANGLES, PARTICLES } cells_of;

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
  t->strained = sb_h5_exists(file, "springs/strain");
  t->loose = sb_h5_exists(file, "particles/all/pressure");
  return first_extent(file, "particles/all/mass", &t->vertices) &&
         first_extent(file, "connectivity/springs", &t->springs) &&
         first_extent(file, "connectivity/triangles", &t->triangles) &&
         sb_h5_read_columns(file, "particles/all/position/time", "time", &t->times);
}

/* `path` is that of the dataset in the file; with a frame's number, in /frames/<number>. */
static void put_item(FILE *stream, const trajectory *t, const shape *as, const char *path, const size_t *frame)
{
  fprintf(stream, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%zu", as->number, as->bytes,
          as->rows);
  if (as->columns > 0) fprintf(stream, " %zu", as->columns);
  fputs("\">", stream);
  sb_text_put_html(stream, t->file);
  if (frame)
    fprintf(stream, ":/frames/%zu/%s</DataItem>\n", *frame, path);
  else
    fprintf(stream, ":/%s</DataItem>\n", path);
}

static void put_attribute(FILE *stream, const trajectory *t, const char *name, const char *center, const shape *as,
                          const char *path, const size_t *frame)
{
  fprintf(stream, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">\n", name,
          as->columns > 0 ? "Vector" : "Scalar", center);
  put_item(stream, t, as, path, frame);
  fputs("</Attribute>\n", stream);
}

static void put_springs(FILE *stream, const trajectory *t, const size_t *frame)
{
  const shape strain = {"Float", 4, t->springs, 0}, stiffness = {"Float", 8, t->springs, 0},
              kind = {"UChar", 1, t->springs, 0};
  if (t->strained) put_attribute(stream, t, "strain", "Cell", &strain, "strain", frame);
  put_attribute(stream, t, "stiffness", "Cell", &stiffness, "springs/stiffness", NULL);
  put_attribute(stream, t, "kind", "Cell", &kind, "springs/kind", NULL);
}

static void put_particles(FILE *stream, const trajectory *t, const size_t *frame)
{
  const shape scalars = {"Float", 8, t->vertices, 0}, species = {"UChar", 1, t->vertices, 0};
  put_attribute(stream, t, "pressure", "Node", &scalars, "pressure", frame);
  put_attribute(stream, t, "density", "Node", &scalars, "density", frame);
  put_attribute(stream, t, "species", "Node", &species, "particles/all/species", NULL);
}

/* Particles are cells of one point each, since a point that is in no cell is not drawn. */
static void put_grid(FILE *stream, const trajectory *t, size_t frame, cells_of what)
{
  static const struct {
    const char *name, *topology, *path;
    size_t      corners;
  } kinds[] = {{"springs", "Polyline\" NodesPerElement=\"2\"", "connectivity/springs", 2},
               {"triangles", "Triangle\"", "connectivity/triangles", 3},
               {"particles", "Polyvertex\" NodesPerElement=\"1\"", "VTKHDF/Connectivity", 0}};
  const size_t count[] = {t->springs, t->triangles, t->loose ? t->vertices : 0};
  const shape  vectors = {"Float", 8, t->vertices, 3}, scalars = {"Float", 8, t->vertices, 0};
  const shape  cells = {"Int", 8, count[what], kinds[what].corners};
  if (cells.rows == 0) return;
  fprintf(stream, "<Grid Name=\"%s\" GridType=\"Uniform\">\n<Topology TopologyType=\"%s NumberOfElements=\"%zu\">\n",
          kinds[what].name, kinds[what].topology, cells.rows);
  put_item(stream, t, &cells, kinds[what].path, NULL);
  fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">\n", stream);
  put_item(stream, t, &vectors, "position", &frame);
  fputs("</Geometry>\n", stream);
  put_attribute(stream, t, "velocity", "Node", &vectors, "velocity", &frame);
  put_attribute(stream, t, "mass", "Node", &scalars, "particles/all/mass", NULL);
  if (what == SPRINGS) put_springs(stream, t, &frame);
  if (what == PARTICLES) put_particles(stream, t, &frame);
  fputs("</Grid>\n", stream);
}

static void put_all(FILE *stream, const trajectory *t)
{
  fputs(SB_SIDE_CAR_MARK "<Xdmf Version=\"3.0\">\n<Domain>\n"
                         "<Information Name=\"kind\" Value=\"0 structural, 1 shear, 2 bending\"/>\n",
        stream);
  if (t->loose) fputs("<Information Name=\"species\" Value=\"0 fluid, 1 wall\"/>\n", stream);
  fputs("<Grid Name=\"trajectory\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", stream);
  for (size_t k = 0; k < t->times.count; ++k) {
    fprintf(stream,
            "<Grid Name=\"frame %zu\" GridType=\"Collection\" CollectionType=\"Spatial\">\n<Time Value=\"%.17g\"/>\n",
            k, t->times.values[0][k]);
    for (cells_of what = SPRINGS; what <= PARTICLES; ++what) put_grid(stream, t, k, what);
    fputs("</Grid>\n", stream);
  }
  fputs("</Grid>\n</Domain>\n</Xdmf>\n", stream);
}

char *sb_side_car_path(const char *path)
{
  const size_t length = strlen(path);
  const bool   ends = length > 3 && strcmp(path + length - 3, ".h5") == 0;
  return sb_format("%.*s.xdmf", (int)(ends ? length - 3 : length), path);
}

bool sb_side_car_may_replace(const char *path)
{
  static const char mark[] = SB_SIDE_CAR_MARK;
  char              begin[sizeof mark - 1];
  struct stat       about;
  if (lstat(path, &about) != 0) return true; /* other faults appear when it is written */
  if (!S_ISREG(about.st_mode)) return false;
  const int     file = sb_open(path, O_RDONLY);
  const ssize_t got = file < 0 ? -1 : TEMP_FAILURE_RETRY(read(file, begin, sizeof begin));
  if (file >= 0) close(file);
  return got == (ssize_t)sizeof begin && memcmp(begin, mark, sizeof begin) == 0;
}

bool sb_side_car_make(const char *path, const char *name, char **text, char error[256])
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  trajectory                              t = {.file = name, .times.arena = arena};
  size_t                                  size = 0;
  const hid_t                             file = sb_case_file_open(path, error);
  const bool                              read = file >= 0 && read_trajectory(file, &t);
  *text = NULL;
  if (!sb_case_file_close(file, read, error)) return false;
  if (t.times.count == 0) return true;
  FILE *stream = sb_text_stream(text, &size);
  put_all(stream, &t);
  return fclose(stream) == 0;
}

bool sb_side_car_place(const char *path, const char *aside)
{
  return aside ? rename(aside, path) == 0 : unlink(path) == 0 || errno == ENOENT;
}
