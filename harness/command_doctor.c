/* `springbench doctor`: is this machine, and this build, fit to measure? */
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/finite.h"
#include "base/profile.h"
#include "base/random.h"
#include "harness/command.h"

enum { LOOPS = 40, LOOP_WORK = 400000 };

typedef enum { FINE, DOUBTFUL, UNFIT } verdict;

static verdict say(verdict v, const char *what, const char *detail)
{
  static const char *const words[] = {"ok", "doubtful", "UNFIT"};
  printf("  %-9s %-22s %s\n", words[v], what, detail);
  return v;
}

static verdict check_finiteness(void)
{
  const bool works = sb_tells_finite();
  return say(works ? FINE : UNFIT, "isfinite",
             works ? "sees NaN and Inf" : "is blind in this build: it cannot be used");
}

static bool read_word(const char *path, char word[64])
{
  FILE *file = fopen(path, "r");
  if (!file) return false;
  const bool good = fscanf(file, "%63s", word) == 1;
  fclose(file);
  return good;
}

static verdict check_governor(void)
{
  char word[64], detail[96];
  if (!read_word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", word))
    return say(FINE, "frequency governor", "not visible here");
  const bool steady = strcmp(word, "performance") == 0;
  snprintf(detail, sizeof detail, "%s%s", word, steady ? "" : ": clock rates vary with load");
  return say(steady ? FINE : DOUBTFUL, "frequency governor", detail);
}

static verdict check_load(void)
{
  double     load[1] = {0};
  char       detail[96];
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (getloadavg(load, 1) != 1) return say(DOUBTFUL, "load", "cannot be read");
  const bool idle = load[0] < 0.5 * (double)cores;
  snprintf(detail, sizeof detail, "%.2f on %ld cores%s", load[0], cores, idle ? "" : ": timings will be in company");
  return say(idle ? FINE : DOUBTFUL, "load", detail);
}

static verdict check_environment(void)
{
  const char *options = getenv("PETSC_OPTIONS");
  if (!options || !*options) return say(FINE, "PETSC_OPTIONS", "not set");
  return say(DOUBTFUL, "PETSC_OPTIONS", "set: it changes solvers silently (recorded with every case)");
}

static verdict check_space(void)
{
  struct statvfs about;
  char           detail[96];
  if (statvfs(".", &about) != 0) return say(DOUBTFUL, "free space", "cannot be read");
  const double gigabytes = (double)about.f_bavail * (double)about.f_frsize / 1e9;
  snprintf(detail, sizeof detail, "%.1f GB here", gigabytes);
  return say(gigabytes > 1 ? FINE : DOUBTFUL, "free space", detail);
}

static int compare_seconds(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A fixed loop, many times: on a quiet machine the median is within a few per cent of the minimum. */
static verdict check_noise(void)
{
  double   seconds[LOOPS];
  uint64_t sum = 0;
  char     detail[96];
  for (int i = 0; i < LOOPS; ++i) {
    const double started = sb_clock_seconds();
    for (uint64_t k = 0; k < LOOP_WORK; ++k) sum ^= sb_random_bits(k, sum);
    seconds[i] = sb_clock_seconds() - started;
  }
  qsort(seconds, LOOPS, sizeof *seconds, compare_seconds);
  const double ratio = seconds[LOOPS / 2] / seconds[0];
  const bool   quiet = ratio <= 1.05;
  snprintf(detail, sizeof detail, "a fixed loop's median is %.3f of its minimum%s%s", ratio,
           quiet ? "" : ": noisy (limit 1.05)", sum == 1 ? " " : "");
  return say(quiet ? FINE : DOUBTFUL, "noise", detail);
}

static int run_doctor(int argc, char **argv, const sb_driver_list *drivers)
{
  (void)argv;
  (void)drivers;
  if (argc > 1) return sb_command_usage(&sb_command_doctor);
  static verdict (*const checks[])(void) = {check_finiteness, check_governor,    check_load,
                                            check_space,      check_environment, check_noise};
  int counts[3] = {0, 0, 0};
  puts("Is this machine fit to measure?");
  for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i) counts[checks[i]()]++;
  if (counts[UNFIT])
    puts("No: this build or machine gives wrong results.");
  else if (counts[DOUBTFUL])
    puts("Results are sound; timings deserve a second look.");
  else
    puts("Yes.");
  return counts[UNFIT] ? SB_EXIT_UNFIT : SB_EXIT_OK;
}

const sb_command sb_command_doctor = {"doctor", "", "is this machine fit to measure?", run_doctor};
