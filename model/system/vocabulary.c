/* The model's lists as a vocabulary; see vocabulary.h. */
#include "model/system/vocabulary.h"

#include "model/contact/contact.h"
#include "model/forces/field.h"

#define SB_ENTRY(name) #name,
static const char *const scene_names[] = {
#include "model/scene/scenes.def"
};
#undef SB_ENTRY

const sb_vocabulary *sb_model_vocabulary(void)
{
  /* Made once from constants: the lists cannot change while the program runs. */
  static sb_family     families[4];
  static sb_vocabulary vocabulary;
  if (vocabulary.count) return &vocabulary;
  families[0] =
      (sb_family){.family = "scenes", .names = scene_names, .count = sizeof scene_names / sizeof *scene_names};
  families[1].family = "fields";
  families[1].forms = sb_field_forms(&families[1].count);
  families[2].family = "paths";
  families[2].forms = sb_path_forms(&families[2].count);
  families[3].family = "colliders";
  families[3].forms = sb_collider_forms(&families[3].count);
  vocabulary = (sb_vocabulary){.families = families, .count = 4};
  return &vocabulary;
}
