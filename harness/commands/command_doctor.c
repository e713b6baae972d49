/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `springbench doctor`: is this machine, and this build, fit to measure? It reads the system's settings that affect
 * times (sysfs: cpufreq, SMT, clock source; control groups of both versions; getloadavg). Then each core runs the
 * calibration loop of timed cases and is judged by their rules. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/finite.h"
#include "base/profile.h"
#include "cases/common/durable.h"
#include "cases/common/full_program.h"
#include "cases/common/machine.h"
#include "cases/store/noise.h"
#include "harness/commands/command.h"
#include "harness/report/table.h"
#include "harness/run/workers.h"
#include "solvers/device/device.h"

enum { ALL_SECONDS = 32, ADVICE_MAX = 16 };

typedef enum { FINE, DOUBTFUL, UNFIT } fitness;

typedef struct {
  sb_arena   *arena;
  sb_table   *table; /* a row per finding: its state, its subject, a comment */
  fitness     worst;
  const char *advice[ADVICE_MAX]; /* advice for the findings; literals */
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

/* ---- facts from the system ---- */

/* The first word of a file, "" when there is none. */
static const char *word_in(sb_arena *arena, const char *path)
{
  char *text = sb_arena_adopt(arena, sb_read_file(path, NULL));
  if (!text) return "";
  text += strspn(text, " \n");
  text[strcspn(text, " \n")] = '\0';
  return text;
}

/* The first governor of the cores in use that is not `performance` counts. */
static void check_governor(checkup *c)
{
  cpu_set_t   mine;
  const char *word = "";
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
  for (size_t core = 0; core < CPU_SETSIZE && (!*word || strcmp(word, "performance") == 0); ++core) {
    if (!CPU_ISSET(core, &mine)) continue;
    word =
        word_in(c->arena, sb_arena_format(c->arena, "/sys/devices/system/cpu/cpu%zu/cpufreq/scaling_governor", core));
    if (!*word) break;
  }
  const bool steady = !*word || strcmp(word, "performance") == 0;
  say(c, steady ? FINE : DOUBTFUL, "frequency governor", "cpupower frequency-set -g performance",
      !*word   ? "not visible here (a virtual machine?)"
      : steady ? word
               : sb_arena_format(c->arena, "%s: clock rates follow the load", word));
}

static void check_turbo(checkup *c)
{
  const char *intel = word_in(c->arena, "/sys/devices/system/cpu/intel_pstate/no_turbo");
  const char *other = word_in(c->arena, "/sys/devices/system/cpu/cpufreq/boost");
  const bool  turbo = *intel ? strcmp(intel, "0") == 0 : strcmp(other, "1") == 0;
  say(c, turbo ? DOUBTFUL : FINE, "turbo",
      "switch turbo off: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > "
      "/sys/devices/system/cpu/cpufreq/boost",
      turbo              ? "on: clock rates depend on how many cores work and how warm they are"
      : *intel || *other ? "off"
                         : "not visible here");
}

static void tell_siblings(checkup *c)
{
  const char *word = word_in(c->arena, "/sys/devices/system/cpu/smt/active");
  say(c, FINE, "SMT siblings", NULL,
      strcmp(word, "1") == 0 ? "on: cases are pinned to whole cores; keep other programs off their siblings"
      : *word                ? "none"
                             : "not visible here");
}

/* Cores that a control group grants, by the text of cpu.max ("max 100000", "50000 100000"); 0: no limit, or no such
 * text. */
static double cores_of(const char *text)
{
  double granted = 0, period = 0;
  if (!text || sscanf(text, "%lf %lf", &granted, &period) != 2 || !(granted > 0) || !(period > 0)) return 0;
  return granted / period;
}

/* The least that this group or one it is in grants, by version 2 (cpu.max), else by version 1. */
static void check_quota(checkup *c)
{
  sb_arena *arena = c->arena;
  char     *groups = sb_arena_adopt(arena, sb_read_file("/proc/self/cgroup", NULL)), *group = NULL, *rest = NULL;
  double    least = 0;
  for (char *line = groups ? strtok_r(groups, "\n", &rest) : NULL; line && !group; line = strtok_r(NULL, "\n", &rest))
    if (strncmp(line, "0::/", 4) == 0) group = line + 3;
  for (char *end = group; end;) {
    const char  *path = sb_arena_format(arena, "/sys/fs/cgroup%s/cpu.max", group);
    const double cores = cores_of(sb_arena_adopt(arena, sb_read_file(path, NULL)));
    if (cores > 0 && (least <= 0 || cores < least)) least = cores;
    end = strrchr(group, '/');
    if (end) *end = '\0';
  }
  const char *quota = sb_arena_adopt(arena, sb_read_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", NULL));
  const char *period = sb_arena_adopt(arena, sb_read_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", NULL));
  if (least <= 0 && quota && period) least = cores_of(sb_arena_format(arena, "%s %s", quota, period));
  say(c, least > 0 ? DOUBTFUL : FINE, "CPU quota", "lift the quota of the control group (cpu.max)",
      least > 0 ? sb_arena_format(arena, "%.3g cores: a process that works longer is paused", least) : "none");
}

/* Nothing to judge: what another machine may have less or more of. */
static void tell_hardware(checkup *c)
{
  say(c, FINE, "processor", NULL,
      sb_arena_format(c->arena, "%s; microcode %s", sb_machine_line(c->arena, "/proc/cpuinfo", "model name"),
                      sb_machine_microcode(c->arena)));
  say(c, FINE, "caches, memory", NULL,
      sb_arena_format(c->arena, "%s; memory %s", sb_machine_caches(c->arena), sb_machine_memory(c->arena)));
}

static void check_load(checkup *c)
{
  double     load[1] = {0};
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  const bool known = getloadavg(load, 1) == 1, idle = known && load[0] < 0.5 * (double)cores;
  say(c, idle ? FINE : DOUBTFUL, "load", known ? "end other programs, or wait for them" : NULL,
      known ? sb_arena_format(c->arena, "%.2f on %ld cores%s", load[0], cores,
                              idle ? "" : ": times will be taken in company")
            : "cannot be read");
}

/* The smallest step that the clock was seen to make, and what asking costs at best. */
static void check_clock(checkup *c)
{
  enum { LOOKS = 1000, BLOCKS = 20 };
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
  const bool  fine = step < 1e-6 && cost < 1e-6;
  const char *source = word_in(c->arena, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  say(c, fine ? FINE : DOUBTFUL, "clock", "boot with clocksource=tsc, if the processor allows it",
      sb_arena_format(c->arena, "%s: resolution %.0f ns, a reading costs %.0f ns%s",
                      *source ? source : "unknown source", 1e9 * step, 1e9 * cost,
                      fine ? "" : ": too coarse for short steps"));
}

static void check_space(checkup *c)
{
  struct statvfs about = {0};
  const bool     known = statvfs(".", &about) == 0;
  const double   gigabytes = (double)about.f_bavail * (double)about.f_frsize / 1e9;
  say(c, known && gigabytes > 1 ? FINE : DOUBTFUL, "free space",
      known ? "free some space, or choose another disk" : NULL,
      known ? sb_arena_format(c->arena, "%.1f GB here", gigabytes)
            : sb_arena_format(c->arena, "cannot be read: %s", strerror(errno)));
}

/* ---- each core on its own ---- */

static void check_cores(checkup *c, double seconds)
{
  cpu_set_t mine, one;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) {
    say(c, DOUBTFUL, "cores", NULL, "the cores that may be used are unknown");
    return;
  }
  seconds = fmin(seconds, (double)ALL_SECONDS / CPU_COUNT(&mine));
  for (size_t core = 0; core < CPU_SETSIZE; ++core) {
    char             words[SB_NOISE_WORDS];
    sb_noise_watch   watch;
    sb_noise_figures f;
    if (!CPU_ISSET(core, &mine)) continue;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) continue;
    sb_noise_watch_begin(&watch, c->arena);
    while (sb_clock_seconds() - watch.started_seconds < seconds) sb_noise_watch_calibrate(&watch);
    sb_noise_watch_end(&watch, 0, NULL, &f);
    const double waited = isfinite(f.waited_seconds) ? f.waited_seconds / f.window_seconds : 0;
    const bool   noisy = sb_noise_judge(&f, words) != 0;
    say(c, noisy ? DOUBTFUL : FINE, sb_arena_format(c->arena, "core %zu", core),
        "end other programs, or keep them off the cores that measure (taskset)",
        noisy ? sb_arena_format(c->arena, "noisy: %s", words)
              : sb_arena_format(c->arena,
                                "quiet: a loop of %.2f ms, median %.3f of its fast tenth; waited %.2f %%, steal %.2f "
                                "%%, %.2g switches per 100 ms",
                                1e3 * f.calibration_fast_s, f.calibration_median_s / f.calibration_fast_s, 100 * waited,
                                100 * sb_noise_steal(&f), (double)f.switches / (10 * f.window_seconds)));
  }
  sched_setaffinity(0, sizeof mine, &mine);
}

/* After the cores, as drivers start threads. */
static void tell_devices(checkup *c)
{
  sb_device_listing *all = sb_arena_take(c->arena, 1, sizeof *all);
  sb_device_list(all);
  for (size_t i = 0; i < all->count; ++i)
    say(c, FINE, sb_arena_format(c->arena, "opencl:%zu", i + 1), NULL,
        sb_arena_format(c->arena, "%s, %s, driver %s, %s", all->facts[i].name, all->facts[i].platform,
                        all->facts[i].driver, all->facts[i].doubles ? "double precision" : "single precision only"));
  if (*all->why) say(c, all->broken ? DOUBTFUL : FINE, "device", NULL, all->why);
}

/* Cases need the second of the two programs (full_program.h). */
static bool check_programs(checkup *c)
{
  const char *own = sb_arena_adopt(c->arena, sb_program_file(NULL)), *cases = sb_full_program_name(c->arena);
  const char *fault = sb_full_program_fault(sb_full_program(c->arena));
  say(c, FINE, "program of commands", NULL, own);
  say(c, fault ? UNFIT : FINE, "program of cases", NULL,
      fault ? sb_arena_format(c->arena, "cannot execute %s: %s", cases, fault) : cases);
  return !fault;
}

/* ---- the command ---- */

typedef struct {
  bool   strict;
  double seconds;
} request;

static const sb_command_option option_table[] = {
    {"strict", 0, NULL, "status 4 also if times are not reliable", sb_take_flag, .place = offsetof(request, strict)},
    {"seconds", 0, "TIME", "time for which each core is watched (2s)", sb_take_parsed,
     .place = offsetof(request, seconds), .parse = sb_parse_duration, .hint = "a time such as 2s"},
    {0},
};

static int run_doctor(int argc, char **argv, const sb_session *session)
{
  request     r = {.seconds = 2};
  checkup     c = {.arena = session->arena, .table = sb_table_of_words(session->arena, "||")};
  const char *options = getenv("PETSC_OPTIONS");
  const bool  finite = sb_tells_finite(), set = options && *options;
  (void)sb_command_read(argc, argv, session, &r);
  c.table->indent = 2;
  puts("Is this machine fit to measure?");
  fflush(stdout); /* the cores take their time */
  say(&c, finite ? FINE : UNFIT, "isfinite", "build without -ffast-math",
      finite ? "sees NaN and Inf" : "is blind in this build: it cannot be used");
  const bool complete = check_programs(&c);
  tell_hardware(&c);
  check_governor(&c);
  check_turbo(&c);
  tell_siblings(&c);
  check_quota(&c);
  check_load(&c);
  check_clock(&c);
  check_space(&c);
  say(&c, set ? DOUBTFUL : FINE, "PETSC_OPTIONS", "unset PETSC_OPTIONS",
      set ? "set: it changes solvers silently (recorded with every case)" : "not set");
  if (finite) check_cores(&c, r.seconds);
  tell_devices(&c);
  sb_table_print(c.table, SB_TABLE_TEXT, stdout);
  puts("A worker, which has loaded the libraries, forks the cases of a sweep. A case is a program of its own with:");
  for (int i = 0; i < SB_OWN_PROGRAMS; ++i) printf("  - %s: %s\n", sb_own_programs[i].what, sb_own_programs[i].why);
  if (!finite || !complete) {
    puts(finite ? "No: cases cannot run." : "No: this build gives wrong results.");
    return SB_EXIT_UNFIT;
  }
  if (c.worst == FINE) {
    puts("Yes.");
    return SB_EXIT_OK;
  }
  if (c.advices > 0) puts("What to do:");
  for (int i = 0; i < c.advices; ++i) printf("  - %s\n", c.advice[i]);
  puts("No, not for times: results are correct, but times measured now are doubtful.");
  return r.strict ? SB_EXIT_UNFIT : SB_EXIT_OK;
}

const sb_command sb_command_doctor = {.run = run_doctor, .options = option_table, .most = -1};
