/* What the system says of itself, as far as it bears on times; see doctor.h. Sources: sysfs (cpufreq, SMT, clock
 * source), control groups of both versions, getloadavg. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/finite.h"
#include "base/profile.h"
#include "harness/commands/doctor.h"
#include "harness/common/durable.h"

void sb_checkup_say(sb_checkup *c, sb_fitness fitness, const char *what, const char *advice, const char *format, ...)
{
  static const char *const words[] = {"ok", "doubtful", "UNFIT"};
  va_list                  arguments;
  printf("  %-9s %-22s ", words[fitness], what);
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
  fflush(stdout);
  if (fitness > c->worst) c->worst = fitness;
  if (fitness == SB_FINE || !advice) return;
  for (int i = 0; i < c->advices; ++i)
    if (strcmp(c->advice[i], advice) == 0) return;
  if (c->advices < (int)(sizeof c->advice / sizeof *c->advice)) c->advice[c->advices++] = advice;
}

/* The first word of a file, "" when there is none. */
static const char *word_in(const char *path, char word[64])
{
  FILE *file = fopen(path, "re");
  word[0] = '\0';
  if (file && fscanf(file, "%63s", word) != 1) word[0] = '\0';
  if (file) fclose(file);
  return word;
}

static void check_finiteness(sb_checkup *c)
{
  const bool works = sb_tells_finite();
  sb_checkup_say(c, works ? SB_FINE : SB_UNFIT, "isfinite", "build without -ffast-math", "%s",
                 works ? "sees NaN and Inf" : "is blind in this build: it cannot be used");
}

/* Those of the cores in use, the first that is not `performance`. */
static void check_governor(sb_checkup *c)
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
  sb_checkup_say(c, steady ? SB_FINE : SB_DOUBTFUL, "frequency governor", "cpupower frequency-set -g performance",
                 "%s%s", *word ? word : "not visible here (a virtual machine?)",
                 steady ? "" : ": clock rates follow the load");
}

static void check_turbo(sb_checkup *c)
{
  char       word[64];
  const bool intel = *word_in("/sys/devices/system/cpu/intel_pstate/no_turbo", word) != '\0';
  const bool other = !intel && *word_in("/sys/devices/system/cpu/cpufreq/boost", word) != '\0';
  const bool on = (intel && strcmp(word, "0") == 0) || (other && strcmp(word, "1") == 0);
  sb_checkup_say(c, on ? SB_DOUBTFUL : SB_FINE, "turbo",
                 "switch turbo off: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > "
                 "/sys/devices/system/cpu/cpufreq/boost",
                 "%s",
                 on               ? "on: clock rates depend on how many cores work and how warm they are"
                 : intel || other ? "off"
                                  : "not visible here");
}

static void check_siblings(sb_checkup *c)
{
  char       word[64];
  const bool on = strcmp(word_in("/sys/devices/system/cpu/smt/active", word), "1") == 0;
  sb_checkup_say(c, SB_FINE, "SMT siblings", NULL, "%s",
                 on      ? "on: cases are pinned to whole cores; keep other programs off their siblings"
                 : *word ? "none"
                         : "not visible here");
}

static void check_load(sb_checkup *c)
{
  double     load[1] = {0};
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (getloadavg(load, 1) != 1) {
    sb_checkup_say(c, SB_DOUBTFUL, "load", NULL, "cannot be read");
    return;
  }
  const bool idle = load[0] < 0.5 * (double)cores;
  sb_checkup_say(c, idle ? SB_FINE : SB_DOUBTFUL, "load", "end other programs, or wait for them", "%.2f on %ld cores%s",
                 load[0], cores, idle ? "" : ": times will be taken in company");
}

double sb_quota_cores(const char *text)
{
  double granted = 0, period = 0;
  if (!text || sscanf(text, "%lf %lf", &granted, &period) != 2 || !(granted > 0) || !(period > 0)) return 0;
  return granted / period;
}

/* The least that this group or one it is in grants, version 2: cpu.max; 0: no limit. */
static double least_quota(void)
{
  char   line[512], *group = NULL;
  double least = 0;
  FILE  *file = fopen("/proc/self/cgroup", "re");
  while (file && !group && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "0::/", 4) == 0) group = sb_copy_text(line + 3);
  }
  if (file) fclose(file);
  for (bool above = group != NULL; above;) {
    char        *path = sb_format("/sys/fs/cgroup%s/cpu.max", group), *text = sb_read_file(path, NULL);
    char        *end = strrchr(group, '/');
    const double cores = sb_quota_cores(text);
    if (cores > 0 && (least <= 0 || cores < least)) least = cores;
    above = end != NULL;
    if (above) *end = '\0';
    free(path);
    free(text);
  }
  free(group);
  return least;
}

/* Version 1. */
static double old_quota(void)
{
  char        *quota = sb_read_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", NULL);
  char        *period = sb_read_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", NULL);
  char        *both = quota && period ? sb_format("%.*s %s", (int)strcspn(quota, "\n"), quota, period) : NULL;
  const double cores = sb_quota_cores(both);
  free(quota);
  free(period);
  free(both);
  return cores;
}

static void check_quota(sb_checkup *c)
{
  const double new_cores = least_quota(), cores = new_cores > 0 ? new_cores : old_quota();
  if (cores > 0)
    sb_checkup_say(c, SB_DOUBTFUL, "CPU quota", "lift the quota of the control group (cpu.max)",
                   "%.3g cores: whoever works longer is stopped for a while", cores);
  else
    sb_checkup_say(c, SB_FINE, "CPU quota", NULL, "none");
}

/* The smallest step that the clock was seen to make, and what asking costs at best. */
static void check_clock(sb_checkup *c)
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
  sb_checkup_say(c, fine ? SB_FINE : SB_DOUBTFUL, "clock", "boot with clocksource=tsc, if the processor allows it",
                 "%s: steps of %.0f ns, asking costs %.0f ns%s", *source ? source : "unknown source", 1e9 * step,
                 1e9 * cost, fine ? "" : ": too coarse for short steps");
}

static void check_environment(sb_checkup *c)
{
  const char *options = getenv("PETSC_OPTIONS");
  const bool  set = options && *options;
  sb_checkup_say(c, set ? SB_DOUBTFUL : SB_FINE, "PETSC_OPTIONS", "unset PETSC_OPTIONS", "%s",
                 set ? "set: it changes solvers silently (recorded with every case)" : "not set");
}

static void check_space(sb_checkup *c)
{
  struct statvfs about;
  if (statvfs(".", &about) != 0) {
    sb_checkup_say(c, SB_DOUBTFUL, "free space", NULL, "cannot be read: %s", strerror(errno));
    return;
  }
  const double gigabytes = (double)about.f_bavail * (double)about.f_frsize / 1e9;
  sb_checkup_say(c, gigabytes > 1 ? SB_FINE : SB_DOUBTFUL, "free space", "make room, or choose another disk",
                 "%.1f GB here", gigabytes);
}

void sb_checkup_machine(sb_checkup *checkup)
{
  static void (*const checks[])(sb_checkup *) = {check_finiteness, check_governor, check_turbo,
                                                 check_siblings,   check_quota,    check_load,
                                                 check_clock,      check_space,    check_environment};
  for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i) checks[i](checkup);
}
