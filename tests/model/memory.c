/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that runs out at each allocation of the model in turn (the linker puts the functions below in the place of
 * libc's): a scene, its fields, its contacts and its paths are built, or there is a message; nothing crashes or leaks.
 */
#include "tests/model/support.h"

#include <stdlib.h>
#include <string.h>

#include "model/contact/contact.h"
#include "model/forces/field.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
FILE *__real_open_memstream(char **text, size_t *length);
void *__real_sb_allocate(size_t count, size_t size);
char *__real_sb_copy_text(const char *text);
FILE *__real_sb_text_stream(char **text, size_t *length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
FILE *__wrap_open_memstream(char **text, size_t *length);
void *__wrap_sb_allocate(size_t count, size_t size);
char *__wrap_sb_copy_text(const char *text);
FILE *__wrap_sb_text_stream(char **text, size_t *length);

/* `spared` within what ends the process by itself. */
static struct {
  long calls, at;
  bool spared;
} memory;

static bool fails(void) { return !memory.spared && ++memory.calls == memory.at; }

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }
char *__wrap_strdup(const char *text) { return fails() ? NULL : __real_strdup(text); }
FILE *__wrap_open_memstream(char **text, size_t *length)
{
  return fails() ? NULL : __real_open_memstream(text, length);
}

#define SPARED(type, call)                                                                                             \
  memory.spared = true;                                                                                                \
  type const result = call;                                                                                            \
  memory.spared = false;                                                                                               \
  return result
void *__wrap_sb_allocate(size_t count, size_t size) { SPARED(void *, __real_sb_allocate(count, size)); }
char *__wrap_sb_copy_text(const char *text) { SPARED(char *, __real_sb_copy_text(text)); }
FILE *__wrap_sb_text_stream(char **text, size_t *length) { SPARED(FILE *, __real_sb_text_stream(text, length)); }

/* All of a case that the model makes without PETSc. */
static bool build(const sb_options *options, sb_diagnostics *diagnostics, size_t *vertices, size_t *springs)
{
  sb_pose     pose = {0};
  sb_field   *field = NULL;
  sb_contact *contact = NULL;
  const bool  posed = sb_scene_build(options, &pose, diagnostics);
  const bool  made = posed && sb_field_create(options, &field) && sb_contact_create(options, &contact);
  *vertices = pose.vertices;
  *springs = pose.springs;
  if (field) sb_field_destroy(&field);
  if (contact) sb_contact_destroy(&contact);
  sb_pose_clear(&pose);
  if (posed && !made) return sb_error_at(diagnostics, (sb_location){0}, "E215", "as the caller says");
  return made;
}

static void fail_each(const char *pairs)
{
  sb_options     *options = sb_test_options(pairs);
  sb_diagnostics *good = sb_diagnostics_create();
  size_t          vertices = 0, springs = 0;
  if (!sb_scene_apply_defaults(options, good)) fail_msg("%s: %s", pairs, sb_diagnostics_message(good, 0));
  memory.at = memory.calls = 0;
  if (!build(options, good, &vertices, &springs)) fail_msg("%s: %s", pairs, sb_diagnostics_message(good, 0));
  const long calls = memory.calls;
  assert_true(calls >= 4);
  for (long n = 1; n <= calls; ++n) {
    sb_diagnostics *found = sb_diagnostics_create();
    size_t          v = 0, s = 0;
    memory.calls = 0;
    memory.at = n;
    const bool built = build(options, found, &v, &s);
    memory.at = 0;
    if (built ? v != vertices || s != springs : sb_diagnostics_errors(found) == 0)
      fail_msg("%s: allocation %ld of %ld: %s without a word", pairs, n, calls, built ? "another scene" : "nothing");
    sb_diagnostics_destroy(&found);
  }
  sb_diagnostics_destroy(&good);
  sb_options_destroy(&options);
}

static void scenes_are_built_or_say_why(void)
{
  static const char *const scenes[] = {"scene=rope nodes=5",
                                       "scene=cloth grid=4 pins=corners4",
                                       "scene=cloth_on_sphere grid=4",
                                       "scene=bar",
                                       "scene=sphere",
                                       "scene=chain",
                                       "scene=curtain",
                                       ("scene=cloth grid=4 contact=combined "
                                        "collider=plane:;sphere:radius=0.3 collider_path=rotation:rate=2"),
                                       "scene=rope nodes=4 wind=uniform:acceleration=[0,0,1];expression:x=sin(2*x)"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) fail_each(scenes[i]);
}

static void meshes_are_read_or_say_why(void)
{
  static const char *const files[] = {"two.obj",           "two.ply",  "two_binary.stl",    "two.stl",    "two.tet",
                                      "two_41_little.msh", "two.node", "two_22_little.msh", "two_big.ply"};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    char pairs[512];
    snprintf(pairs, sizeof pairs, "scene=mesh mesh=%s", files[i]);
    fail_each(pairs);
  }
}

TEST_MAIN(scenes_are_built_or_say_why, meshes_are_read_or_say_why)
