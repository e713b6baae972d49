/* The section that says which motions are shown: animations. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "harness/sweep/sweep_reader.h"

enum { FRAMES = 101, STILLS = 6, FRAMES_MAX = 1000, STILLS_MAX = 24 };

static void read_colour(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const char *const choices[] = {"plain", "strain"};
  *(bool *)target = sb_read_choice(r, node, "colour", choices, 2) == 1;
}

static void read_count(sb_sweep_reader *r, const yaml_node_t *node, const char *what, int64_t most, int64_t *count)
{
  const char *scalar = sb_require_scalar(r, node, what);
  int64_t     number = 0;
  if (!scalar) return;
  if (sb_parse_integer(scalar, &number) && number >= 1 && number <= most)
    *count = number;
  else
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E104",
                "'%s' is a whole number (allowed: [1,%lld]); got '%s'", what, (long long)most, scalar);
}

static void read_frames(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  read_count(r, node, "frames", FRAMES_MAX, target);
}

static void read_stills(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  read_count(r, node, "stills", STILLS_MAX, target);
}

static bool read_number(sb_sweep_reader *r, const yaml_node_t *node, const char *what, double low, double high,
                        double *target)
{
  const char *scalar = sb_require_scalar(r, node, what);
  double      number = 0;
  if (!scalar) return false;
  if (!sb_parse_real(scalar, &number) || !(number >= low && number <= high))
    return sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E104",
                       "'%s' is a number (allowed: [%g,%g]); got '%s'", what, low, high, scalar);
  *target = number;
  return true;
}

static void read_seconds(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  read_number(r, node, "seconds", 0.1, 600, target);
}

static void read_view(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  sb_animation_spec *animation = target;
  if (!sb_require_list(r, node, "'view'")) return;
  if (sb_yaml_count(node) == 2) {
    read_number(r, sb_yaml_item(&r->yaml, node, 0), "view", 0, 180, &animation->tilt);
    read_number(r, sb_yaml_item(&r->yaml, node, 1), "view", 0, 360, &animation->turn);
  } else {
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E102",
                "'view' is [tilt, turn] in degrees: 0 from above to 90 level, and about the vertical");
  }
}

void sb_read_animations(sb_sweep_reader *r, const yaml_node_t *node, void *target)
{
  static const sb_sweep_field fields[] = {
      {"id", SB_FIELD_NAME, true, offsetof(sb_animation_spec, id), NULL},
      {"title", SB_FIELD_TEXT, false, offsetof(sb_animation_spec, title), NULL},
      {"where", SB_FIELD_CONDITION, false, offsetof(sb_animation_spec, where), NULL},
      {"colour", SB_FIELD_OTHER, false, offsetof(sb_animation_spec, strain), read_colour},
      {"view", SB_FIELD_OTHER, false, 0, read_view},
      {"frames", SB_FIELD_OTHER, false, offsetof(sb_animation_spec, frames), read_frames},
      {"stills", SB_FIELD_OTHER, false, offsetof(sb_animation_spec, stills), read_stills},
      {"seconds", SB_FIELD_OTHER, false, offsetof(sb_animation_spec, seconds), read_seconds},
  };
  sb_sweep *sweep = target;
  if (!sb_require_list(r, node, "'animations'")) return;
  const char **ids = sb_allocate(sb_yaml_count(node), sizeof *ids);
  sweep->animations = sb_allocate(sb_yaml_count(node), sizeof *sweep->animations);
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *item = sb_yaml_item(&r->yaml, node, i);
    sb_animation_spec *animation = &sweep->animations[sweep->animation_count++];
    *animation = (sb_animation_spec){.tilt = NAN, .turn = NAN, .frames = FRAMES, .stills = STILLS};
    animation->location = sb_yaml_location(&r->yaml, item);
    sb_read_fields(r, item, "an animation", fields, sizeof fields / sizeof *fields, animation);
    ids[i] = animation->id;
  }
  sb_check_ids(r, node, ids);
  free(ids);
}
