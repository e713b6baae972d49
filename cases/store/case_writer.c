/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See case_writer.h. The layout is H5MD 1.1 (de Buyl, Colberg, Höfling 2014). Steps and times are stored once and
 * linked from its other places. The cause of a failure is kept in `cause` (hdf5_tools.h). */
#include "cases/store/case_writer.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/durable.h"
#include "cases/common/seal.h"
#include "cases/store/build_facts.h"
#include "cases/store/input_files.h"
#include "cases/store/side_car.h"

#define STATES    "particles/all/position"
#define OBSERVED  "observables/"
#define FRAME(at) offsetof(sb_frame_record, at)
#define DONE(at)  offsetof(sb_step_record, at)
/* These grow with the run; they are in the order in which they are ended. An element of H5MD is a group of step, time
 * and value. Number, group, name, kind as sb_h5_type has it (0: a sample), unit, components of a vector or letters of a
 * text, place in its record. The observables are those from KINETIC on; PENETRATION is there only with contact. States
 * carry no unit, which H5MD leaves open: MDAnalysis refuses metres, and any text of fixed length, which H5MD wants. The
 * module `units` states that they are in SI units. */
#define GROWN(SERIES)                                                                                                  \
  SERIES(STATE_STEP, STATES, "step", 'l', NULL, 0, FRAME(step))                                                        \
  SERIES(STATE_TIME, STATES, "time", 'd', NULL, 0, FRAME(time_seconds))                                                \
  SERIES(FRAME_DIGEST, OBSERVED "state_digest", "value", 't', NULL, SB_DIGEST_LENGTH, FRAME(digest))                   \
  SERIES(FRAME_STEP, OBSERVED "energy_kinetic", "step", 'l', NULL, 0, FRAME(step))                                     \
  SERIES(FRAME_TIME, OBSERVED "energy_kinetic", "time", 'd', "s", 0, FRAME(time_seconds))                              \
  SERIES(KINETIC, OBSERVED "energy_kinetic", "value", 'd', "J", 0, FRAME(energies.kinetic))                            \
  SERIES(ELASTIC, OBSERVED "energy_elastic", "value", 'd', "J", 0, FRAME(energies.elastic))                            \
  SERIES(GRAVITY, OBSERVED "energy_gravity", "value", 'd', "J", 0, FRAME(energies.gravity))                            \
  SERIES(TOTAL, OBSERVED "energy_total", "value", 'd', "J", 0, FRAME(energies.total))                                  \
  SERIES(MOMENTUM, OBSERVED "momentum", "value", 'd', "kg m s-1", 3, FRAME(energies.momentum))                         \
  SERIES(TURN, OBSERVED "angular_momentum", "value", 'd', "kg m+2 s-1", 3, FRAME(energies.angular_momentum))           \
  SERIES(LAST_PLACE, OBSERVED "last_position", "value", 'd', "m", 3, FRAME(last_position))                             \
  SERIES(LAST_SPEED, OBSERVED "last_velocity", "value", 'd', "m s-1", 3, FRAME(last_velocity))                         \
  SERIES(STRAIN, OBSERVED "strain_max", "value", 'd', NULL, 0, FRAME(energies.strain_max))                             \
  SERIES(PENETRATION, OBSERVED "penetration_max", "value", 'd', "m", 0, FRAME(penetration_max))                        \
  SERIES(STEP, "steps", "step", 'l', NULL, 0, DONE(step))                                                              \
  SERIES(STEP_MINIMIZER, "steps", "minimizer_iterations", 'l', NULL, 0, DONE(minimizer_iterations))                    \
  SERIES(STEP_LINEAR, "steps", "linear_iterations", 'l', NULL, 0, DONE(linear_iterations))                             \
  SERIES(STEP_RESIDUAL, "steps", "residual", 'd', NULL, 0, DONE(residual))                                             \
  SERIES(STEP_OUTCOME, "steps", "outcome", 't', NULL, SB_STEP_OUTCOME_SIZE, DONE(outcome))                             \
  SERIES(SAMPLES, "timing", "samples", 0, NULL, 0, 0)

#define NUMBER(number, ...) number,
#define ENTRY(number, ...)  {__VA_ARGS__},
enum { GROWN(NUMBER) SERIES };
static const struct {
  const char *group, *name;
  char        kind;
  const char *unit;
  size_t      width, place;
} grown[SERIES] = {GROWN(ENTRY)};

/* The stored parts of a state, one chunk per frame. Strains are for pictures: they follow from the positions, and have
 * the digits that a picture shows. Pressures and densities of particles follow from no other number here, and have all
 * their digits. Units are those in 2 and in 3 dimensions. */
enum { POSITION, VELOCITY, SPRING_STRAIN, PRESSURE, DENSITY, STATES_KEPT };
static const struct {
  const char *group, *view; /* view: its name in /frames/<k> */
  size_t      width;
  bool        of_springs, of_particles, single;
  const char *unit[2];
} kept_as[STATES_KEPT] = {
    [POSITION] = {STATES, "position", .width = 3},
    [VELOCITY] = {"particles/all/velocity", "velocity", .width = 3},
    [SPRING_STRAIN] = {"springs/strain", "strain", .width = 1, .of_springs = true, .single = true},
    [PRESSURE] = {"particles/all/pressure", "pressure", .width = 1, .of_particles = true, .unit = {"N m-1", "N m-2"}},
    [DENSITY] = {"particles/all/density", "density", .width = 1, .of_particles = true, .unit = {"kg m-2", "kg m-3"}},
};

struct sb_case_writer {
  sb_arena    *arena;
  const char  *path, *part; /* the name it is to have, and the name it has while it is written */
  char         cause[SB_H5_CAUSE_SIZE];
  bool         every_frame, keeps, side_car, finished; /* keeps states: option save is not none */
  bool         continued;
  hid_t        file;
  int          dimensions;                         /* of the fluid whose particles the vertices are; 0: a net */
  size_t       vertices, springs, triangles, kept; /* kept: frames whose state is stored */
  int32_t     *ends;                               /* [springs][2] */
  double      *rest_length;                        /* [springs] */
  float       *strain;                             /* [springs], of the current state */
  hid_t        states[STATES_KEPT];                /* datasets [kept][…], -1 before the first */
  sb_h5_series series[SERIES];
};

/* Every call begins by this: true when there is something to write to. */
static bool goes_on(sb_case_writer *w)
{
  if (!w) return false;
  sb_h5_watch(w->cause);
  return sb_h5_good();
}

/* ---- Before anything is recorded ---- */

/* The author and program of the file, and that its units are those of H5MD's module `units` in the system SI. */
static void write_h5md(sb_case_writer *w)
{
  static const int64_t version[2] = {1, 1}, units_version[2] = {1, 0};
  SB_H5_ID             h5md = sb_h5_group(w->file, "h5md"), author = sb_h5_group(h5md, "author");
  SB_H5_ID             creator = sb_h5_group(h5md, "creator"), units = sb_h5_group(h5md, "modules/units");
  sb_h5_put(h5md, "version", H5T_NATIVE_INT64, 2, version);
  sb_h5_put_text(author, "name", sb_author_name(w->arena));
  sb_h5_put_ascii(creator, "name", "springbench");
  sb_h5_put_ascii(creator, "version", SB_BUILD_VERSION);
  sb_h5_put(units, "version", H5T_NATIVE_INT64, 2, units_version);
  sb_h5_put_ascii(units, "system", "SI");
}

/* Truth as h5py writes bool. */
static void put_value(hid_t object, const char *name, const sb_value *value)
{
  static const int8_t truths[2] = {0, 1};
  if (value->kind == SB_WORD) {
    sb_h5_put_text(object, name, value->word);
  } else if (value->kind == SB_TRUTH) {
    SB_H5_ID type = H5Tenum_create(H5T_STD_I8LE);
    H5Tenum_insert(type, "FALSE", &truths[0]);
    H5Tenum_insert(type, "TRUE", &truths[1]);
    sb_h5_put(object, name, type, 1, &truths[value->truth]);
  } else {
    sb_h5_put(object, name, H5T_NATIVE_DOUBLE, value->kind == SB_NUMBER, &value->number);
  }
}

const char *sb_case_part(sb_arena *arena, const char *path)
{
  return sb_arena_format(arena, "%s.%ld.part", path, (long)getpid());
}

static void write_parameters(hid_t file, const char *command, const sb_options *options)
{
  SB_H5_ID parameters = sb_h5_group(file, "parameters");
  sb_h5_put_text(parameters, "command", command);
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const sb_option *option = sb_option_at(id);
    if (!sb_options_has(options, id) || (option->traits & SB_LIMIT_ONLY)) continue;
    if (option->kind == SB_KIND_BOOL)
      put_value(parameters, option->name, &(sb_value){.kind = SB_TRUTH, .truth = sb_options_flag(options, id)});
    else if (option->kind == SB_KIND_INTEGER)
      sb_h5_put_integer(parameters, option->name, sb_options_integer(options, id));
    else if (option->kind == SB_KIND_REAL && !isnan(sb_options_real(options, id))) /* else a word, such as auto */
      sb_h5_put(parameters, option->name, H5T_NATIVE_DOUBLE, 1, &(double){sb_options_real(options, id)});
    else if (option->kind == SB_KIND_VECTOR)
      sb_h5_put(parameters, option->name, H5T_NATIVE_DOUBLE, 3, sb_options_vector(options, id));
    else
      sb_h5_put_text(parameters, option->name, sb_options_text(options, id));
  }
}

sb_case_writer *sb_case_writer_create(sb_arena *arena, const sb_case_target *target, const sb_options *options,
                                      bool every_frame, bool continued)
{
  sb_case_writer *w = sb_arena_take(arena, 1, sizeof *w);
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  *w = (sb_case_writer){.arena = arena,
                        .path = sb_arena_copy(arena, target->path),
                        .part = sb_case_part(arena, target->path),
                        .every_frame = every_frame,
                        .continued = continued,
                        .keeps = strcmp(SB_TEXT(options, save), "none") != 0,
                        .side_car = target->side_car,
                        .dimensions = scene && scene->particles ? (int)SB_INTEGER(options, dimensions) : 0,
                        .file = -1,
                        .states = {-1, -1, -1, -1, -1}};
  if (goes_on(w)) w->file = sb_h5_file(w->part, continued ? H5F_ACC_RDWR : H5F_ACC_TRUNC);
  if (w->file < 0 || continued) return w;
  write_h5md(w);
  /* Digests of the files that options name: attributes of /inputs, which exists if an option names one. */
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    SB_OWNED char *digest = id == SB_ID(restart) ? NULL : sb_input_digest(options, id, NULL);
    if (!digest) continue;
    SB_H5_ID inputs = sb_h5_group(w->file, "inputs");
    sb_h5_put_text(inputs, sb_option_at(id)->name, digest);
  }
  write_parameters(w->file, target->command, options);
  return w;
}

const char *sb_case_writer_error(const sb_case_writer *w)
{
  char size[32];
  if (!w || w->cause[0] == '\0') return NULL;
  const double room = sb_tells_of_room(w->cause) ? sb_free_bytes(w->path) : -1;
  const char  *error = sb_arena_format(w->arena, "cannot write '%s': %s", w->path, w->cause);
  return room < 0 ? error : sb_arena_format(w->arena, "%s (%s free)", error, sb_format_bytes(room, size));
}

/* ---- What stays: masses, box, connectivity and the springs' constants ---- */

/* H5MD: a connectivity list refers to the group whose particles it numbers. */
static void write_connectivity(hid_t file, const char *name, size_t count, size_t width, const int32_t *numbers)
{
  hobj_ref_t particles;
  SB_H5_ID   list = sb_h5_create_dataset(file, name, &(sb_h5_layout){H5T_NATIVE_INT64, {count, width}, NULL, 0});
  if (count > 0) H5Dwrite(list, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
  H5Rcreate(&particles, file, "particles/all", H5R_OBJECT, -1);
  sb_h5_put(list, "particles_group", H5T_STD_REF_OBJ, 1, &particles);
}

void sb_case_writer_scene(sb_case_writer *w, const sb_slab *counts, const bool *pinned)
{
  static const char none[3][4] = {"none", "none", "none"};
  if (!goes_on(w)) return;
  w->vertices = counts->vertices;
  w->springs = counts->springs;
  w->triangles = counts->triangles;
  if (w->continued) return;
  SB_H5_ID all = sb_h5_group(w->file, "particles/all");
  sb_h5_close(sb_h5_group(w->file, "connectivity"));
  sb_h5_close(sb_h5_group(w->file, "springs"));
  SB_H5_ID box = sb_h5_group(all, "box"), text = sb_h5_type('t', 4);
  sb_h5_put_integer(box, "dimension", 3);
  sb_h5_put(box, "boundary", text, 3, none); /* H5MD wants a box; ours has no boundaries */
  if (w->dimensions == 0) return;
  /* H5MD's word for the kinds of particles: 0 those of the fluid, 1 those of walls. */
  SB_OWNED uint8_t *species = sb_allocate(w->vertices, sizeof *species);
  for (size_t i = 0; i < w->vertices; ++i) species[i] = pinned[i];
  sb_h5_write(all, "species", &(sb_h5_layout){H5T_NATIVE_UINT8, {w->vertices}, NULL, 0}, species);
}

static void *copy_items(sb_arena *arena, size_t count, size_t size, const void *items)
{
  return memcpy(sb_arena_take(arena, count, size), items, count * size);
}

void sb_case_writer_scene_array(sb_case_writer *w, sb_scene_array array, const void *values)
{
  static const struct {
    const char *path, *unit;
    size_t      width; /* of a connectivity list; 0: a number each */
  } stored[] = {[SB_SCENE_MASSES] = {"particles/all/mass", "kg", 0},
                [SB_SCENE_STIFFNESSES] = {"springs/stiffness", "N m-1", 0},
                [SB_SCENE_REST_LENGTHS] = {"springs/rest_length", "m", 0},
                [SB_SCENE_ENDS] = {"connectivity/springs", NULL, 2},
                [SB_SCENE_KINDS] = {"springs/kind", NULL, 0},
                [SB_SCENE_TRIANGLES] = {"connectivity/triangles", NULL, 3}};
  if (!goes_on(w)) return;
  const size_t rows = array == SB_SCENE_MASSES ? w->vertices : array == SB_SCENE_TRIANGLES ? w->triangles : w->springs;
  const hid_t  type = array == SB_SCENE_KINDS ? H5T_NATIVE_UINT8 : H5T_NATIVE_DOUBLE;
  /* Strains are computed from these when states come. Particles have no springs. */
  const bool keeps = w->keeps && w->springs > 0;
  if (keeps && array == SB_SCENE_ENDS) w->ends = copy_items(w->arena, 2 * rows, sizeof *w->ends, values);
  if (keeps && array == SB_SCENE_REST_LENGTHS) {
    w->rest_length = copy_items(w->arena, rows, sizeof *w->rest_length, values);
    w->strain = sb_arena_take(w->arena, rows, sizeof *w->strain);
  }
  if (w->continued) return;
  if (stored[array].width > 0)
    write_connectivity(w->file, stored[array].path, rows, stored[array].width, values);
  else
    sb_h5_write(w->file, stored[array].path, &(sb_h5_layout){type, {rows}, stored[array].unit, 0}, values);
}

/* ---- What moves: states of the frames that are kept; observables of every frame; steps and samples ---- */

static void begin_series(sb_case_writer *w, int i)
{
  const char         kind = grown[i].kind;
  const size_t       width = grown[i].width;
  const sb_h5_layout row = {.type = kind ? sb_h5_type(kind, width) : sb_sample_type(),
                            .extents = {0, kind == 't' ? 0 : width},
                            .unit = grown[i].unit};
  sb_h5_close(sb_h5_group(w->file, grown[i].group));
  sb_h5_series_begin(&w->series[i], w->arena, w->file,
                     sb_arena_format(w->arena, "%s/%s", grown[i].group, grown[i].name), &row);
}

/* Appends the record's values for the series from number `first` to number `last`. */
static void append(sb_case_writer *w, int first, int last, const void *record)
{
  for (int i = first; i <= last; ++i) {
    if (!w->series[i].name) begin_series(w, i);
    sb_h5_series_append(&w->series[i], (const char *)record + grown[i].place);
  }
}

void sb_case_writer_frame(sb_case_writer *w, const sb_frame_record *frame)
{
  if (!goes_on(w)) return;
  append(w, KINETIC, frame->contact ? PENETRATION : STRAIN, frame);
  append(w, FRAME_DIGEST, w->every_frame ? FRAME_DIGEST : FRAME_TIME, frame);
}

static const float *strains(const sb_case_writer *w, const double *x)
{
  for (size_t i = 0; i < w->springs; ++i) {
    const double *a = x + 3 * w->ends[2 * i], *b = x + 3 * w->ends[2 * i + 1];
    const double  d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    w->strain[i] = (float)(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / w->rest_length[i] - 1);
  }
  return w->strain;
}

static bool is_kept(const sb_case_writer *w, int state)
{
  return kept_as[state].of_springs ? w->springs > 0 : !kept_as[state].of_particles || w->dimensions > 0;
}

static size_t rows_of(const sb_case_writer *w, int state)
{
  return kept_as[state].of_springs ? w->springs : w->vertices;
}

static void close_states(sb_case_writer *w)
{
  for (int i = 0; i < STATES_KEPT; ++i) {
    sb_h5_close(w->states[i]);
    w->states[i] = -1;
  }
}

static hid_t type_of(int state) { return kept_as[state].single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE; }

/* Appends a frame to a dataset of states. */
static void append_state(sb_case_writer *w, int state, const void *values)
{
  const size_t  rows = rows_of(w, state), width = kept_as[state].width;
  const size_t  bytes = kept_as[state].single ? sizeof(float) : sizeof(double);
  const hsize_t extents[3] = {w->kept + 1, rows, width}, start[3] = {w->kept, 0, 0};
  if (w->kept == 0) {
    SB_H5_ID           group = sb_h5_group(w->file, kept_as[state].group);
    const sb_h5_layout layout = {.type = type_of(state),
                                 .extents = {0, rows, width > 1 ? width : 0},
                                 .unit = kept_as[state].unit[w->dimensions == 3],
                                 .rows_a_chunk = 1};
    w->states[state] = sb_h5_create_dataset(group, "value", &layout);
  }
  H5Dset_extent(w->states[state], extents);
  /* A frame is a chunk, so it goes to the file without a copy in the chunk cache. */
  if (sb_h5_good()) H5Dwrite_chunk(w->states[state], H5P_DEFAULT, 0, start, rows * width * bytes, values);
}

void sb_case_writer_state(sb_case_writer *w, const sb_frame_record *frame, const sb_state_record *state)
{
  if (!goes_on(w)) return;
  const void *values[STATES_KEPT] = {state->x, state->v, strains(w, state->x), state->pressure, state->density};
  for (int i = 0; i < STATES_KEPT; ++i)
    if (is_kept(w, i)) append_state(w, i, values[i]);
  w->kept++;
  append(w, STATE_STEP, STATE_TIME, frame);
}

void sb_case_writer_memory(sb_case_writer *w, const char *name, int64_t step, const double *values)
{
  if (!goes_on(w)) return;
  const bool first = !sb_h5_exists(w->file, "restart");
  SB_H5_ID   group = sb_h5_group(w->file, "restart");
  if (first) sb_h5_put_integer(group, "step", step);
  sb_h5_write(group, name, &(sb_h5_layout){H5T_NATIVE_DOUBLE, {w->vertices, 3}, NULL, 0}, values);
}

void sb_case_writer_net(sb_case_writer *w, const sb_saved_net *net)
{
  if (goes_on(w)) sb_saved_net_write(w->file, net);
}

void sb_case_writer_step(sb_case_writer *w, const sb_step_record *step)
{
  if (goes_on(w)) append(w, STEP, STEP_OUTCOME, step);
}

void sb_case_writer_curve(sb_case_writer *w, const sb_curve_name *curve, size_t count, const double *values)
{
  if (!goes_on(w)) return;
  SB_H5_ID group =
      sb_h5_group(w->file, sb_arena_format(w->arena, "%sconvergence/%s", curve->timing ? "timing/" : "", curve->run));
  sb_h5_write(group, curve->name, &(sb_h5_layout){H5T_NATIVE_DOUBLE, {count}, NULL, 0}, values);
  SB_H5_ID dataset = H5Dopen2(group, curve->name, H5P_DEFAULT);
  sb_h5_put_text(dataset, "unit", curve->unit); /* of our own: H5MD's are ASCII */
}

void sb_case_writer_sample(sb_case_writer *w, const sb_sample_record *sample)
{
  if (goes_on(w)) append(w, SAMPLES, SAMPLES, sample);
}

/* ---- Views for ParaView: /VTKHDF (the VTK file format's chapter on VTKHDF, UnstructuredGrid, Version 2.0) and
 * /frames, as virtual datasets in the same file: no state is stored twice. The net does not change, so all steps share
 * one part, one list of cells and the offsets 0; only points and velocities advance, by one frame a step. ---- */

enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_TRIANGLE = 5 };

/* The selection of `space` shows the dataset `source` of this file: all of it, or only row number *row. */
static void map_source(hid_t plist, hid_t space, const char *source, const hsize_t extents[3], const hsize_t *row)
{
  SB_H5_ID      from = H5Screate_simple(extents[2] > 0 ? 3 : 2, extents, NULL);
  const hsize_t start[3] = {row ? *row : 0, 0, 0}, count[3] = {1, extents[1], extents[2]};
  if (row) H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL);
  H5Pset_virtual(plist, space, ".", source, from);
}

static void create_virtual(hid_t parent, const char *name, hid_t type, hid_t space, hid_t plist)
{
  if (sb_h5_good()) sb_h5_close(H5Dcreate2(parent, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT));
}

/* Links the stored states below `group` as `name`: all frames one after another, or only frame number *frame. */
static void view_state(const sb_case_writer *w, int state, hid_t group, const char *name, const hsize_t *frame)
{
  const size_t  width = kept_as[state].width;
  const hsize_t rows = rows_of(w, state), stored[3] = {w->kept, rows, width > 1 ? width : 0};
  const hsize_t extents[2] = {frame ? rows : w->kept * rows, width};
  char          source[SB_H5_PATH_SIZE];
  SB_H5_ID      space = H5Screate_simple(width > 1 ? 2 : 1, extents, NULL), plist = sb_h5_dataset_plist();
  snprintf(source, sizeof source, "/%s/value", kept_as[state].group);
  map_source(plist, space, source, stored, frame);
  create_virtual(group, name, type_of(state), space, plist);
}

/* Springs, then triangles: their kinds, where each starts in the list of their ends and corners, and that list. */
static void write_cells(const sb_case_writer *w, hid_t group)
{
  static const char *const sources[2] = {"/connectivity/springs", "/connectivity/triangles"};
  const hsize_t            lists[2][3] = {{w->springs, 2, 0}, {w->triangles, 3, 0}};
  const hsize_t            counts[2] = {2 * w->springs, 3 * w->triangles}, total = counts[0] + counts[1];
  const size_t             cells = w->springs + w->triangles;
  SB_OWNED int64_t        *offsets = sb_allocate(cells + 1, sizeof *offsets);
  SB_OWNED uint8_t        *types = sb_allocate(cells + 1, 1);
  for (size_t i = 0; i < cells; ++i) {
    const bool line = i < w->springs;
    types[i] = line ? VTK_LINE : VTK_TRIANGLE;
    offsets[i + 1] = offsets[i] + (line ? 2 : 3);
  }
  sb_h5_write(group, "Offsets", &(sb_h5_layout){H5T_NATIVE_INT64, {cells + 1}, NULL, 0}, offsets);
  sb_h5_write(group, "Types", &(sb_h5_layout){H5T_NATIVE_UINT8, {cells}, NULL, 0}, types);
  SB_H5_ID space = H5Screate_simple(1, &total, NULL), plist = sb_h5_dataset_plist();
  for (int i = 0; i < 2; ++i) {
    const hsize_t start = i == 0 ? 0 : counts[0];
    if (counts[i] == 0) continue;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &counts[i], NULL);
    map_source(plist, space, sources[i], lists[i], NULL);
  }
  H5Sselect_all(space);
  create_virtual(group, "Connectivity", H5T_NATIVE_INT64, space, plist);
}

/* `count` rows first, first + stride, …, of one element where width is 1 ([count] where it is 0). */
static void write_sequence(hid_t group, const char *name, const size_t extents[2], size_t first, size_t stride)
{
  SB_OWNED int64_t *values = sb_allocate(extents[0], sizeof *values);
  for (size_t i = 0; i < extents[0]; ++i) values[i] = (int64_t)(first + i * stride);
  sb_h5_write(group, name, &(sb_h5_layout){H5T_NATIVE_INT64, {extents[0], extents[1]}, NULL, 0}, values);
}

/* Each particle is a separate cell: nothing joins them, and readers of grids draw no point outside of cells. */
static void write_particles(const sb_case_writer *w, hid_t group)
{
  const size_t      offsets[2] = {w->vertices + 1, 0}, points[2] = {w->vertices, 0};
  SB_OWNED uint8_t *types = sb_allocate(w->vertices, 1);
  memset(types, VTK_VERTEX, w->vertices);
  write_sequence(group, "Offsets", offsets, 0, 1);
  sb_h5_write(group, "Types", &(sb_h5_layout){H5T_NATIVE_UINT8, {w->vertices}, NULL, 0}, types);
  write_sequence(group, "Connectivity", points, 0, 1);
}

/* A second name (hard link) below `parent` of `target`, a path from there or the root. */
static void make_link(hid_t parent, const char *target, const char *name)
{
  if (sb_h5_good()) H5Lcreate_hard(parent, target, parent, name, H5P_DEFAULT, H5P_DEFAULT);
}

/* Needs /particles/all/{position,velocity} and /connectivity in their final extent. */
static void write_views(const sb_case_writer *w)
{
  static const int64_t version[2] = {2, 0};
  char                 path[SB_H5_PATH_SIZE];
  const size_t         one[2] = {1, 0}, frames[2] = {w->kept, 0}, column[2] = {w->kept, 1};
  const bool           loose = w->dimensions > 0;
  SB_H5_ID             grid = sb_h5_group(w->file, "VTKHDF");
  sb_h5_close(sb_h5_group(grid, "PointData"));
  sb_h5_put(grid, "Version", H5T_NATIVE_INT64, 2, version);
  sb_h5_put_ascii(grid, "Type", "UnstructuredGrid");
  write_sequence(grid, "NumberOfPoints", one, w->vertices, 0);
  write_sequence(grid, "NumberOfCells", one, loose ? w->vertices : w->springs + w->triangles, 0);
  write_sequence(grid, "NumberOfConnectivityIds", one, loose ? w->vertices : 2 * w->springs + 3 * w->triangles, 0);
  if (loose)
    write_particles(w, grid);
  else
    write_cells(w, grid);
  view_state(w, POSITION, grid, "Points", NULL);
  view_state(w, VELOCITY, grid, "PointData/velocity", NULL);
  make_link(grid, "/particles/all/mass", "PointData/mass");
  SB_H5_ID steps = sb_h5_group(grid, "Steps");
  sb_h5_close(sb_h5_group(steps, "PointDataOffsets"));
  sb_h5_put_integer(steps, "NSteps", (int64_t)w->kept);
  make_link(steps, "/particles/all/position/time", "Values");
  write_sequence(steps, "PartOffsets", frames, 0, 0);
  write_sequence(steps, "NumberOfParts", frames, 1, 0);
  write_sequence(steps, "PointOffsets", frames, 0, w->vertices);
  write_sequence(steps, "CellOffsets", column, 0, 0);
  make_link(steps, "/VTKHDF/Steps/CellOffsets", "ConnectivityIdOffsets");
  make_link(steps, "/VTKHDF/Steps/PointOffsets", "PointDataOffsets/velocity");
  make_link(steps, "/VTKHDF/Steps/PartOffsets", "PointDataOffsets/mass");
  for (int state = PRESSURE; state <= DENSITY && loose; ++state) {
    view_state(w, state, grid, sb_arena_format(w->arena, "PointData/%s", kept_as[state].view), NULL);
    make_link(steps, "/VTKHDF/Steps/PointOffsets",
              sb_arena_format(w->arena, "PointDataOffsets/%s", kept_as[state].view));
  }
  if (loose) make_link(grid, "/particles/all/species", "PointData/species");
  if (loose) make_link(steps, "/VTKHDF/Steps/PartOffsets", "PointDataOffsets/species");
  /* /frames/<k>/{position,velocity,…}: the k-th stored state as plain datasets, which XDMF can name. */
  for (hsize_t k = 0; k < w->kept && sb_h5_good(); ++k) {
    snprintf(path, sizeof path, "frames/%llu", (unsigned long long)k);
    SB_H5_ID group = sb_h5_group(w->file, path);
    for (int state = 0; state < STATES_KEPT; ++state)
      if (is_kept(w, state)) view_state(w, state, group, kept_as[state].view, &k);
  }
}

/* ---- A stop on the way ---- */

void sb_case_writer_keep(sb_case_writer *w, sb_checkpoint *c)
{
  if (!goes_on(w)) return;
  SB_CHECKPOINT(c, w->kept);
  for (int i = 0; i < SERIES; ++i) {
    sb_h5_series *s = &w->series[i];
    bool          begun = s->name != NULL;
    SB_CHECKPOINT(c, begun);
    if (!begun || !sb_checkpoint_good(c)) continue;
    if (sb_checkpoint_reads(c)) begin_series(w, i);
    SB_CHECKPOINT(c, s->written);
    SB_CHECKPOINT(c, s->buffered);
    if (sb_checkpoint_good(c) && s->buffered <= SB_H5_SERIES_BLOCK)
      sb_checkpoint_bytes(c, "rows", s->buffered * s->row_bytes, s->buffer);
  }
  for (int i = 0; i < STATES_KEPT && sb_checkpoint_reads(c) && w->kept > 0; ++i) {
    if (!is_kept(w, i)) continue;
    SB_H5_ID group = sb_h5_group(w->file, kept_as[i].group);
    w->states[i] = H5Dopen2(group, "value", H5P_DEFAULT);
  }
}

const char *sb_case_writer_rest(sb_case_writer *w)
{
  if (!goes_on(w)) return w ? w->part : NULL;
  for (int i = 0; i < SERIES; ++i) sb_h5_series_rest(&w->series[i]);
  close_states(w);
  const hid_t file = w->file;
  w->file = -1;
  sb_h5_close(file);
  return w->part;
}

/* ---- The end ---- */

static void link_times(const sb_case_writer *w, const char *source, const char *target)
{
  static const char *const names[] = {"step", "time"};
  for (int i = 0; i < 2; ++i)
    make_link(w->file, sb_arena_format(w->arena, "%s/%s", source, names[i]),
              sb_arena_format(w->arena, "%s/%s", target, names[i]));
}

/* States and observables of one frame share their steps and times. */
static void link_all_times(const sb_case_writer *w, const bool begun[SERIES])
{
  const char *source = w->every_frame ? STATES : grown[FRAME_STEP].group;
  for (int i = 0; i < STATES_KEPT && w->kept > 0; ++i)
    if (i != POSITION && is_kept(w, i)) link_times(w, STATES, kept_as[i].group);
  for (int i = w->every_frame ? KINETIC : KINETIC + 1; i <= PENETRATION; ++i)
    if (begun[i]) link_times(w, source, grown[i].group);
  if (begun[FRAME_DIGEST]) link_times(w, source, grown[FRAME_DIGEST].group);
}

/* Columns of timing, and the cost of the run, are below /timing, apart from values that equal runs share. */
static void write_row(hid_t file, const sb_case_row *row)
{
  SB_H5_ID result = sb_h5_group(file, "result"), timing = sb_h5_group(file, "timing/result");
  for (size_t i = 0; i < SB_COMMON_COUNT; ++i) {
    const sb_common_column *column = &sb_common_columns[i];
    const sb_value          value = sb_case_row_common(row, column);
    if (!column->planned) put_value(column->timing ? timing : result, column->name, &value);
  }
  for (size_t i = 0; i < row->driver->column_count; ++i) {
    const sb_column *column = &row->driver->columns[i];
    put_value(column->timing ? timing : result, column->name, &row->values[i]);
  }
}

/* Renames the file and its side-car. Two files cannot be renamed at once. A process killed in between leaves a side-car
 * without its file if there was none before, or a file without its side-car if there was one. If no side-car is
 * requested, that of an earlier file is removed, but never a file that is not a side-car. */
static bool put_in_place(sb_case_writer *w)
{
  char           error[256];
  SB_OWNED char *path = sb_side_car_path(w->path), *name = sb_copy_text(w->path), *text = NULL;
  const bool     replaces = access(w->path, F_OK) == 0, known = replaces || errno == ENOENT;
  const bool     ours = known && (w->side_car || (access(path, F_OK) == 0 && sb_side_car_may_replace(path)));
  const bool     made = known && (!w->side_car || sb_side_car_make(w->part, basename(name), &text, error));
  const char    *aside = text ? sb_arena_format(w->arena, "%s.xdmf", w->part) : NULL;
  sb_h5_watch(w->cause);
  if (known && !made) sb_h5_refuse("%s", error);
  if (!made || (aside && !sb_write_file(aside, text, strlen(text)))) return false;
  const bool stored = (!ours || sb_side_car_place(path, replaces ? NULL : aside)) && rename(w->part, w->path) == 0;
  if (stored && (!replaces || !aside || sb_side_car_place(path, aside))) return true;
  const int cause = errno;
  if (aside) (void)unlink(aside);
  if (!stored && ours) (void)sb_side_car_place(path, NULL);
  errno = cause;
  return false;
}

void sb_case_writer_finish(sb_case_writer *w, const sb_case_times *times, const sb_case_row *row,
                           const sb_provenance *provenance)
{
  bool begun[SERIES];
  if (!goes_on(w)) return;
  if (times->noise_count > 0) {
    SB_H5_ID group = sb_h5_group(w->file, "timing"), type = sb_noise_type();
    sb_h5_write(group, "noise", &(sb_h5_layout){type, {times->noise_count}, NULL, 0}, times->noise);
  }
  for (int i = 0; i < SERIES; ++i) { /* the series that grew */
    begun[i] = w->series[i].name != NULL;
    sb_h5_series_end(&w->series[i]);
  }
  close_states(w);
  link_all_times(w, begun);
  if (w->kept > 0) write_views(w);
  write_row(w->file, row);
  sb_provenance_write(w->file, provenance);
  H5Fflush(w->file, H5F_SCOPE_LOCAL);
  if (!sb_h5_good()) return; /* any failure there was */
  const hid_t file = w->file;
  w->file = -1;
  if (!sb_h5_close(file) || !sb_h5_good()) return;
  w->finished = sb_seal_append(w->part) && sb_sync_file(w->part) && put_in_place(w);
  if (!w->finished || !sb_sync_file(dirname(sb_arena_copy(w->arena, w->path)))) sb_h5_refuse("%s", strerror(errno));
}

void sb_case_writer_destroy(sb_case_writer **writer)
{
  sb_case_writer *w = *writer;
  *writer = NULL;
  if (!w) return;
  sb_h5_watch(NULL);
  if (!w->finished) (void)unlink(w->part);
  if (w->cause[0] != '\0') return; /* HDF5 is not to be touched again; the process is about to leave by _exit */
  for (int i = 0; i < SERIES; ++i) sb_h5_series_drop(&w->series[i]);
  close_states(w);
  sb_h5_close(w->file);
}
