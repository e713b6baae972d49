/* Writing a case file, in the layout of H5MD 1.1 (de Buyl, Colberg, Höfling 2014); see case_writer.h. Steps and times
 * are stored once and linked wherever else H5MD wants them. */
#include "harness/store/case_writer.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/store/build_facts.h"
#include "harness/store/input_files.h"

/* These grow with the run; they are in the order in which they are ended. */
enum {
  STATE_STEP,
  STATE_TIME,
  FRAME_DIGEST,
  FRAME_STEP,
  FRAME_TIME,
  KINETIC, /* the first observable */
  ELASTIC,
  GRAVITY,
  TOTAL,
  MOMENTUM,
  ANGULAR_MOMENTUM,
  STRAIN,
  PENETRATION, /* the last observable: only with contact */
  STEP,
  STEP_MINIMIZER,
  STEP_LINEAR,
  STEP_RESIDUAL,
  STEP_OUTCOME,
  SAMPLES,
  SERIES
};

#define OBSERVED "observables/all/"
static const struct {
  const char *group, *name, *unit; /* an element of H5MD is a group of step, time and value */
  size_t      width;
} grown[SERIES] = {
    [STATE_STEP] = {"particles/all/position", "step", NULL, 0},
    [STATE_TIME] = {"particles/all/position", "time", "s", 0},
    [FRAME_DIGEST] = {OBSERVED "state_digest", "value", NULL, 0},
    [FRAME_STEP] = {OBSERVED "energy_kinetic", "step", NULL, 0},
    [FRAME_TIME] = {OBSERVED "energy_kinetic", "time", "s", 0},
    [KINETIC] = {OBSERVED "energy_kinetic", "value", "J", 0},
    [ELASTIC] = {OBSERVED "energy_elastic", "value", "J", 0},
    [GRAVITY] = {OBSERVED "energy_gravity", "value", "J", 0},
    [TOTAL] = {OBSERVED "energy_total", "value", "J", 0},
    [MOMENTUM] = {OBSERVED "momentum", "value", "kg m s-1", 3},
    [ANGULAR_MOMENTUM] = {OBSERVED "angular_momentum", "value", "kg m2 s-1", 3},
    [STRAIN] = {OBSERVED "strain_max", "value", NULL, 0},
    [PENETRATION] = {OBSERVED "penetration_max", "value", "m", 0},
    [STEP] = {"steps", "step", NULL, 0},
    [STEP_MINIMIZER] = {"steps", "minimizer_iterations", NULL, 0},
    [STEP_LINEAR] = {"steps", "linear_iterations", NULL, 0},
    [STEP_RESIDUAL] = {"steps", "residual", NULL, 0},
    [STEP_OUTCOME] = {"steps", "outcome", NULL, 0},
    [SAMPLES] = {"timing", "samples", NULL, 0},
};

struct sb_case_writer {
  char *path, *part; /* the name it is to have, and the name it has while it is written */
  char  cause[SB_H5_CAUSE_SIZE], error[2 * SB_H5_CAUSE_SIZE];
  bool  every_frame, finished;
  hid_t file;

  size_t       vertices, springs, triangles, kept; /* kept: frames whose state is stored */
  hid_t        position, velocity;                 /* datasets [kept][vertices][3], -1 before the first */
  bool         observed, stepped, sampled;
  int          observables_end; /* behind the last observable of this case */
  sb_h5_series series[SERIES];
};

/* ---- What is said before anything is recorded ---- */

static bool write_h5md(hid_t file)
{
  static const int64_t version[2] = {1, 1};
  const hid_t          h5md = sb_h5_group(file, "h5md"), author = sb_h5_group(file, "h5md/author");
  const hid_t          creator = sb_h5_group(file, "h5md/creator");
  const bool ok = sb_h5_put_integers(h5md, "version", 2, version) && sb_h5_put_ascii(author, "name", "springbench") &&
                  sb_h5_put_ascii(creator, "name", "springbench") &&
                  sb_h5_put_ascii(creator, "version", SB_BUILD_VERSION);
  return SB_H5_CLOSE(ok, h5md, author, creator);
}

static bool put_option(hid_t group, const sb_options *options, sb_option_id id)
{
  const sb_option *option = sb_option_at(id);
  if (!sb_options_has(options, id) || (option->traits & SB_LIMIT_ONLY)) return true;
  switch (option->kind) {
  case SB_KIND_BOOL:
    return sb_h5_put_flag(group, option->name, sb_options_flag(options, id));
  case SB_KIND_INTEGER:
    return sb_h5_put_integer(group, option->name, sb_options_integer(options, id));
  case SB_KIND_REAL:
    return sb_h5_put_reals(group, option->name, 1, &(double){sb_options_real(options, id)});
  case SB_KIND_VECTOR:
    return sb_h5_put_reals(group, option->name, 3, sb_options_vector(options, id));
  default:
    return sb_h5_put_text(group, option->name, sb_options_text(options, id));
  }
}

/* Digests of the files that options name stand beside their paths: attributes of /inputs, which is there when an option
 * names one. */
static bool write_inputs(hid_t file, const sb_options *options)
{
  hid_t group = -1;
  bool  ok = true;
  for (int id = 0; ok && id < SB_OPT_COUNT; ++id) {
    char *digest = sb_input_digest(options, (sb_option_id)id);
    if (!digest) continue;
    if (group < 0) group = sb_h5_group(file, "inputs");
    ok = sb_h5_put_text(group, sb_option_at((sb_option_id)id)->name, digest);
    free(digest);
  }
  return SB_H5_CLOSE(ok, group);
}

static bool write_head(hid_t file, const sb_options *options, const char *command)
{
  if (!write_h5md(file) || !write_inputs(file, options)) return false;
  const hid_t group = sb_h5_group(file, "parameters");
  bool        ok = sb_h5_put_text(group, "command", command);
  for (int id = 0; ok && id < SB_OPT_COUNT; ++id) ok = put_option(group, options, (sb_option_id)id);
  return SB_H5_CLOSE(ok, group);
}

sb_case_writer *sb_case_writer_create(const char *path, const sb_options *options, const char *command,
                                      bool every_frame)
{
  sb_case_writer *w = sb_allocate(1, sizeof *w);
  w->path = sb_copy_text(path);
  w->part = sb_format("%s.%ld.part", path, (long)getpid());
  w->every_frame = every_frame;
  w->file = w->position = w->velocity = -1;
  if (!sb_h5_watch(w->cause)) return w;
  w->file = sb_h5_create_file(w->part);
  if (w->file >= 0 && !write_head(w->file, options, command)) w->file = -1;
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

/* ---- What stays: masses, box, connectivity and the springs' constants ---- */

/* H5MD wants a box; ours has no boundaries. */
static bool write_box(hid_t file)
{
  static const char boundary[3][4] = {"none", "none", "none"};
  const hid_t       box = sb_h5_group(file, "particles/all/box"), type = sb_h5_text_type(4, H5T_CSET_ASCII);
  return SB_H5_CLOSE(sb_h5_put_integer(box, "dimension", 3) && sb_h5_put(box, "boundary", type, 3, boundary), type,
                     box);
}

/* H5MD: a connectivity list refers to the group whose particles it numbers. */
static bool write_connectivity(hid_t file, const char *name, size_t count, size_t width, const int32_t *numbers)
{
  hobj_ref_t         particles;
  const sb_h5_layout layout = {.type = H5T_NATIVE_INT64, .rank = 2, .extents = {count, width}};
  const hid_t        list = sb_h5_create_dataset(file, name, &layout);
  const bool         ok = list >= 0 &&
                  (count == 0 || H5Dwrite(list, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0) &&
                  H5Rcreate(&particles, file, "particles/all", H5R_OBJECT, -1) >= 0 &&
                  sb_h5_put(list, "particles_group", H5T_STD_REF_OBJ, 1, &particles);
  return SB_H5_CLOSE(ok, list);
}

bool sb_case_writer_scene(sb_case_writer *w, const sb_pose *pose)
{
  const hid_t file = w->file;
  if (!sb_h5_watch(w->cause) || file < 0) return false;
  w->vertices = pose->vertices;
  w->springs = pose->springs;
  w->triangles = pose->triangles;
  return sb_h5_make_group(file, "particles/all") && sb_h5_make_group(file, "connectivity") &&
         sb_h5_make_group(file, "springs") && write_box(file) &&
         sb_h5_write_quantity(file, "particles/all/mass", "kg", pose->vertices, 0, pose->mass) &&
         write_connectivity(file, "connectivity/springs", pose->springs, 2, pose->ends) &&
         write_connectivity(file, "connectivity/triangles", pose->triangles, 3, pose->triangle) &&
         sb_h5_write_quantity(file, "springs/stiffness", "N m-1", pose->springs, 0, pose->stiffness) &&
         sb_h5_write_quantity(file, "springs/rest_length", "m", pose->springs, 0, pose->rest_length) &&
         sb_h5_write_array(file, "springs/kind", H5T_NATIVE_UINT8, pose->springs, 0, pose->kind);
}

/* ---- What moves: states of the frames that are kept, one frame a chunk; observables of every frame ---- */

static bool begin(sb_case_writer *w, int series, hid_t type)
{
  char path[SB_H5_PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", grown[series].group, grown[series].name);
  return sb_h5_make_group(w->file, grown[series].group) &&
         sb_h5_series_begin(&w->series[series], w->file, path, grown[series].unit, type, grown[series].width);
}

static bool begin_observables(sb_case_writer *w)
{
  const hid_t digest = sb_h5_text_type(SB_DIGEST_LENGTH, H5T_CSET_ASCII);
  bool        ok = true;
  for (int i = KINETIC; ok && i < w->observables_end; ++i) ok = begin(w, i, H5T_NATIVE_DOUBLE);
  ok = ok && begin(w, FRAME_DIGEST, digest);
  if (!w->every_frame) ok = ok && begin(w, FRAME_STEP, H5T_NATIVE_INT64) && begin(w, FRAME_TIME, H5T_NATIVE_DOUBLE);
  w->observed = true;
  return SB_H5_CLOSE(ok, digest);
}

bool sb_case_writer_frame(sb_case_writer *w, const sb_frame_record *frame)
{
  const sb_energies *e = &frame->energies;
  const void *const  values[SERIES] = {
       [KINETIC] = &e->kinetic,   [ELASTIC] = &e->elastic,
       [GRAVITY] = &e->gravity,   [TOTAL] = &e->total,
       [MOMENTUM] = e->momentum,  [ANGULAR_MOMENTUM] = e->angular_momentum,
       [STRAIN] = &e->strain_max, [PENETRATION] = &frame->penetration_max,
  };
  if (!w->observed) w->observables_end = frame->contact ? PENETRATION + 1 : PENETRATION;
  if (!sb_h5_watch(w->cause) || (!w->observed && !begin_observables(w))) return false;
  for (int i = KINETIC; i < w->observables_end; ++i)
    if (!sb_h5_series_append(&w->series[i], values[i])) return false;
  if (!sb_h5_series_append(&w->series[FRAME_DIGEST], frame->digest)) return false;
  return w->every_frame || (sb_h5_series_append(&w->series[FRAME_STEP], &frame->step) &&
                            sb_h5_series_append(&w->series[FRAME_TIME], &frame->time_seconds));
}

static hid_t create_states(const sb_case_writer *w, const char *group, const char *unit)
{
  char               name[SB_H5_PATH_SIZE];
  const sb_h5_layout layout = {
      .type = H5T_NATIVE_DOUBLE, .rank = 3, .extents = {0, w->vertices, 3}, .rows_a_chunk = 1, .unit = unit};
  snprintf(name, sizeof name, "%s/value", group);
  return sb_h5_make_group(w->file, group) ? sb_h5_create_dataset(w->file, name, &layout) : -1;
}

static bool begin_states(sb_case_writer *w)
{
  w->position = create_states(w, "particles/all/position", "m");
  w->velocity = create_states(w, "particles/all/velocity", "m s-1");
  return w->position >= 0 && w->velocity >= 0 && begin(w, STATE_STEP, H5T_NATIVE_INT64) &&
         begin(w, STATE_TIME, H5T_NATIVE_DOUBLE);
}

/* A frame is a chunk, so it goes to the file without a copy in the chunk cache. */
static bool append_state(const sb_case_writer *w, hid_t dataset, const double *values)
{
  const hsize_t extents[3] = {w->kept + 1, w->vertices, 3}, start[3] = {w->kept, 0, 0};
  return H5Dset_extent(dataset, extents) >= 0 &&
         H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, start, w->vertices * 3 * sizeof *values, values) >= 0;
}

bool sb_case_writer_state(sb_case_writer *w, int64_t step, double time_seconds, const double *x, const double *v)
{
  if (!sb_h5_watch(w->cause) || (w->position < 0 && !begin_states(w))) return false;
  if (!append_state(w, w->position, x) || !append_state(w, w->velocity, v)) return false;
  w->kept++;
  return sb_h5_series_append(&w->series[STATE_STEP], &step) &&
         sb_h5_series_append(&w->series[STATE_TIME], &time_seconds);
}

bool sb_case_writer_memory(sb_case_writer *w, const char *name, int64_t step, const double *values)
{
  if (!sb_h5_watch(w->cause) || w->file < 0) return false;
  const bool  first = !sb_h5_exists(w->file, "restart");
  const hid_t group = sb_h5_group(w->file, "restart");
  const bool  ok = (!first || sb_h5_put_integer(group, "step", step)) &&
                  sb_h5_write_array(group, name, H5T_NATIVE_DOUBLE, w->vertices, 3, values);
  return SB_H5_CLOSE(ok, group);
}

/* ---- Tables and curves ---- */

static bool begin_steps(sb_case_writer *w)
{
  const hid_t outcome = sb_h5_text_type(SB_STEP_OUTCOME_SIZE, H5T_CSET_ASCII), integer = H5T_NATIVE_INT64;
  w->stepped = true;
  return SB_H5_CLOSE(begin(w, STEP, integer) && begin(w, STEP_MINIMIZER, integer) && begin(w, STEP_LINEAR, integer) &&
                         begin(w, STEP_RESIDUAL, H5T_NATIVE_DOUBLE) && begin(w, STEP_OUTCOME, outcome),
                     outcome);
}

bool sb_case_writer_step(sb_case_writer *w, const sb_step_record *step)
{
  const void *const values[] = {&step->step, &step->minimizer_iterations, &step->linear_iterations, &step->residual,
                                step->outcome};
  if (!sb_h5_watch(w->cause) || (!w->stepped && !begin_steps(w))) return false;
  for (int i = STEP; i <= STEP_OUTCOME; ++i)
    if (!sb_h5_series_append(&w->series[i], values[i - STEP])) return false;
  return true;
}

bool sb_case_writer_curve(sb_case_writer *w, const sb_curve_name *curve, size_t count, const double *values)
{
  char path[SB_H5_PATH_SIZE];
  if (!sb_h5_watch(w->cause) || w->file < 0) return false;
  snprintf(path, sizeof path, "%s/%s", curve->timing ? "timing/convergence" : "convergence", curve->run);
  const hid_t group = sb_h5_group(w->file, path);
  return SB_H5_CLOSE(group >= 0 && sb_h5_write_curve(group, curve->name, curve->unit, count, values), group);
}

static bool begin_samples(sb_case_writer *w)
{
  const hid_t type = sb_sample_type();
  w->sampled = true;
  return SB_H5_CLOSE(begin(w, SAMPLES, type), type);
}

bool sb_case_writer_sample(sb_case_writer *w, const sb_sample_record *sample)
{
  if (!sb_h5_watch(w->cause) || w->file < 0 || (!w->sampled && !begin_samples(w))) return false;
  return sb_h5_series_append(&w->series[SAMPLES], sample);
}

bool sb_case_writer_noise(sb_case_writer *w, size_t count, const sb_noise_record *records)
{
  if (!sb_h5_watch(w->cause) || w->file < 0) return false;
  const hid_t group = sb_h5_group(w->file, "timing"), type = sb_noise_type();
  return SB_H5_CLOSE(group >= 0 && type >= 0 && sb_h5_write_array(group, "noise", type, count, 0, records), type,
                     group);
}

/* ---- Views for ParaView: /VTKHDF (the VTK file format's chapter on VTKHDF, UnstructuredGrid, Version 2.0) and
 * /frames, as virtual datasets in the same file: no state is stored twice. The net does not change, so all steps share
 * one part, one list of cells and the offsets 0; only points and velocities advance, by one frame a step. ---- */

enum { VTK_LINE = 3, VTK_TRIANGLE = 5 };

/* The selection of `space` shows the dataset `source` of this file: all of it, or only row number *row. */
static bool map_source(hid_t plist, hid_t space, const char *source, const hsize_t extents[3], const hsize_t *row)
{
  const hid_t   from = H5Screate_simple(extents[2] > 0 ? 3 : 2, extents, NULL);
  const hsize_t start[3] = {row ? *row : 0, 0, 0}, count[3] = {1, extents[1], extents[2]};
  const bool selected = from >= 0 && (!row || H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
  return SB_H5_CLOSE(selected && H5Pset_virtual(plist, space, ".", source, from) >= 0, from);
}

static bool create_virtual(hid_t file, const char *name, hid_t type, hid_t space, hid_t plist)
{
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  return dataset >= 0 && sb_h5_close(dataset);
}

/* `name` [rows][3]: all frames of `source` one after another, or only frame number *frame. */
static bool view_states(const sb_case_writer *w, const char *name, const char *source, const hsize_t *frame)
{
  const hsize_t stored[3] = {w->kept, w->vertices, 3};
  const hsize_t extents[2] = {frame ? w->vertices : w->kept * w->vertices, 3};
  const hid_t   space = H5Screate_simple(2, extents, NULL), plist = sb_h5_dataset_plist();
  const bool    ok = space >= 0 && plist >= 0 && map_source(plist, space, source, stored, frame) &&
                  create_virtual(w->file, name, H5T_NATIVE_DOUBLE, space, plist);
  return SB_H5_CLOSE(ok, space, plist);
}

static bool map_list(hid_t plist, hid_t space, hsize_t start, const char *source, const hsize_t extents[3])
{
  const hsize_t count = extents[0] * extents[1];
  return count == 0 || (H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
                        map_source(plist, space, source, extents, NULL));
}

/* Connectivity: the ends of the springs, then the corners of the triangles. */
static bool view_connectivity(const sb_case_writer *w)
{
  const hsize_t springs[3] = {w->springs, 2, 0}, triangles[3] = {w->triangles, 3, 0};
  const hsize_t total = 2 * w->springs + 3 * w->triangles;
  const hid_t   space = H5Screate_simple(1, &total, NULL), plist = sb_h5_dataset_plist();
  const bool    ok = space >= 0 && plist >= 0 && map_list(plist, space, 0, "/connectivity/springs", springs) &&
                  map_list(plist, space, 2 * w->springs, "/connectivity/triangles", triangles) &&
                  H5Sselect_all(space) >= 0 &&
                  create_virtual(w->file, "VTKHDF/Connectivity", H5T_NATIVE_INT64, space, plist);
  return SB_H5_CLOSE(ok, space, plist);
}

static bool write_cells(const sb_case_writer *w)
{
  const size_t cells = w->springs + w->triangles;
  int64_t     *offsets = sb_allocate(cells + 1, sizeof *offsets);
  uint8_t     *types = sb_allocate(cells + 1, 1);
  for (size_t i = 0; i < cells; ++i) {
    const bool line = i < w->springs;
    types[i] = line ? VTK_LINE : VTK_TRIANGLE;
    offsets[i + 1] = offsets[i] + (line ? 2 : 3);
  }
  const bool ok = sb_h5_write_array(w->file, "VTKHDF/Offsets", H5T_NATIVE_INT64, cells + 1, 0, offsets) &&
                  sb_h5_write_array(w->file, "VTKHDF/Types", H5T_NATIVE_UINT8, cells, 0, types);
  free(offsets);
  free(types);
  return ok;
}

/* VTKHDF/<name>: `count` rows first, first + stride, …; width as in sb_h5_write_array. */
static bool write_sequence(hid_t file, const char *name, size_t count, size_t width, size_t first, size_t stride)
{
  char     path[SB_H5_PATH_SIZE];
  int64_t *values = sb_allocate(count, sizeof *values);
  for (size_t i = 0; i < count; ++i) values[i] = (int64_t)(first + i * stride);
  snprintf(path, sizeof path, "VTKHDF/%s", name);
  const bool ok = sb_h5_write_array(file, path, H5T_NATIVE_INT64, count, width, values);
  free(values);
  return ok;
}

static bool write_view_steps(const sb_case_writer *w)
{
  const hid_t  file = w->file, steps = sb_h5_group(file, "VTKHDF/Steps");
  const size_t frames = w->kept;
  const bool   ok = sb_h5_make_group(file, "VTKHDF/Steps/PointDataOffsets") &&
                  sb_h5_put_integer(steps, "NSteps", (int64_t)frames) &&
                  sb_h5_link(file, "/particles/all/position/time", "VTKHDF/Steps/Values") &&
                  write_sequence(file, "Steps/PartOffsets", frames, 0, 0, 0) &&
                  write_sequence(file, "Steps/NumberOfParts", frames, 0, 1, 0) &&
                  write_sequence(file, "Steps/PointOffsets", frames, 0, 0, w->vertices) &&
                  write_sequence(file, "Steps/CellOffsets", frames, 1, 0, 0) &&
                  sb_h5_link(file, "/VTKHDF/Steps/CellOffsets", "VTKHDF/Steps/ConnectivityIdOffsets") &&
                  sb_h5_link(file, "/VTKHDF/Steps/PointOffsets", "VTKHDF/Steps/PointDataOffsets/velocity") &&
                  sb_h5_link(file, "/VTKHDF/Steps/PartOffsets", "VTKHDF/Steps/PointDataOffsets/mass");
  return SB_H5_CLOSE(ok, steps);
}

/* Needs /particles/all/{position,velocity} and /connectivity in their final extent. */
static bool write_vtkhdf(const sb_case_writer *w)
{
  static const int64_t version[2] = {2, 0};
  const hid_t          file = w->file, group = sb_h5_group(file, "VTKHDF");
  const bool ok = sb_h5_make_group(file, "VTKHDF/PointData") && sb_h5_put_integers(group, "Version", 2, version) &&
                  sb_h5_put_ascii(group, "Type", "UnstructuredGrid") &&
                  write_sequence(file, "NumberOfPoints", 1, 0, w->vertices, 0) &&
                  write_sequence(file, "NumberOfCells", 1, 0, w->springs + w->triangles, 0) &&
                  write_sequence(file, "NumberOfConnectivityIds", 1, 0, 2 * w->springs + 3 * w->triangles, 0) &&
                  write_cells(w) && view_connectivity(w) &&
                  view_states(w, "VTKHDF/Points", "/particles/all/position/value", NULL) &&
                  view_states(w, "VTKHDF/PointData/velocity", "/particles/all/velocity/value", NULL) &&
                  sb_h5_link(file, "/particles/all/mass", "VTKHDF/PointData/mass") && write_view_steps(w);
  return SB_H5_CLOSE(ok, group);
}

/* /frames/<k>/{position,velocity}: the k-th stored state as plain two-dimensional datasets, which XDMF can name. */
static bool write_frame_views(const sb_case_writer *w)
{
  char group[SB_H5_PATH_SIZE], name[SB_H5_PATH_SIZE + 16];
  for (hsize_t k = 0; k < w->kept; ++k) {
    snprintf(group, sizeof group, "frames/%llu", (unsigned long long)k);
    if (!sb_h5_make_group(w->file, group)) return false;
    snprintf(name, sizeof name, "%s/position", group);
    if (!view_states(w, name, "/particles/all/position/value", &k)) return false;
    snprintf(name, sizeof name, "%s/velocity", group);
    if (!view_states(w, name, "/particles/all/velocity/value", &k)) return false;
  }
  return true;
}

/* ---- The end ---- */

static bool link_times(hid_t file, const char *source, const char *target)
{
  static const char *const names[] = {"step", "time"};
  char                     from[SB_H5_PATH_SIZE], to[SB_H5_PATH_SIZE];
  for (int i = 0; i < 2; ++i) {
    snprintf(from, sizeof from, "%s/%s", source, names[i]);
    snprintf(to, sizeof to, "%s/%s", target, names[i]);
    if (!sb_h5_link(file, from, to)) return false;
  }
  return true;
}

static bool link_observables(const sb_case_writer *w)
{
  const char *source = w->every_frame ? grown[STATE_STEP].group : grown[FRAME_STEP].group;
  for (int i = w->every_frame ? KINETIC : KINETIC + 1; i < w->observables_end; ++i)
    if (!link_times(w->file, source, grown[i].group)) return false;
  return link_times(w->file, source, grown[FRAME_DIGEST].group);
}

/* Ends what grew, and makes the links between steps and times. */
static bool end_series(sb_case_writer *w)
{
  for (int i = 0; i < SERIES; ++i)
    if (!sb_h5_series_end(&w->series[i])) return false;
  const bool closed = SB_H5_CLOSE(true, w->position, w->velocity);
  w->position = w->velocity = -1;
  return closed && (w->kept == 0 || link_times(w->file, "particles/all/position", "particles/all/velocity")) &&
         (!w->observed || link_observables(w));
}

static bool put_value(hid_t group, const char *name, const sb_value *value)
{
  switch (value->kind) {
  case SB_NUMBER:
    return sb_h5_put_reals(group, name, 1, &value->number);
  case SB_WORD:
    return sb_h5_put_text(group, name, value->word);
  case SB_TRUTH:
    return sb_h5_put_flag(group, name, value->truth);
  default:
    return sb_h5_put_blank(group, name);
  }
}

static bool put_columns(hid_t group, const sb_case_row *row, bool timing)
{
  bool ok = true;
  for (size_t i = 0; ok && i < row->driver->column_count; ++i)
    if (row->driver->columns[i].timing == timing) ok = put_value(group, row->driver->columns[i].name, &row->values[i]);
  return ok;
}

/* Columns that are timings, and what the run cost, stand below /timing, apart from what equal runs share. */
static bool write_row(hid_t file, const sb_case_row *row)
{
  const hid_t result = sb_h5_group(file, "result"), timing = sb_h5_group(file, "timing/result");
  const bool  ok = sb_h5_put_text(result, "key", row->key) &&
                  sb_h5_put_text(result, "status", sb_status_name(row->status)) &&
                  sb_h5_put_text(result, "reason", row->reason) && put_value(result, "accuracy_ok", &row->accuracy) &&
                  sb_h5_put_text(result, "digest", row->digest) && put_columns(result, row, false) &&
                  sb_h5_put_reals(timing, "wall_s", 1, &row->wall_seconds) &&
                  sb_h5_put_reals(timing, "max_rss_bytes", 1, &row->max_rss_bytes) && put_columns(timing, row, true);
  return SB_H5_CLOSE(ok, result, timing);
}

static bool publish(sb_case_writer *w)
{
  char *folder = sb_copy_text(w->path);
  w->finished = sb_sync_file(w->part) && rename(w->part, w->path) == 0;
  const bool good = w->finished && sb_sync_file(dirname(folder));
  if (!good) snprintf(w->cause, sizeof w->cause, "%s", strerror(errno));
  free(folder);
  return good;
}

bool sb_case_writer_finish(sb_case_writer *w, const sb_case_row *row, const sb_provenance *provenance)
{
  if (!sb_h5_watch(w->cause) || w->file < 0 || !end_series(w)) return false;
  if (w->kept > 0 && !(write_vtkhdf(w) && write_frame_views(w))) return false;
  if (!write_row(w->file, row) || !sb_provenance_write(w->file, provenance)) return false;
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
  for (int i = 0; i < SERIES; ++i) sb_h5_series_drop(&w->series[i]);
  (void)SB_H5_CLOSE(true, w->position, w->velocity, w->file);
  free(w->path);
  free(w->part);
  free(w);
}
