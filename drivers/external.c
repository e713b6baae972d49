/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `external`: how does a program of somebody else move a net, by our columns? It runs the program, or reads the
 * frames of an H5MD file (option motion).
 *
 * The simulator (option simulator) gets a temporary folder with the net and its options, and leaves positions by frame
 * (docs/library.md has the files). Everything it leaves is checked before it counts: kind, size and times of files, the
 * first frame, bounds. A frame out of bounds or with a NaN ends the motion: the case has diverged. Every other fault is
 * a failure with its reason. Velocities that the simulator does not leave are differences of positions.
 *
 * error = largest |x - truth| of a component over the largest |truth - x(0)|, truth by rk4 as in driver `motion`. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "base/words.h"
#include "cases/common/durable.h"
#include "cases/common/foreign.h"
#include "cases/describe/simulators.h"
#include "cases/store/motion_file.h"
#include "drivers/energy_balance.h"
#include "drivers/motion_summary.h"
#include "drivers/rk4_reference.h"
#include "drivers/step_map.h"
#include "drivers/touch.h"
#include "model/system/external.h"

#define START_TOLERANCE 1e-5 /* of the diagonal: frame 0, also of programs in single precision */
#define TIME_TOLERANCE  1e-6 /* of a frame */
#define BYTES_FREE      67108864.0
enum { SIZES = 4, TEXT_MAX = 1 << 26 };

static const sb_column columns[] = {
    {"frames_done", "", "frames within bounds after the first one", .valid_if_diverged = true},
    {"blowup_time", "s", "time of the first frame out of bounds, or else of the first after a burst",
     .valid_if_diverged = true},
    SB_MOTION_SUMMARY_COLUMNS,
    {"penetration_max", "m", "largest depth of a vertex in a collider, in a frame; blank without contact",
     .timing = false},
    SB_TOUCH_COLUMNS,
    {"error", "", "largest |x - truth| of all frames over the motion; blank: rk4 does not converge to this model",
     .timing = false},
    {"error_final", "", "|x - truth| in the last frame, over the motion", .timing = false},
    {"truth_error", "", "error of truth, estimated with twice its step", .timing = false},
    {"motion", "m", "largest |x - x(0)| of a component of truth", .timing = false},
    SB_STEP_MAP_COLUMNS,
    {"velocities", "", "simulator: written by the simulator; differences: computed from its positions",
     .kind = SB_COLUMN_WORD, .remark = true},
    {"version", "", "output of the version command of the simulator", .kind = SB_COLUMN_WORD, .valid_if_diverged = true,
     .remark = true},
    {"process_s", "s", "time of the process of the simulator from its start to its end", .timing = true},
    {"own_step_s", "s", "time of a step as the simulator itself measures it; blank: it does not", .timing = true},
};

/* Motions by rk4, the second with twice the step of the first. */
typedef struct {
  sb_integrator *integrator;
  sb_start_state at;
  int64_t        per_frame;
} track;

typedef struct {
  const sb_case      *c;
  sb_recorder        *recorder;
  const sb_simulator *simulator;
  const char         *source; /* file in place of a simulator; "": none */
  sb_arena           *arena;
  sb_setup            setup;
  const char         *folder;
  int                 positions, velocities; /* files; -1: there is none */
  double              own_seconds, center[3];
  sb_motion_summary   tally;
  sb_step_map         map;
  sb_touch            touch;
  int64_t             frame; /* the last within bounds */
  sb_start_state      start;
  track               tracks[2];
  sb_integrator      *probe; /* of truth's accelerations; NULL: with contact, which has no modes */
  bool                has_truth;
  double              depth;                                   /* m, in a collider */
  double              error, error_final, truth_error, motion; /* m */
} run;

/* ---- its abilities ---- */

static bool check_external(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  const sb_options   *o = c->options;
  const sb_simulator *s = sb_simulator_of(o);
  bool                good = true;
  (void)pose;
  if (*SB_TEXT(o, motion) && *SB_TEXT(o, simulator))
    return sb_error_at(diagnostics, sb_options_blame(o, SB_ID(motion)), "E106",
                       "'motion' replaces a simulator; leave 'simulator' out");
  const bool here = s ? s->command || !s->digest : !*SB_TEXT(o, simulator); /* or only known from stored results */
  if (*SB_TEXT(o, motion) || !here) return true;
  if (!s || !s->command)
    return sb_error_at(diagnostics, sb_options_blame(o, SB_ID(simulator)), "E106",
                       "driver 'external' needs simulator=NAME, and its description: --simulator FILE.json");
  if (SB_INTEGER(o, ranks) > 1)
    good = sb_error_at(diagnostics, sb_options_blame(o, SB_ID(ranks)), "E106",
                       "simulator '%s' is one process; set ranks=1", s->name);
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const char *name = sb_option_at(id)->name;
    if (!(sb_option_at(id)->traits & (SB_ACTS | SB_ACTS_ON_SURFACES)) || !sb_options_differ(o, id)) continue;
    if (sb_has_word(s->maps, name) || sb_has_word(s->ignores, name)) continue;
    good = sb_error_at(diagnostics, sb_options_blame(o, id), "E106",
                       "simulator '%s' neither maps nor ignores %s, which is %s; change it, or the description",
                       s->name, name, sb_options_text(o, id));
  }
  return good;
}

/* ---- its input ---- */

static bool put_file(const run *r, const char *name, size_t bytes, const void *content)
{
  const int  file = sb_create(sb_arena_format(r->arena, "%s/%s", r->folder, name), 0);
  const bool good = file >= 0 && sb_write_all(file, content, bytes);
  if (file >= 0) close(file);
  return good;
}

static bool put_json(const run *r, const char *name, json_t *value)
{
  char *text = sb_arena_adopt(r->arena, sb_insist(json_dumps(value, JSON_INDENT(1) | JSON_SORT_KEYS)));
  json_decref(value);
  return put_file(r, name, strlen(text), text);
}

typedef struct {
  const char *name, *type, *unit;
  size_t      rows, width, bytes; /* bytes of a value */
  const void *values;
} array;

static bool put_net(const run *r, const sb_pose *p)
{
  const array all[] = {{"position", "f64", "m", p->vertices, 3, 8, p->position},
                       {"velocity", "f64", "m/s", p->vertices, 3, 8, p->velocity},
                       {"mass", "f64", "kg", p->vertices, 1, 8, p->mass},
                       {"pinned", "u8", "", p->vertices, 1, 1, p->pinned},
                       {"ends", "i32", "", p->springs, 2, 4, p->ends},
                       {"stiffness", "f64", "N/m", p->springs, 1, 8, p->stiffness},
                       {"rest_length", "f64", "m", p->springs, 1, 8, p->rest_length},
                       {"triangle", "i32", "", p->triangles, 3, 4, p->triangle}};
  json_t     *arrays = json_object();
  bool        good = true;
  for (size_t i = 0; i < sizeof all / sizeof *all && good; ++i) {
    const array *a = &all[i];
    const char  *file = sb_arena_format(r->arena, "%s.%s", a->name, a->type);
    json_t      *shape = json_pack(a->width > 1 ? "[I, I]" : "[I]", (json_int_t)a->rows, (json_int_t)a->width);
    json_object_set_new(
        arrays, a->name,
        json_pack("{s:s, s:s, s:o, s:s}", "file", file, "type", a->type, "shape", shape, "unit", a->unit));
    good = put_file(r, file, a->rows * a->width * a->bytes, a->values);
  }
  json_t *net = json_pack("{s:i, s:s, s:o}", "springbench_net", 1, "byte_order", "little", "arrays", arrays);
  return put_json(r, "net.json", net) && good;
}

/* The mapped options that the case reads, and the time. Numbers, vectors and truths are such in JSON, too. */
static bool put_options(const run *r)
{
  const sb_options   *o = r->c->options;
  const sb_time_grid *t = &r->c->time;
  json_t             *mapped = json_object();
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const char *name = sb_option_at(id)->name, *text = sb_options_text(o, id);
    if (!sb_has_word(r->simulator->maps, name) || !sb_options_has(o, id) || !sb_options_read(o, id)) continue;
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    json_object_set_new(mapped, name, value ? value : json_string(text));
  }
  return put_json(r, "options.json",
                  json_pack("{s:i, s:s, s:s, s:f, s:I, s:I, s:o}", "springbench_options", 1, "simulator",
                            r->simulator->name, "simulator_options", SB_TEXT(o, simulator_options), "h", t->h_seconds,
                            "steps_per_frame", (json_int_t)t->steps_per_frame, "frames", (json_int_t)t->frames,
                            "options", mapped));
}

static PetscErrorCode put_input(const run *r)
{
  sb_pose         pose = {0};
  sb_diagnostics *quiet = sb_diagnostics_create(); /* the setup has reported the same */
  const bool      good = sb_scene_build(r->c->options, &pose, quiet) && put_net(r, &pose) && put_options(r);
  const int       cause = errno;

  PetscFunctionBeginUser;
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&quiet);
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "cannot write in %s: %s", r->folder, strerror(cause));
  PetscFunctionReturn(0);
}

/* ---- its run ---- */

static double frame_seconds(const run *r) { return r->c->time.h_seconds * (double)r->c->time.steps_per_frame; }
static double frame_bytes(const run *r) { return 24.0 * (double)r->setup.system->vertices; }

/* Opens a file of the simulator, but not a link; -1 with errno. */
static int open_left(const run *r, const char *name, off_t *bytes)
{
  struct stat s;
  const int   file = sb_open(sb_arena_format(r->arena, "%s/%s", r->folder, name), O_RDONLY | O_NOFOLLOW);
  *bytes = file >= 0 && fstat(file, &s) == 0 ? s.st_size : 0;
  return file;
}

/* Its last line, for the reason. The end of its output goes to the log. */
static const char *last_line(const run *r)
{
  enum { TAIL = 4096 };
  char          text[TAIL + 1] = "";
  off_t         size = 0;
  const int     file = open_left(r, "output.txt", &size);
  const ssize_t got = file >= 0 ? pread(file, text, TAIL, size > TAIL ? size - TAIL : 0) : 0;
  if (file >= 0) close(file);
  if (got <= 0) return "";
  text[got] = '\0';
  fprintf(stderr, "%s%s\n", size > TAIL ? "…" : "", text);
  for (size_t length = strlen(text); length > 0 && strchr(" \t\r\n", text[length - 1]);) text[--length] = '\0';
  const char *line = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
  return *line && sb_is_printable(line) ? sb_arena_format(r->arena, "; its last line: %s", line) : "";
}

static PetscErrorCode run_program(run *r, bool *good)
{
  const sb_foreign_program program = {
      .words = r->simulator->command,
      .folder = r->folder,
      .output = sb_create(sb_arena_format(r->arena, "%s/output.txt", r->folder), O_APPEND),
      .bytes_max = BYTES_FREE + SIZES * frame_bytes(r) * (double)(r->c->time.frames + 1),
      .temporary = true};

  PetscFunctionBeginUser;
  PetscCheck(program.output >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "cannot write in %s: %s", r->folder,
             strerror(errno));
  const sb_foreign_end end = sb_foreign_run(&program, r->arena);
  const char          *line = last_line(r);
  close(program.output);
  PetscCall(sb_recorder_real(r->recorder, "process_s", end.seconds));
  if (end.failure)
    PetscCall(sb_recorder_status(r->recorder, end.crashed ? SB_CASE_CRASHED : SB_CASE_ERROR, "%s: %s%s",
                                 r->simulator->name, end.failure, line));
  *good = !end.failure;
  PetscFunctionReturn(0);
}

/* ---- its output ---- */

/* Why these times of frames, which may be off by `exact` s, cannot be those of the case; NULL: they can. */
static const char *judge_times(const run *r, const char *file, size_t count, const double *times, double exact)
{
  const sb_time_grid *t = &r->c->time;
  const double        frame = frame_seconds(r);
  if (count != (size_t)t->frames + 1)
    return sb_arena_format(r->arena, "%s has %zu times; expected %lld", file, count, (long long)t->frames + 1);
  for (size_t k = 0; k < count; ++k) {
    const double seconds = (double)((int64_t)k * t->steps_per_frame) * t->h_seconds;
    if (isnan(times[k])) return sb_arena_format(r->arena, "%s: the time of frame %zu is not a number", file, k);
    if (!(fabs(times[k] - seconds) <= fmax(TIME_TOLERANCE * frame, exact))) {
      char found[32], expected[32];
      return sb_arena_format(r->arena, "%s has the time %s at frame %zu; expected %s", file,
                             sb_format_real(times[k], found), k, sb_format_real(seconds, expected));
    }
  }
  return NULL;
}

/* Why frames.json cannot be used; NULL: it can. */
static const char *judge_said(run *r, const json_t *root)
{
  const json_t *list = json_object_get(root, "times"), *own = json_object_get(root, "seconds_per_step");
  const size_t  count = json_array_size(list);
  double       *times = sb_arena_take(r->arena, count + 1, sizeof *times);
  for (size_t k = 0; k < count; ++k) {
    const json_t *value = json_array_get(list, k);
    times[k] = json_is_number(value) ? json_number_value(value) : NAN;
  }
  const char *fault = judge_times(r, "frames.json", count, times, 0);
  r->own_seconds = json_number_value(own);
  return fault ? fault : !own || r->own_seconds > 0 ? NULL : "frames.json has a seconds_per_step that is not positive";
}

static const char *judge_absent(const run *r, const char *name)
{
  const char *who = r->simulator ? r->simulator->name : r->source;
  return sb_arena_format(r->arena, "%s left no %s: %s", who, name, sb_cause(errno));
}

/* Opens a file of doubles of all frames. */
static const char *open_frames(const run *r, const char *name, int *file)
{
  off_t        bytes = 0;
  const double frames = (double)(r->c->time.frames + 1), expected = frames * frame_bytes(r);
  *file = open_left(r, name, &bytes);
  if (*file < 0) return judge_absent(r, name);
  if ((double)bytes == expected) return NULL;
  return sb_arena_format(r->arena, "%s has %.0f bytes; %.0f frames of %lld vertices have %.0f", name, (double)bytes,
                         frames, (long long)r->setup.system->vertices, expected);
}

/* Opens the files of frames; returns why they cannot be used. Velocities may be absent. */
static const char *open_output(run *r)
{
  const char *fault = open_frames(r, "frames.f64", &r->positions);
  if (fault) return fault;
  fault = open_frames(r, "velocities.f64", &r->velocities);
  return r->velocities < 0 && errno == ENOENT ? NULL : fault;
}

/* Writes positions or velocities of a file as a simulator would. */
static const char *copy_frames(const run *r, sb_motion_file *m, sb_motion_kind kind, const char *name)
{
  double     *values = sb_arena_take(r->arena, 3 * m->vertices, sizeof *values);
  const int   file = sb_create(sb_arena_format(r->arena, "%s/%s", r->folder, name), O_APPEND);
  const char *why = file >= 0 ? NULL : strerror(errno);
  for (size_t k = 0; k < m->frames && !why; ++k) {
    why = sb_motion_file_read(m, kind, k, values);
    if (!why && !sb_write_all(file, values, 3 * m->vertices * sizeof *values)) why = strerror(errno);
  }
  if (file >= 0) close(file);
  return why;
}

static const char *take_output(run *r)
{
  off_t     bytes = 0;
  const int file = open_left(r, "frames.json", &bytes);
  if (file < 0) return judge_absent(r, "frames.json");
  char         *text = sb_arena_take(r->arena, bytes <= TEXT_MAX ? (size_t)bytes + 1 : 1, 1);
  const ssize_t got = bytes <= TEXT_MAX ? pread(file, text, (size_t)bytes, 0) : 0;
  json_auto_t  *root = json_loadb(text, got > 0 ? (size_t)got : 0, JSON_REJECT_DUPLICATES, NULL);
  close(file);
  const char *fault = root ? judge_said(r, root) : "frames.json is not JSON";
  return fault ? fault : open_output(r);
}

static const char *take_motion(run *r)
{
  sb_motion_file m;
  const char    *why = sb_motion_file_open(r->source, r->arena, &m);
  if (!why && (PetscInt)m.vertices != r->setup.system->vertices)
    why = sb_arena_format(r->arena, "it has %zu vertices; the net has %lld", m.vertices,
                          (long long)r->setup.system->vertices);
  if (!why) why = judge_times(r, "it", m.frames, m.seconds, m.exact_seconds);
  if (!why) why = copy_frames(r, &m, SB_MOTION_POSITION, "frames.f64");
  if (!why && m.elements[SB_MOTION_VELOCITY].dataset >= 0)
    why = copy_frames(r, &m, SB_MOTION_VELOCITY, "velocities.f64");
  sb_motion_file_close(&m);
  return why ? sb_arena_format(r->arena, "%s: %s", r->source, why) : open_output(r);
}

static PetscErrorCode read_frame(const run *r, int file, int64_t frame, Vec to)
{
  const size_t bytes = (size_t)frame_bytes(r);
  double      *values;
  size_t       done = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(to, &values));
  for (ssize_t got = 1; got > 0 && done<bytes; done += got> 0 ? (size_t)got : 0)
    got = pread(file, (char *)values + done, bytes - done, (off_t)(frame * (int64_t)bytes) + (off_t)done);
  PetscCall(VecRestoreArrayWrite(to, &values));
  PetscCheck(done == bytes, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "cannot read frame %lld", (long long)frame);
  PetscFunctionReturn(0);
}

static PetscErrorCode is_finite(Vec x, bool *finite)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(x, NORM_1, &norm));
  *finite = isfinite(norm);
  PetscFunctionReturn(0);
}

/* (x(k + 1) - x(k - 1))/2T. The last frame, and one before a frame that is not finite, have the slope of the parabola
 * through three frames, (3 x(k) - 4 x(k - 1) + x(k - 2))/2T, or of that which begins with the velocity of the start.
 * Frame 0 has the velocities of the start. */
static PetscErrorCode derive_velocities(const run *r, int64_t k, Vec v)
{
  const double T = frame_seconds(r);
  Vec          other;
  bool         central = false;

  PetscFunctionBeginUser;
  if (k == 0) PetscCall(VecCopy(r->start.v, v));
  if (k == 0) PetscFunctionReturn(0);
  PetscCall(VecDuplicate(v, &other));
  if (k < r->c->time.frames) PetscCall(read_frame(r, r->positions, k + 1, v));
  if (k < r->c->time.frames) PetscCall(is_finite(v, &central));
  if (central) {
    PetscCall(read_frame(r, r->positions, k - 1, other));
    PetscCall(VecAXPBY(v, -0.5 / T, 0.5 / T, other));
  } else {
    PetscCall(read_frame(r, r->positions, k - 1, v));
    PetscCall(VecAYPX(v, -1, r->setup.x));
    if (k > 1) PetscCall(read_frame(r, r->positions, k - 2, other));
    if (k > 1) PetscCall(VecAYPX(other, -1, r->setup.x));
    if (k > 1) PetscCall(VecAXPBY(v, -0.5 / T, 2 / T, other)); /* (4 (x(k) - x(k - 1)) - (x(k) - x(k - 2)))/2T */
    if (k == 1) PetscCall(VecAXPBY(v, -1, 2 / T, r->start.v));
  }
  PetscCall(VecDestroy(&other));
  PetscFunctionReturn(0);
}

/* ---- its frames ---- */

static double seconds_of(const run *r, int64_t frame)
{
  return (double)(frame * r->c->time.steps_per_frame) * r->c->time.h_seconds;
}

/* The state of a frame; *good: it is finite and within bounds. */
static PetscErrorCode load(run *r, int64_t frame, bool *good)
{
  const sb_system *system = r->setup.system;
  const double     radius = SB_REAL(r->c->options, blowup_ratio) * system->diagonal;
  const double    *position;
  bool             finite = false;

  PetscFunctionBeginUser;
  PetscCall(read_frame(r, r->positions, frame, r->setup.x));
  if (r->velocities >= 0)
    PetscCall(read_frame(r, r->velocities, frame, r->setup.v));
  else
    PetscCall(derive_velocities(r, frame, r->setup.v));
  PetscCall(is_finite(r->setup.v, &finite));
  PetscCall(is_finite(r->setup.x, good));
  *good = *good && finite;
  if (!*good) PetscFunctionReturn(0);
  PetscCall(sb_system_begin_read(system, r->setup.x, &position));
  PetscCall(sb_system_array_is_bounded(system, position, radius, r->center, good));
  PetscCall(sb_system_end_read(system, r->setup.x, &position));
  PetscFunctionReturn(0);
}

static PetscErrorCode diverge(run *r, int64_t frame)
{
  bool finite = false;

  PetscFunctionBeginUser;
  PetscCall(is_finite(r->setup.x, &finite));
  PetscCall(sb_recorder_real(r->recorder, "blowup_time", seconds_of(r, frame)));
  PetscCall(sb_recorder_status(r->recorder, SB_CASE_DIVERGED, "frame %lld (t = %.6g s): %s", (long long)frame,
                               seconds_of(r, frame), finite ? "out of bounds" : "a position is not finite"));
  PetscCall(sb_recorder_broke_off(r->recorder));
  PetscCall(load(r, r->frame, &finite)); /* columns called final are those of the stored state */
  PetscFunctionReturn(0);
}

static PetscErrorCode begin_truth(run *r)
{
  const double    frame = frame_seconds(r);
  sb_diagnostics *quiet = sb_diagnostics_create();
  int64_t         steps;

  PetscFunctionBeginUser;
  r->has_truth = sb_rk4_reference_check(r->c, NULL, quiet);
  sb_diagnostics_destroy(&quiet);
  if (!r->has_truth) PetscFunctionReturn(0);
  PetscCall(sb_rk4_reference_steps(&r->setup, frame, &steps));
  for (int i = 0; i < 2; ++i) {
    track *t = &r->tracks[i];
    t->per_frame = steps >> i;
    PetscCall(sb_rk4_reference_create(&r->setup, r->c, frame / (double)t->per_frame, &t->integrator));
    PetscCall(sb_setup_keep_state(&r->setup, &t->at));
  }
  if (!r->setup.system->contact) PetscCall(sb_acceleration_create(&r->setup, r->c, frame, &r->probe));
  PetscFunctionReturn(0);
}

static PetscErrorCode compare(run *r, int64_t frame)
{
  double distance;

  PetscFunctionBeginUser;
  for (int i = 0; i < 2 && frame > 0 && r->has_truth; ++i) {
    track            *t = &r->tracks[i];
    sb_advance_report report;
    PetscCall(
        sb_integrator_advance(t->integrator, (frame - 1) * t->per_frame, t->per_frame, t->at.x, t->at.v, &report));
    r->has_truth = report.status == SB_OK;
  }
  if (!r->has_truth) PetscFunctionReturn(0);
  PetscCall(sb_rk4_reference_distance(r->setup.x, r->tracks[0].at.x, &r->error_final));
  r->error = fmax(r->error, r->error_final);
  PetscCall(sb_rk4_reference_distance(r->tracks[0].at.x, r->start.x, &distance));
  r->motion = fmax(r->motion, distance);
  PetscCall(sb_rk4_reference_distance(r->tracks[0].at.x, r->tracks[1].at.x, &distance));
  r->truth_error = fmax(r->truth_error, sb_rk4_reference_error(&r->setup, distance));
  PetscFunctionReturn(0);
}

/* The depth of this frame only: truth has its own in the same measures. */
static PetscErrorCode note_depth(run *r, double seconds)
{
  sb_contact_measures measures;

  PetscFunctionBeginUser;
  if (!r->setup.system->contact) PetscFunctionReturn(0);
  PetscCall(sb_setup_observe_start(&r->setup, seconds));
  PetscCall(sb_system_contact_measures(r->setup.system, &measures));
  r->depth = fmax(r->depth, measures.penetration_max);
  PetscFunctionReturn(0);
}

/* The frame, and what the converged motion has at its time, for the map from frame to frame. */
static PetscErrorCode note_map(run *r)
{
  const sb_step_state   own = {r->setup.x, r->setup.v, NULL};
  const sb_start_state *at = &r->tracks[0].at;
  Vec                   acceleration = NULL;

  PetscFunctionBeginUser;
  if (r->has_truth && r->probe) {
    PetscCall(VecDuplicate(at->v, &acceleration));
    PetscCall(sb_acceleration_at(r->probe, r->frame, frame_seconds(r), at, acceleration));
  }
  PetscCall(sb_step_map_frame(&r->map, &own, acceleration ? &(sb_step_state){at->x, at->v, acceleration} : NULL));
  PetscCall(VecDestroy(&acceleration));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_frame(run *r, bool last)
{
  const double seconds = seconds_of(r, r->frame);

  PetscFunctionBeginUser;
  PetscCall(sb_setup_record_frame(&r->setup, r->recorder,
                                  (sb_frame_stamp){r->frame, r->frame * r->c->time.steps_per_frame, seconds, last}));
  PetscCall(sb_motion_summary_frame(&r->tally, seconds, sb_recorder_energies(r->recorder), r->setup.x));
  PetscCall(sb_setup_look(&r->setup, seconds, sb_recorder_energies(r->recorder)));
  PetscCall(sb_touch_frame(&r->touch, r->setup.system, &(sb_touch_state){seconds, r->setup.x, r->setup.v, last}));
  if (!last) PetscCall(note_depth(r, seconds));
  if (!last) PetscCall(note_map(r));
  if (last) PetscCall(sb_motion_summary_end(&r->tally, r->setup.system, r->setup.x));
  PetscFunctionReturn(0);
}

/* Frame 0 must be the start: wrong units, another order of vertices or another net show there. */
static PetscErrorCode follow(run *r, bool *good)
{
  bool   bounded = true, finite = false;
  double off = INFINITY;

  PetscFunctionBeginUser;
  PetscCall(begin_truth(r));
  PetscCall(load(r, 0, &bounded));
  PetscCall(is_finite(r->setup.x, &finite));
  if (finite) PetscCall(sb_rk4_reference_distance(r->setup.x, r->start.x, &off));
  *good = bounded && off <= START_TOLERANCE * r->setup.system->diagonal;
  if (!*good)
    PetscCall(
        sb_recorder_status(r->recorder, SB_CASE_ERROR, "frame 0 is not the start: a coordinate is off by %g m", off));
  for (int64_t frame = 0; frame <= r->c->time.frames && *good; ++frame) {
    PetscCall(load(r, frame, &bounded));
    if (!bounded) PetscCall(diverge(r, frame));
    if (!bounded) break;
    r->frame = frame;
    PetscCall(compare(r, frame));
    if (frame == 0) PetscCall(sb_setup_open_balance(r->c, &r->setup, 0));
    PetscCall(record_frame(r, false));
  }
  if (*good) PetscCall(record_frame(r, true));
  if (*good && bounded) PetscCall(sb_setup_date_burst(&r->setup, r->recorder));
  PetscFunctionReturn(0);
}

static PetscErrorCode record(run *r)
{
  const sb_options   *o = r->c->options;
  const sb_step_facts facts = {frame_seconds(r), sb_options_read(o, SB_ID(stiffness)) ? SB_REAL(o, stiffness) : NAN,
                               r->c->time.steps_per_frame, r->velocities >= 0};

  PetscFunctionBeginUser;
  if (r->setup.system->contact) PetscCall(sb_recorder_real(r->recorder, "penetration_max", r->depth));
  PetscCall(sb_touch_record(&r->touch, r->setup.system, r->recorder));
  PetscCall(sb_recorder_real(r->recorder, "frames_done", (double)r->frame));
  PetscCall(sb_motion_summary_record(&r->tally, sb_balance_is_conserved(r->c, r->setup.system), r->recorder));
  PetscCall(sb_step_map_record(&r->map, &facts, r->recorder));
  PetscCall(sb_recorder_word(r->recorder, "velocities", r->velocities >= 0 ? "simulator" : "differences"));
  if (r->own_seconds > 0) PetscCall(sb_recorder_real(r->recorder, "own_step_s", r->own_seconds));
  if (!r->has_truth || !(r->motion > 0)) PetscFunctionReturn(0);
  PetscCall(SB_RECORD(r->recorder, {"motion", r->motion}, {"truth_error", r->truth_error / r->motion},
                      {"error", r->error / r->motion}));
  if (r->frame == r->c->time.frames)
    PetscCall(sb_recorder_real(r->recorder, "error_final", r->error_final / r->motion));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(run *r)
{
  PetscFunctionBeginUser;
  if (r->positions >= 0) close(r->positions);
  if (r->velocities >= 0) close(r->velocities);
  for (int i = 0; i < 2; ++i) {
    PetscCall(sb_integrator_destroy(&r->tracks[i].integrator));
    PetscCall(sb_start_state_destroy(&r->tracks[i].at));
  }
  PetscCall(sb_integrator_destroy(&r->probe));
  PetscCall(sb_step_map_clear(&r->map));
  PetscCall(sb_touch_clear(&r->touch));
  PetscCall(sb_start_state_destroy(&r->start));
  PetscCall(sb_setup_destroy(&r->setup));
  sb_arena_destroy(&r->arena);
  PetscFunctionReturn(0);
}

static PetscErrorCode measure(run *r)
{
  bool good = true;

  PetscFunctionBeginUser;
  if (r->simulator) PetscCall(put_input(r));
  if (r->simulator) PetscCall(run_program(r, &good));
  const char *fault = !good ? NULL : r->simulator ? take_output(r) : take_motion(r);
  if (fault) PetscCall(sb_recorder_status(r->recorder, SB_CASE_ERROR, "%s", fault));
  good = good && !fault;
  if (good) PetscCall(follow(r, &good));
  if (good)
    PetscCall(record(r));
  else
    PetscCall(sb_recorder_broke_off(r->recorder));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_external(const sb_case *c, sb_recorder *recorder)
{
  run r = {.c = c, .recorder = recorder, .positions = -1, .velocities = -1};

  PetscFunctionBeginUser;
  r.simulator = sb_simulator_of(c->options);
  if (!r.simulator && *SB_TEXT(c->options, simulator)) {
    PetscCall(sb_recorder_status(recorder, SB_CASE_SKIPPED,
                                 "simulator '%s' is not described; examples/simulators/install.sh installs those of "
                                 "the project, --simulator FILE.json names another",
                                 SB_TEXT(c->options, simulator)));
    PetscFunctionReturn(0);
  }
  r.arena = r.tally.arena = sb_arena_create();
  r.source = sb_arena_adopt(r.arena, sb_input_path(SB_TEXT(c->options, motion)));
  PetscCall(sb_setup_create(c, check_external, SB_SETUP_SURFACE, recorder, &r.setup));
  PetscCall(sb_setup_keep_state(&r.setup, &r.start));
  PetscCall(sb_system_center(r.setup.system, r.setup.x, r.center));
  PetscCall(sb_touch_create(&r.setup, c, &r.touch));
  if (r.simulator) PetscCall(sb_recorder_word(recorder, "version", r.simulator->version));
  r.folder = sb_foreign_folder(r.arena);
  PetscCheck(r.folder, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "cannot make a temporary folder: %s", strerror(errno));
  const PetscErrorCode failure = measure(&r);
  sb_foreign_remove(r.folder);
  PetscCall(failure);
  PetscCall(destroy(&r));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_external = {
    .name = "external",
    .summary = "a program of somebody else moves the net: states, energies and errors, frame by frame",
    .uses = "simulator simulator_options motion",
    SB_COLUMNS(columns),
    .check = check_external,
    .run = run_external,
};
