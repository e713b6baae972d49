/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V49: known answers. Twelve tiny scenes by every integrator; the final state is compared with numbers that hold on
 * every machine to a tolerance, and to the bit where the platform's hashes are known. A change of results that nobody
 * meant is seen here first. tests/known/README.md says how to renew them. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/common/digest.h"

#if defined __clang__
#define COMPILER "clang"
#elif defined __GNUC__
#define COMPILER "gcc"
#else
#define COMPILER "other"
#endif
#if defined __x86_64__
#define ARCHITECTURE "x86_64"
#elif defined __aarch64__
#define ARCHITECTURE "aarch64"
#else
#define ARCHITECTURE "other"
#endif

enum { STEPS = 10, NUMBERS = 7, LABEL = 96 };
#define TOLERANCE 1e-9

typedef struct {
  const char *name, *pairs;
  double      h;
} known_scene;

static const known_scene scenes[] = {
    {"oscillator", "scene=oscillator", 0.1},
    {"chain", "scene=chain nodes=5 ends=fixed_free initial_mode=2 amplitude=0.2", 0.1},
    {"rope", "scene=rope nodes=6", 0.02},
    {"triangulated", "scene=cloth grid=3 springs=triangulated", 0.002},
    {"crossed", "scene=cloth grid=3 springs=crossed pins=corners4 damping_rate=0.5", 0.002},
    {"structural", "scene=cloth grid=3 springs=structural drag=0.01 perturbation=0.01", 0.002},
    {"bending", "scene=cloth grid=4 springs=alternating+bending stiffness_bending=100 spring_damping=0.01", 0.001},
    {"curtain", "scene=curtain grid=4", 0.005},
    {"square", "scene=square grid=3", 0.0005},
    {"sphere", "scene=sphere subdivisions=1 contact=none initial_velocity=[1,0,0] perturbation=0", 0.002},
    {"bar", "scene=bar grid=1", 0.002},
    {"centrifugal", "scene=cloth grid=3 pins=none gravity=[0,0,0] stiffness=25 wind=centrifugal:rate=10", 0.005},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

typedef struct {
  char   label[LABEL], hash[SB_DIGEST_LENGTH + 1];
  bool   hashed;          /* explicit: nobody else's arithmetic in it */
  double number[NUMBERS]; /* x and v of the last vertex, total energy */
} answer;

static void hash_state(const sb_trial *trial, char hash[SB_DIGEST_LENGTH + 1])
{
  sb_digest *digest = sb_digest_create();
  assert_non_null(digest);
  sb_digest_reals(digest, 3 * trial->vertices, trial->position);
  sb_digest_reals(digest, 3 * trial->vertices, trial->velocity);
  sb_digest_hex(digest, hash);
  sb_digest_destroy(&digest);
}

static void compute(const known_scene *scene, const sb_variant *variant, answer *result)
{
  sb_trial    trial;
  sb_energies energies;
  *result = (answer){.hashed = !sb_variant_solves(variant)};
  snprintf(result->label, LABEL, "%s; %s", scene->name, variant->label);
  sb_trial_open(&trial, PETSC_COMM_WORLD, scene->h, variant->pairs, NULL, NULL);
  sb_trial_advance(&trial, STEPS);
  assert_int_equal(trial.report.status, SB_OK);
  sb_must(sb_system_energies(trial.system, trial.x, trial.v, &energies));
  memcpy(result->number, &trial.position[3 * trial.vertices - 3], 3 * sizeof(double));
  memcpy(result->number + 3, &trial.velocity[3 * trial.vertices - 3], 3 * sizeof(double));
  result->number[6] = energies.total;
  hash_state(&trial, result->hash);
  sb_trial_close(&trial);
}

static FILE *open_known(const char *name, const char *mode)
{
  char        path[1000];
  const char *folder = getenv("SB_KNOWN");
  assert_non_null(folder);
  assert_in_range(snprintf(path, sizeof path, "%s/%s", folder, name), 1, sizeof path - 1);
  return fopen(path, mode);
}

/* The line of `label` behind its first comma; "" when there is none. */
static void find_line(FILE *file, const char *label, char *line, int size)
{
  const size_t length = strlen(label);
  rewind(file);
  while (fgets(line, size, file)) {
    if (strncmp(line, label, length) != 0 || line[length] != ',') continue;
    memmove(line, line + length + 1, strlen(line + length + 1) + 1);
    return;
  }
  line[0] = '\0';
}

static void check_numbers(FILE *file, const answer *found)
{
  static const char *const what[NUMBERS] = {"x", "y", "z", "v_x", "v_y", "v_z", "energy"};
  char                     line[600], *rest = line;
  find_line(file, found->label, line, sizeof line);
  if (!line[0]) fail_msg("%s: no known answer; tests/known/README.md", found->label);
  for (int i = 0; i < NUMBERS; ++i, ++rest) {
    const double known = strtod(rest, &rest);
    sb_near(found->label, what[i], found->number[i], known, TOLERANCE * fmax(1, fabs(known)));
  }
}

static void check_hash(FILE *file, const answer *found)
{
  char line[100];
  find_line(file, found->label, line, sizeof line);
  line[strcspn(line, "\n")] = '\0';
  if (strcmp(line, found->hash) != 0)
    fail_msg("%s: the state's hash is %s, known is '%s'; tests/known/README.md", found->label, found->hash, line);
}

typedef void (*with_answer)(FILE *states, FILE *hashes, const answer *found);

static void for_each_answer(FILE *states, FILE *hashes, with_answer act)
{
  for (int s = 0; s < SCENES; ++s) {
    for (size_t i = 0; i < sb_variant_count(); ++i) {
      const sb_variant variant = sb_variant_at(i, scenes[s].pairs);
      answer           found;
      compute(&scenes[s], &variant, &found);
      act(states, hashes, &found);
    }
  }
}

static void check(FILE *states, FILE *hashes, const answer *found)
{
  check_numbers(states, found);
  if (hashes && found->hashed) check_hash(hashes, found);
}

static void answers_are_the_known_ones(void)
{
  FILE *states = open_known("states.csv", "r"), *hashes = open_known("hashes-" COMPILER "-" ARCHITECTURE ".csv", "r");
  assert_non_null(states);
  if (!hashes) print_message("no hashes for " COMPILER " on " ARCHITECTURE ": compared to a tolerance only\n");
  for_each_answer(states, hashes, check);
  fclose(states);
  if (hashes) fclose(hashes);
}

static void write_answer(FILE *states, FILE *hashes, const answer *found)
{
  fprintf(states, "%s", found->label);
  for (int i = 0; i < NUMBERS; ++i) fprintf(states, ",%.17g", found->number[i]);
  fprintf(states, "\n");
  if (found->hashed) fprintf(hashes, "%s,%s\n", found->label, found->hash);
}

static void renew(void)
{
  FILE *states = open_known("states.csv", "w"), *hashes = open_known("hashes-" COMPILER "-" ARCHITECTURE ".csv", "w");
  assert_true(states && hashes);
  fprintf(states, "case,x,y,z,vx,vy,vz,energy\n");
  fprintf(hashes, "case,xxh3_128\n");
  for_each_answer(states, hashes, write_answer);
  assert_int_equal(fclose(states), 0);
  assert_int_equal(fclose(hashes), 0);
}

int main(int argc, char **argv)
{
  const bool renewing = argc > 1 && strcmp(argv[1], "--renew") == 0;
  argc = 1;
  return renewing ? RUN_PETSC_TESTS(argc, argv, renew) : RUN_PETSC_TESTS(argc, argv, answers_are_the_known_ones);
}
