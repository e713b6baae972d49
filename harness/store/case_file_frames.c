/* What moves in the case file, in the layout of H5MD 1.1 (de Buyl, Colberg, Höfling 2014): positions and velocities of
 * the frames that are kept, one frame a chunk; observables of every frame. Steps and times are stored once and linked
 * wherever else H5MD wants them. */
#include "harness/store/case_writer.h"

#include <stdio.h>

static const struct {
  const char *name, *unit;
  size_t      width;
} observables[SB_WRITER_OBSERVABLES] = {
    [SB_WRITER_KINETIC] = {"energy_kinetic", "J", 0},
    [SB_WRITER_ELASTIC] = {"energy_elastic", "J", 0},
    [SB_WRITER_GRAVITY] = {"energy_gravity", "J", 0},
    [SB_WRITER_TOTAL] = {"energy_total", "J", 0},
    [SB_WRITER_MOMENTUM] = {"momentum", "kg m s-1", 3},
    [SB_WRITER_ANGULAR_MOMENTUM] = {"angular_momentum", "kg m2 s-1", 3},
    [SB_WRITER_STRAIN] = {"strain_max", NULL, 0},
    [SB_WRITER_PENETRATION] = {"penetration_max", "m", 0},
};

/* An element of H5MD is a group of step, time and value. */
static bool begin_element(hid_t file, const char *path)
{
  const hid_t group = sb_h5_group(file, path);
  return group >= 0 && sb_h5_close(group);
}

static bool begin_times(hid_t file, const char *element, sb_h5_series *step, sb_h5_series *time)
{
  char path[SB_H5_NAME_SIZE];
  snprintf(path, sizeof path, "%s/step", element);
  if (!sb_h5_series_begin(step, file, path, NULL, H5T_NATIVE_INT64, 0)) return false;
  snprintf(path, sizeof path, "%s/time", element);
  return sb_h5_series_begin(time, file, path, "s", H5T_NATIVE_DOUBLE, 0);
}

static bool begin_observables(sb_case_writer *w)
{
  char path[SB_H5_NAME_SIZE];
  for (size_t i = 0; i < w->observable_count; ++i) {
    snprintf(path, sizeof path, "observables/all/%s", observables[i].name);
    if (!begin_element(w->file, path)) return false;
    snprintf(path, sizeof path, "observables/all/%s/value", observables[i].name);
    if (!sb_h5_series_begin(&w->observables[i], w->file, path, observables[i].unit, H5T_NATIVE_DOUBLE,
                            observables[i].width))
      return false;
  }
  const hid_t digest = sb_h5_text_type(SB_DIGEST_LENGTH, H5T_CSET_ASCII);
  bool        ok = begin_element(w->file, "observables/all/state_digest") &&
            sb_h5_series_begin(&w->frame_digest, w->file, "observables/all/state_digest/value", NULL, digest, 0);
  if (!w->every_frame)
    ok = ok && begin_times(w->file, "observables/all/energy_kinetic", &w->frame_step, &w->frame_time);
  w->observed = true;
  return sb_h5_close(digest) && ok;
}

bool sb_case_writer_frame(sb_case_writer *w, const sb_frame_record *frame)
{
  const sb_energies *e = &frame->energies;
  const void *const  values[SB_WRITER_OBSERVABLES] = {
       [SB_WRITER_KINETIC] = &e->kinetic,   [SB_WRITER_ELASTIC] = &e->elastic,
       [SB_WRITER_GRAVITY] = &e->gravity,   [SB_WRITER_TOTAL] = &e->total,
       [SB_WRITER_MOMENTUM] = e->momentum,  [SB_WRITER_ANGULAR_MOMENTUM] = e->angular_momentum,
       [SB_WRITER_STRAIN] = &e->strain_max, [SB_WRITER_PENETRATION] = &frame->penetration_max,
  };
  if (!w->observed) w->observable_count = frame->contact ? SB_WRITER_OBSERVABLES : SB_WRITER_PENETRATION;
  if (!sb_h5_watch(w->cause) || (!w->observed && !begin_observables(w))) return false;
  for (size_t i = 0; i < w->observable_count; ++i)
    if (!sb_h5_series_append(&w->observables[i], values[i])) return false;
  if (!sb_h5_series_append(&w->frame_digest, frame->digest)) return false;
  return w->every_frame || (sb_h5_series_append(&w->frame_step, &frame->step) &&
                            sb_h5_series_append(&w->frame_time, &frame->time_seconds));
}

static hid_t create_states(const sb_case_writer *w, const char *group, const char *name, const char *unit)
{
  const hsize_t extents[3] = {0, w->vertices, 3}, limits[3] = {H5S_UNLIMITED, w->vertices, 3};
  const hsize_t chunk[3] = {1, w->vertices, 3};
  if (!begin_element(w->file, group)) return -1;
  const hid_t space = H5Screate_simple(3, extents, limits), plist = sb_h5_dataset_plist();
  hid_t       dataset = -1;
  if (plist >= 0 && H5Pset_chunk(plist, 3, chunk) >= 0 && H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER) >= 0)
    dataset = H5Dcreate2(w->file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  bool ok = dataset >= 0 && sb_h5_put_ascii(dataset, "unit", unit);
  ok = sb_h5_close(space) && ok;
  ok = sb_h5_close(plist) && ok;
  if (ok) return dataset;
  (void)sb_h5_close(dataset);
  return -1;
}

static bool begin_states(sb_case_writer *w)
{
  w->position = create_states(w, "particles/all/position", "particles/all/position/value", "m");
  w->velocity = create_states(w, "particles/all/velocity", "particles/all/velocity/value", "m s-1");
  return w->position >= 0 && w->velocity >= 0 &&
         begin_times(w->file, "particles/all/position", &w->state_step, &w->state_time);
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
  return sb_h5_series_append(&w->state_step, &step) && sb_h5_series_append(&w->state_time, &time_seconds);
}

bool sb_case_writer_memory(sb_case_writer *w, const char *name, int64_t step, const double *values)
{
  if (!sb_h5_watch(w->cause) || w->file < 0) return false;
  const bool  first = !sb_h5_exists(w->file, "restart");
  const hid_t group = sb_h5_group(w->file, "restart");
  const bool  ok = group >= 0 && (!first || sb_h5_put_integers(group, "step", 1, &step)) &&
                  sb_h5_write_array(group, name, H5T_NATIVE_DOUBLE, w->vertices, 3, values);
  return sb_h5_close(group) && ok;
}

static bool link_times(hid_t file, const char *source, const char *target)
{
  char from[2 * SB_H5_NAME_SIZE], to[2 * SB_H5_NAME_SIZE];
  for (int i = 0; i < 2; ++i) {
    const char *name = i == 0 ? "step" : "time";
    snprintf(from, sizeof from, "%s/%s", source, name);
    snprintf(to, sizeof to, "%s/%s", target, name);
    if (!sb_h5_link(file, from, to)) return false;
  }
  return true;
}

static bool end_observables(sb_case_writer *w)
{
  char source[SB_H5_NAME_SIZE], target[SB_H5_NAME_SIZE];
  bool ok = sb_h5_series_end(&w->frame_digest) && sb_h5_series_end(&w->frame_step) && sb_h5_series_end(&w->frame_time);
  snprintf(source, sizeof source, "%s", w->every_frame ? "particles/all/position" : "observables/all/energy_kinetic");
  for (size_t i = 0; ok && i < w->observable_count; ++i) {
    snprintf(target, sizeof target, "observables/all/%s", observables[i].name);
    ok = sb_h5_series_end(&w->observables[i]);
    if (ok && (w->every_frame || i != SB_WRITER_KINETIC)) ok = link_times(w->file, source, target);
  }
  return ok && link_times(w->file, source, "observables/all/state_digest");
}

bool sb_case_writer_end_frames(sb_case_writer *w)
{
  bool ok = true;
  if (w->kept > 0)
    ok = sb_h5_series_end(&w->state_step) && sb_h5_series_end(&w->state_time) &&
         link_times(w->file, "particles/all/position", "particles/all/velocity");
  ok = sb_h5_close(w->position) && ok;
  ok = sb_h5_close(w->velocity) && ok;
  w->position = w->velocity = -1;
  return ok && (!w->observed || end_observables(w));
}

void sb_case_writer_drop_frames(sb_case_writer *w)
{
  sb_h5_series_drop(&w->state_step);
  sb_h5_series_drop(&w->state_time);
  sb_h5_series_drop(&w->frame_step);
  sb_h5_series_drop(&w->frame_time);
  sb_h5_series_drop(&w->frame_digest);
  for (size_t i = 0; i < SB_WRITER_OBSERVABLES; ++i) sb_h5_series_drop(&w->observables[i]);
  (void)sb_h5_close(w->position);
  (void)sb_h5_close(w->velocity);
  w->position = w->velocity = -1;
}
