/* `springbench doctor`: is this machine, and this build, fit to measure? `--aa`: by what do two equal runs differ? What
 * the system says of itself is looked at as far as it bears on times (sysfs: cpufreq, SMT, clock source; control groups
 * of both versions; getloadavg), then each core runs the calibration loop of timed cases and is judged by their rules.
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/finite.h"
#include "base/profile.h"
#include "harness/commands/command.h"
#include "harness/commands/doctor.h"
#include "harness/common/durable.h"
#include "harness/common/text.h"
#include "harness/report/table.h"
#include "harness/store/noise.h"

enum { ALL_SECONDS = 32, ADVICE_MAX = 16 };

typedef enum { FINE, DOUBTFUL, UNFIT } fitness;

typedef struct {
  sb_table   *table; /* a row a finding: how it is, what was looked at, what is said of it */
  fitness     worst;
  const char *advice[ADVICE_MAX]; /* what to do, for what was found; literals */
  int         advices;
} checkup;

/* Adds a finding, and what to do about it when it is not fine (NULL: nothing). */
static void say(checkup *c, fitness how, const char *what, const char *advice, const char *said)
{
  static const char *const words[] = {"ok", "doubtful", "UNFIT"};
  sb_table_add_row(c->table);
  sb_table_put(c->table, words[how]);
  sb_table_put(c->table, what);
  sb_table_put(c->table, said);
  if (how > c->worst) c->worst = how;
  if (how == FINE || !advice) return;
  for (int i = 0; i < c->advices; ++i)
    if (strcmp(c->advice[i], advice) == 0) return;
  if (c->advices < ADVICE_MAX) c->advice[c->advices++] = advice;
}

/* ---- what the system says of itself ---- */

/* The first word of a file, "" when there is none. */
static const char *word_in(const char *path, char word[64])
{
  FILE *file = fopen(path, "re");
  word[0] = '\0';
  if (file && fscanf(file, "%63s", word) != 1) word[0] = '\0';
  if (file) fclose(file);
  return word;
}

static void check_finiteness(checkup *c)
{
  const bool works = sb_tells_finite();
  say(c, works ? FINE : UNFIT, "isfinite", "build without -ffast-math",
      works ? "sees NaN and Inf" : "is blind in this build: it cannot be used");
}

/* The governors of the cores in use: the first that is not `performance` counts. */
static void check_governor(checkup *c)
{
  cpu_set_t mine;
  char      word[64] = "", path[96];
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
  for (size_t core = 0; core < CPU_SETSIZE && (!*word || strcmp(word, "performance") == 0); ++core) {
    if (!CPU_ISSET(core, &mine)) continue;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/cpufreq/scaling_governor", core);
    if (!*word_in(path, word)) break;
  }
  const bool steady = !*word || strcmp(word, "performance") == 0;
  say(c, steady ? FINE : DOUBTFUL, "frequency governor", "cpupower frequency-set -g performance",
      !*word   ? "not visible here (a virtual machine?)"
      : steady ? word
               : sb_arena_format(c->table->arena, "%s: clock rates follow the load", word));
}

static void check_turbo(checkup *c)
{
  char       word[64];
  const bool intel = *word_in("/sys/devices/system/cpu/intel_pstate/no_turbo", word) != '\0';
  const bool other = !intel && *word_in("/sys/devices/system/cpu/cpufreq/boost", word) != '\0';
  const bool on = (intel && strcmp(word, "0") == 0) || (other && strcmp(word, "1") == 0);
  say(c, on ? DOUBTFUL : FINE, "turbo",
      "switch turbo off: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > "
      "/sys/devices/system/cpu/cpufreq/boost",
      on               ? "on: clock rates depend on how many cores work and how warm they are"
      : intel || other ? "off"
                       : "not visible here");
}

static void check_siblings(checkup *c)
{
  char       word[64];
  const bool on = strcmp(word_in("/sys/devices/system/cpu/smt/active", word), "1") == 0;
  say(c, FINE, "SMT siblings", NULL,
      on      ? "on: cases are pinned to whole cores; keep other programs off their siblings"
      : *word ? "none"
              : "not visible here");
}

static void check_load(checkup *c)
{
  double     load[1] = {0};
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (getloadavg(load, 1) != 1) {
    say(c, DOUBTFUL, "load", NULL, "cannot be read");
    return;
  }
  const bool idle = load[0] < 0.5 * (double)cores;
  say(c, idle ? FINE : DOUBTFUL, "load", "end other programs, or wait for them",
      sb_arena_format(c->table->arena, "%.2f on %ld cores%s", load[0], cores,
                      idle ? "" : ": times will be taken in company"));
}

double sb_quota_cores(const char *text)
{
  double granted = 0, period = 0;
  if (!text || sscanf(text, "%lf %lf", &granted, &period) != 2 || !(granted > 0) || !(period > 0)) return 0;
  return granted / period;
}

/* The least that this group or one it is in grants, version 2: cpu.max; 0: no limit. */
static double least_quota(sb_arena *arena)
{
  char   line[512], *group = NULL;
  double least = 0;
  FILE  *file = fopen("/proc/self/cgroup", "re");
  while (file && !group && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "0::/", 4) == 0) group = line + 3;
  }
  if (file) fclose(file);
  for (bool above = group != NULL; above;) {
    const char  *path = sb_arena_format(arena, "/sys/fs/cgroup%s/cpu.max", group);
    const double cores = sb_quota_cores(sb_arena_adopt(arena, sb_read_file(path, NULL)));
    char        *end = strrchr(group, '/');
    if (cores > 0 && (least <= 0 || cores < least)) least = cores;
    above = end != NULL;
    if (above) *end = '\0';
  }
  return least;
}

/* The quota by version 1. */
static double old_quota(sb_arena *arena)
{
  const char *quota = sb_arena_adopt(arena, sb_read_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", NULL));
  const char *period = sb_arena_adopt(arena, sb_read_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", NULL));
  return quota && period ? sb_quota_cores(sb_arena_format(arena, "%s %s", quota, period)) : 0;
}

static void check_quota(checkup *c)
{
  const double new_cores = least_quota(c->table->arena), cores = new_cores > 0 ? new_cores : old_quota(c->table->arena);
  say(c, cores > 0 ? DOUBTFUL : FINE, "CPU quota", "lift the quota of the control group (cpu.max)",
      cores > 0 ? sb_arena_format(c->table->arena, "%.3g cores: whoever works longer is stopped for a while", cores)
                : "none");
}

/* The smallest step that the clock was seen to make, and what asking costs at best. */
static void check_clock(checkup *c)
{
  enum { LOOKS = 1000, BLOCKS = 20 };
  char   source[64];
  double step = INFINITY, cost = INFINITY;
  for (int block = 0; block < BLOCKS; ++block) {
    const double started = sb_clock_seconds();
    double       before = started;
    for (int i = 0; i < LOOKS; ++i) {
      const double now = sb_clock_seconds();
      if (now > before && now - before < step) step = now - before;
      before = now;
    }
    cost = fmin(cost, (before - started) / LOOKS);
  }
  const bool fine = step < 1e-6 && cost < 1e-6;
  word_in("/sys/devices/system/clocksource/clocksource0/current_clocksource", source);
  say(c, fine ? FINE : DOUBTFUL, "clock", "boot with clocksource=tsc, if the processor allows it",
      sb_arena_format(c->table->arena, "%s: steps of %.0f ns, asking costs %.0f ns%s",
                      *source ? source : "unknown source", 1e9 * step, 1e9 * cost,
                      fine ? "" : ": too coarse for short steps"));
}

static void check_environment(checkup *c)
{
  const char *options = getenv("PETSC_OPTIONS");
  const bool  set = options && *options;
  say(c, set ? DOUBTFUL : FINE, "PETSC_OPTIONS", "unset PETSC_OPTIONS",
      set ? "set: it changes solvers silently (recorded with every case)" : "not set");
}

static void check_space(checkup *c)
{
  struct statvfs about;
  if (statvfs(".", &about) != 0) {
    say(c, DOUBTFUL, "free space", NULL, sb_arena_format(c->table->arena, "cannot be read: %s", strerror(errno)));
    return;
  }
  const double gigabytes = (double)about.f_bavail * (double)about.f_frsize / 1e9;
  say(c, gigabytes > 1 ? FINE : DOUBTFUL, "free space", "make room, or choose another disk",
      sb_arena_format(c->table->arena, "%.1f GB here", gigabytes));
}

/* ---- each core on its own ---- */

static void check_core(checkup *c, size_t core, double seconds)
{
  sb_arena        *arena = c->table->arena;
  const char      *name = sb_arena_format(arena, "core %zu", core);
  char             words[SB_NOISE_WORDS];
  sb_noise_watch   watch;
  sb_noise_figures f;
  sb_noise_watch_begin(&watch, arena);
  while (sb_clock_seconds() - watch.started_seconds < seconds) sb_noise_watch_calibrate(&watch);
  sb_noise_watch_end(&watch, 0, NULL, &f);
  const double waited = isfinite(f.waited_seconds) ? f.waited_seconds / f.window_seconds : 0;
  if (sb_noise_judge(&f, words) != 0)
    say(c, DOUBTFUL, name, "end other programs, or keep them off the cores that measure (taskset)",
        sb_arena_format(arena, "noisy: %s", words));
  else
    say(c, FINE, name, NULL,
        sb_arena_format(arena,
                        "quiet: a loop of %.2f ms, median %.3f of its fast tenth; waited %.2f %%, steal %.2f %%, "
                        "%.2g switches per 100 ms",
                        1e3 * f.calibration_fast_s, f.calibration_median_s / f.calibration_fast_s, 100 * waited,
                        100 * sb_noise_steal(&f), (double)f.switches / (10 * f.window_seconds)));
}

static void check_cores(checkup *c, double seconds)
{
  cpu_set_t mine, one;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) {
    say(c, DOUBTFUL, "cores", NULL, "which of them may be used cannot be told");
    return;
  }
  for (size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &mine)) continue;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0)
      check_core(c, core, fmin(seconds, (double)ALL_SECONDS / CPU_COUNT(&mine)));
  }
  sched_setaffinity(0, sizeof mine, &mine);
}

/* ---- the command ---- */

static int check_up(double seconds, bool strict, const sb_session *session)
{
  static void (*const checks[])(checkup *) = {check_finiteness, check_governor, check_turbo,
                                              check_siblings,   check_quota,    check_load,
                                              check_clock,      check_space,    check_environment};
  checkup c = {.table = sb_table_create(session->arena)};
  c.table->indent = 2;
  for (int i = 0; i < 3; ++i) sb_table_add_column(c.table, "", "", false);
  puts("Is this machine fit to measure?");
  fflush(stdout); /* the cores take their time */
  for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i) checks[i](&c);
  if (c.worst != UNFIT) check_cores(&c, seconds);
  sb_table_print(c.table, SB_TABLE_TEXT, stdout);
  if (c.worst == UNFIT) {
    puts("No: this build gives wrong results.");
    return SB_EXIT_UNFIT;
  }
  if (c.worst == FINE) {
    puts("Yes.");
    return SB_EXIT_OK;
  }
  if (c.advices > 0) puts("What to do:");
  for (int i = 0; i < c.advices; ++i) printf("  - %s\n", c.advice[i]);
  puts("No, not for times: what is computed is sound, but times taken now deserve a second look.");
  return strict ? SB_EXIT_UNFIT : SB_EXIT_OK;
}

typedef struct {
  bool   aa, strict;
  int    rounds;
  double seconds;
} request;

enum { KEY_AA = 256, KEY_STRICT, KEY_ROUNDS, KEY_SECONDS };

static const struct argp_option option_table[] = {
    {"aa", KEY_AA, NULL, 0, "time one case as two methods in turn: what difference can be told from chance?", 0},
    {"strict", KEY_STRICT, NULL, 0, "status 4 also where times are not to be trusted", 0},
    {"rounds", KEY_ROUNDS, "N", 0, "how often --aa times each (10)", 0},
    {"seconds", KEY_SECONDS, "TIME", 0, "how long each core is watched (2s)", 0},
    {0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
  request *r = state->input;
  int64_t  number = 0;
  switch (key) {
  case KEY_AA:
    r->aa = true;
    return 0;
  case KEY_STRICT:
    r->strict = true;
    return 0;
  case KEY_ROUNDS:
    if (!sb_parse_integer(text, &number) || number < 5 || number > 1000)
      argp_error(state, "--rounds takes a whole number from 5 to 1000; got '%s'", text);
    r->rounds = (int)number;
    return 0;
  case KEY_SECONDS:
    if (!sb_parse_duration(text, &r->seconds)) argp_error(state, "--seconds takes a time such as 2s; got '%s'", text);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static int run_doctor(int argc, char **argv, const sb_session *session)
{
  request           r = {.rounds = 10, .seconds = 2};
  const struct argp parser = {option_table, parse_option, "", sb_command_doctor.summary, NULL, NULL, NULL};
  char              name[] = "springbench doctor";
  argv[0] = name;
  argp_err_exit_status = SB_EXIT_USAGE;
  const error_t failure = argp_parse(&parser, argc, argv, 0, NULL, &r);
  argv[0] = NULL;
  if (failure) return SB_EXIT_USAGE;
  return r.aa ? sb_doctor_aa(r.rounds, r.strict, session) : check_up(r.seconds, r.strict, session);
}

const sb_command sb_command_doctor = {"doctor", "[--aa] [--strict]", "is this machine fit to measure?", run_doctor};
