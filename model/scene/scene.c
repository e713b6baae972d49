/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of scenes and their rules on options: defaults, options they have, options that exclude each other. */
#include "model/scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "model/maths/vector3.h"

#define SB_ENTRY(name) extern const sb_scene sb_scene_##name;
#include "model/scene/scenes.def"
#undef SB_ENTRY

static const sb_entry *const entries[] = {
#define SB_ENTRY(name) &sb_scene_##name.entry,
#include "model/scene/scenes.def"
#undef SB_ENTRY
};

static const char of_nets[] =
#define SB_PINS(title, words, about)
#define SB_PINS_OF_NETS(title, options, about) #title " "
#include "model/scene/pins.def"
#undef SB_PINS_OF_NETS
#undef SB_PINS
    ;

const char *sb_scene_pin_sets(const sb_scene *scene, sb_arena *arena)
{
  if (scene->particles) return "none";
  return scene->pin_sets ? sb_arena_format(arena, "%s%s", of_nets, scene->pin_sets)
                         : sb_arena_copy_span(arena, of_nets, sizeof of_nets - 2);
}

static void describe(const sb_entry *entry, sb_description *d)
{
  const sb_scene *scene = (const void *)entry;
  sb_describe_claim(d, true, "origin: %s", scene->origin);
  sb_describe_words(d, "pin sets", sb_scene_pin_sets(scene, d->arena));
}

const sb_list sb_scenes = {
    .family = "scenes",
    .title = "Scenes",
    .about =
        "Named by option `scene`. A scene's values of options replace the table's; the user's values replace both.",
    SB_LIST_ENTRIES(entries),
    .checks_uses = true,
    .describe = describe,
};

void sb_scene_names_of_particles(size_t size, char *names)
{
  size_t used = 0;
  for (size_t i = 0; i < sb_scene_count() && used < size; ++i)
    if (sb_scene_at(i)->particles)
      used += (size_t)snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", sb_scene_at(i)->name);
}

unsigned sb_scene_periodic(const sb_options *options)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  return scene && scene->particles ? scene->periodic : 0;
}

bool sb_scene_is_closed(const sb_options *options)
{
  const unsigned all = (1U << SB_INTEGER(options, dimensions)) - 1;
  return (sb_scene_periodic(options) & all) == all;
}

double sb_scene_vertices(const sb_options *options)
{
  const sb_scene *scene = sb_scene_find(SB_TEXT(options, scene));
  return scene && scene->vertices ? scene->vertices(options) : 0;
}

double sb_scene_nodes(const sb_options *options)
{
  return SB_HAS(options, nodes) ? (double)SB_INTEGER(options, nodes) : 0;
}

double sb_scene_grid_vertices(const sb_options *options)
{
  const double edge = SB_HAS(options, grid) ? (double)SB_INTEGER(options, grid) + 1 : 0;
  return edge * edge;
}

bool sb_scene_too_large(const sb_options *options, sb_diagnostics *diagnostics)
{
  return sb_error_at(diagnostics, sb_options_location(options, SB_ID(scene)), "E215",
                     "the scene does not fit into memory, or has more than 2^31 - 1 vertices or springs");
}

double sb_scene_stiffness(const sb_options *options, sb_spring_kind kind)
{
  if (kind == SB_SHEAR && SB_HAS(options, stiffness_shear)) return SB_REAL(options, stiffness_shear);
  if (kind == SB_BENDING && SB_HAS(options, stiffness_bending)) return SB_REAL(options, stiffness_bending);
  return SB_HAS(options, stiffness) ? SB_REAL(options, stiffness) : 0.0;
}

double sb_scene_stiffness_along(const sb_options *options, sb_spring_kind kind, sb_direction direction)
{
  const sb_option_id along[SB_DIRECTIONS] = {SB_ID(stiffness_warp), SB_ID(stiffness_weft), SB_ID(stiffness_bias)};
  const bool         by_kind = (kind == SB_SHEAR && SB_HAS(options, stiffness_shear)) ||
                       (kind == SB_BENDING && SB_HAS(options, stiffness_bending));
  return !by_kind && sb_options_has(options, along[direction]) ? sb_options_real(options, along[direction])
                                                               : sb_scene_stiffness(options, kind);
}

static bool given_by_user(const sb_options *options, sb_option_id id)
{
  return sb_options_origin(options, id) == SB_FROM_USER;
}

/* "none first" as "none, first"; the caller frees it; NULL if memory is out. */
static char *with_commas(const char *words)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  if (!stream) return NULL;
  for (const char *c = words; *c; ++c) {
    if (*c == ' ')
      fputs(", ", stream);
    else
      fputc(*c, stream);
  }
  return fclose(stream) == 0 ? text : NULL;
}

/* The first option, from `from` on, that the user gave and that states the masses or stiffnesses of option `id`
 * otherwise; sb_option_count: none. A user may give one of the two; the one given drops the scene's value of the other.
 */
static sb_option_id next_rival(const sb_options *options, sb_option_id id, sb_option_id from)
{
  if (!(sb_option_at(id)->traits & (SB_STATES_MASSES | SB_STATES_STIFFNESSES))) return sb_option_count;
  while (from < sb_option_count && !(given_by_user(options, from) && sb_option_excludes(from, id))) ++from;
  return from;
}

static bool check_rivals(const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = true;
  for (sb_option_id a = 0; a < sb_option_count; ++a)
    if (given_by_user(options, a) && sb_option_at(a)->traits & SB_INSTEAD)
      for (sb_option_id b = 0; (b = next_rival(options, a, b)) < sb_option_count; ++b)
        good = sb_error_at(diagnostics, sb_options_location(options, b), "E106",
                           "options '%s' and '%s' exclude each other; give one of them", sb_option_at(a)->name,
                           sb_option_at(b)->name);
  if (given_by_user(options, SB_ID(stiffness_bias)) && given_by_user(options, SB_ID(stiffness_shear)))
    good = sb_error_at(diagnostics, sb_options_location(options, SB_ID(stiffness_bias)), "E106",
                       "options 'stiffness_bias' and 'stiffness_shear' both state the diagonals; give one of them");
  return good;
}

/* Refuses options that the user gave for another scene: without a message they would seem to act. */
static bool check_used(const sb_scene *scene, const sb_options *options, sb_option_id id, sb_diagnostics *diagnostics)
{
  const char *name = sb_option_at(id)->name;
  if (!given_by_user(options, id) || sb_has_word(scene->uses, name)) return true;
  bool elsewhere = false;
  for (size_t i = 0; i < sb_scene_count(); ++i) elsewhere = elsewhere || sb_has_word(sb_scene_at(i)->uses, name);
  if (!elsewhere) return true;
  char *list = with_commas(scene->uses);
  sb_error_at(diagnostics, sb_options_location(options, id), "E106", "scene '%s' has no option '%s'; it has %s",
              scene->name, name, list ? list : scene->uses);
  free(list);
  return false;
}

/* A set that reads points needs them. */
static bool check_points(const sb_options *options, const char *name, sb_diagnostics *diagnostics)
{
  const sb_entry *set = sb_list_find(&sb_pin_sets, name);
  for (sb_option_id id = 0; set && set->uses && id < sb_option_count; ++id)
    if (sb_has_word(set->uses, sb_option_at(id)->name) && !sb_options_has(options, id))
      return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(pins)), "E104", "pins=%s needs %s=[x,y,z]", name,
                         sb_option_at(id)->name);
  return true;
}

static bool check_pins(const sb_scene *scene, const sb_options *options, sb_diagnostics *diagnostics)
{
  const char       *name = SB_TEXT(options, pins);
  const sb_location where = sb_options_blame(options, SB_ID(pins));
  if (scene->particles && strcmp(name, "none") != 0)
    return sb_error_at(diagnostics, where, "E106",
                       "pins are for nets, and scene '%s' has particles, whose walls are fixed; leave pins out",
                       scene->name);
  sb_arena   *arena = sb_arena_create();
  const char *sets = sb_scene_pin_sets(scene, arena);
  const bool  good = *name == '[' || *name == '\0' || sb_has_word(sets, name);
  char       *list = good ? NULL : with_commas(sets);
  if (!good)
    sb_error_at(diagnostics, where, "E106",
                "scene '%s' has no pins '%s'; it has %s, or a list of vertices such as [0,3,10:12]", scene->name, name,
                list ? list : sets);
  free(list);
  sb_arena_destroy(&arena);
  return good && check_points(options, name, diagnostics);
}

/* Sets one "name=value" of a scene; cuts the text at the equals sign. */
static bool set_default(sb_options *options, char *pair, sb_diagnostics *diagnostics)
{
  const sb_location nowhere = {0};
  char             *equals = strchr(pair, '=');
  if (!equals) return sb_error_at(diagnostics, nowhere, "E106", "scene default '%s' has no value", pair);
  *equals = '\0';
  const sb_option_id id = sb_option_find(pair);
  if (id == sb_option_count)
    return sb_error_at(diagnostics, nowhere, "E101", "scene default '%s' is not an option", pair);
  if (given_by_user(options, id)) return true;
  if (next_rival(options, id, 0) < sb_option_count) {
    sb_options_unset(options, id);
    return true;
  }
  return sb_options_set(options, id, equals + 1, SB_FROM_SCENE, nowhere, diagnostics);
}

static bool set_defaults(const sb_scene *scene, sb_options *options, sb_diagnostics *diagnostics)
{
  char *text = strdup(scene->defaults);
  if (!text) return sb_scene_too_large(options, diagnostics);
  bool  good = true;
  char *rest = NULL;
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
    good = set_default(options, pair, diagnostics) && good;
  free(text);
  if (good && scene->derive) good = scene->derive(options, diagnostics);
  return good;
}

static const sb_scene *chosen_scene(const sb_options *options, sb_diagnostics *diagnostics)
{
  const char     *name = SB_TEXT(options, scene);
  const sb_scene *scene = sb_scene_find(name);
  if (scene) return scene;
  sb_arena   *arena = sb_arena_create();
  const char *known = sb_list_names(&sb_scenes, ", ", arena);
  if (*name)
    sb_error_at(diagnostics, sb_options_location(options, SB_ID(scene)), "E106", "there is no scene '%s'; there are %s",
                name, known);
  else
    sb_error_at(diagnostics, (sb_location){0}, "E106", "no scene is given; give scene=NAME, one of %s", known);
  sb_arena_destroy(&arena);
  return NULL;
}

bool sb_scene_apply_defaults(sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_scene *scene = chosen_scene(options, diagnostics);
  if (!scene) return false;
  bool good = check_rivals(options, diagnostics);
  for (sb_option_id id = 0; id < sb_option_count; ++id) good = check_used(scene, options, id, diagnostics) && good;
  good = set_defaults(scene, options, diagnostics) && good;
  return check_pins(scene, options, diagnostics) && good;
}

const double (*sb_scene_axes(const double gravity[3], bool in_plane))[3]
{
  static const double axes[3][3][3] = {
      {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  double most = 0;
  int    up = in_plane ? 1 : 2;
  for (int c = 0; c < 3; ++c) {
    if (!(fabs(gravity[c]) > most)) continue;
    most = fabs(gravity[c]);
    up = c;
  }
  return axes[up];
}

void sb_pose_strains(const sb_pose *pose, const double *position, double *strain)
{
  memset(strain, 0, pose->vertices * sizeof *strain);
  for (size_t s = 0; s < pose->springs; ++s) {
    const int32_t *ends = &pose->ends[2 * s];
    const double  *a = &position[3 * ends[0]], *b = &position[3 * ends[1]],
                 d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double rest = pose->rest_length[s], one = rest > 0 ? sqrt(sb_dot(d, d)) / rest - 1 : 0;
    for (int end = 0; end < 2; ++end)
      if (fabs(one) > fabs(strain[ends[end]])) strain[ends[end]] = one;
  }
}
