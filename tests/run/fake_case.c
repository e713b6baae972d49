/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A case that computes nothing: called as the runner calls one, it behaves as the option `seed` says. It notes every
 * call in <results directory>.calls: key, repetition, the samples it was given, its processors, its environment. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tests/run/behaviours.h"

typedef struct {
  long        behaviour;
  const char *output, *samples_from, *repetition, *calibration;
  char        key[17];
  char        directory[4000];
} call;

static void read_arguments(int argc, char **argv, call *c)
{
  *c = (call){.samples_from = "-", .repetition = "?", .calibration = "-"};
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], "seed=", 5) == 0) c->behaviour = strtol(argv[i] + 5, NULL, 10);
    if (strcmp(argv[i], "-o") == 0) c->output = argv[i + 1];
    const char *equals = strchr(argv[i], '=');
    if (strncmp(argv[i], "--samples-from=", 15) == 0) c->samples_from = equals + 1;
    if (strncmp(argv[i], "--repetition=", 13) == 0) c->repetition = equals + 1;
    if (strncmp(argv[i], "--calibration=", 14) == 0) c->calibration = equals + 1;
  }
  if (!c->output) exit(2);
  const char *slash = strrchr(c->output, '/');
  snprintf(c->key, sizeof c->key, "%s", slash + 1);
  snprintf(c->directory, sizeof c->directory, "%.*s", (int)(slash - c->output - 4), c->output); /* less "/tmp" */
}

static char *beside(const call *c, const char *suffix, char path[4096])
{
  snprintf(path, 4096, "%s.%s", c->directory, suffix);
  return path;
}

static void note_call(const call *c)
{
  char      path[4096], line[4096];
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  const int file = open(beside(c, "calls", path), O_WRONLY | O_CREAT | O_APPEND, 0666);
  const int length = snprintf(line, sizeof line, "%s %s %s %d %s %s %s %d %ld\n", c->key, c->repetition,
                              access(c->samples_from, R_OK) == 0 ? "samples" : "-", CPU_COUNT(&cores),
                              getenv("SB_LEAK") ? "leak" : "clean", getenv("OMPI_MCA_btl") ? "inherited" : "own",
                              c->calibration, sched_getcpu(), (long)getpid());
  if (file < 0 || write(file, line, (size_t)length) != length) exit(5);
  close(file);
}

static void pause_briefly(void)
{
  const struct timespec moment = {.tv_nsec = 2000000};
  nanosleep(&moment, NULL);
}

static void wait_for(const call *c, const char *suffix)
{
  char path[4096];
  for (beside(c, suffix, path); access(path, F_OK) != 0;) pause_briefly();
}

static bool holds_alone(const call *c)
{
  char      path[4096];
  const int file = open(beside(c, "held", path), O_CREAT | O_EXCL | O_WRONLY, 0666);
  if (file < 0) return false;
  close(file);
  for (int i = 0; i < 50; ++i) pause_briefly();
  return unlink(path) == 0;
}

static void eat_memory(void)
{
  enum { BITE = 8 << 20 };
  for (int bites = 0; bites < 100; ++bites) {
    char *memory = malloc(BITE);
    if (memory) memset(memory, 1 + bites, BITE);
    pause_briefly();
  }
  for (;;) pause();
}

/* The contents of the file depend only on key and samples, or are a copy of <results directory>.states. */
static void write_file(const call *c)
{
  char  line[256], path[4096];
  FILE *file = fopen(c->output, "w"), *before = fopen(c->samples_from, "r");
  FILE *states = fopen(beside(c, "states", path), "r");
  if (!file) exit(5);
  for (size_t got = 1; states && got > 0;) fwrite(line, 1, got = fread(line, 1, sizeof line, states), file);
  while (before && fgets(line, sizeof line, before)) fputs(line, file);
  if (!states) fprintf(file, "%s repetition %s\n", c->key, c->repetition);
  if (before) fclose(before);
  if (states) fclose(states);
  if (fclose(file) != 0) exit(5);
}

static void print_row(const call *c, const char *status, const char *reason)
{
  printf("a line that is not the row\n"
         "{\"key\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"accuracy_ok\":%s,\"digest\":\"d%s\",\"wall_s\":0.25,"
         "\"max_rss_bytes\":1000,\"columns\":{\"size\":%ld.1,\"label\":\"a \\\"b\\\", "
         "c\",\"step_s\":0.125,\"empty\":null}}\n",
         c->key, status, reason, c->behaviour == DIVERGES ? "null" : "true", c->key, c->behaviour);
}

static int noisy_repetitions(long behaviour, int attempts)
{
  const int noisy = behaviour == NOISY_ONCE     ? 1
                    : behaviour == NOISY_TWICE  ? 2
                    : behaviour == NOISY_ALWAYS || behaviour == NOISY_AND_LONG ? attempts
                                                : 0;
  return noisy < attempts ? noisy : attempts;
}

/* The row of a case that measures times. */
static void print_timed_row(const call *c)
{
  const int    attempts = atoi(c->repetition) + 1, noisy = noisy_repetitions(c->behaviour, attempts);
  const double half_width =
      c->behaviour == NEVER_KNOWN || (c->behaviour == KNOWN_AT_NINE && attempts < 9) ? 0.03 : 0.01;
  printf("{\"key\":\"%s\",\"status\":\"ok\",\"reason\":\"\",\"accuracy_ok\":null,\"digest\":\"d\",\"wall_s\":0.25,"
         "\"max_rss_bytes\":1000,\"columns\":{\"step_s\":0.125,\"noisy\":%s},\"timing\":{\"attempts\":%d,\"quiet\":%d,"
         "\"seconds\":0.125,\"half_width\":%g,\"calibration_s\":%g,\"noisy\":\"%s\"}}\n",
         c->key, noisy == attempts ? "\"waited 50 %\"" : "null", attempts, attempts - noisy, half_width,
         1e-5 * (double)c->behaviour, noisy == attempts ? "waited 50 %" : "");
}

static int end_well(const call *c, const char *status)
{
  write_file(c);
  if (c->behaviour >= QUIET && c->behaviour <= LAST_WATCHED) {
    if (c->behaviour == NOISY_AND_LONG) sleep(3);
    print_timed_row(c);
    return 0;
  }
  print_row(c, status, strcmp(status, "ok") == 0 ? "" : "as it was told");
  return 0;
}

static int answer_for_another(const call *c)
{
  call other = *c;
  write_file(c);
  other.key[0] = c->key[0] == '0' ? '1' : '0';
  print_row(&other, "ok", "");
  return 0;
}

static int end_badly(const call *c)
{
  char path[4096];
  switch (c->behaviour) {
  case CRASHES:
    raise(SIGSEGV);
    return 99;
  case EXITS_1:
    return 1;
  case SAYS_IT_FAILED:
    print_row(c, "error", "its own words");
    return 1;
  case IS_REFUSED:
    return 2;
  case WRITES_NO_FILE:
    print_row(c, "ok", "");
    return 0;
  case PRINTS_GARBAGE:
    write_file(c);
    puts("{\"key\": 12");
    return 0;
  case FAILS_UNTIL_HEALED:
    return access(beside(c, "healed", path), F_OK) == 0 ? end_well(c, "ok") : 1;
  case DISK_IS_FULL:
    return access(beside(c, "healed", path), F_OK) == 0 ? end_well(c, "ok") : 5;
  case ANSWERS_FOR_ANOTHER:
    return answer_for_another(c);
  case IS_UNFIT:
    return 4;
  default:
    return 99;
  }
}

int main(int argc, char **argv)
{
  const struct rlimit no_core = {0};
  setrlimit(RLIMIT_CORE, &no_core);
  call c;
  read_arguments(argc, argv, &c);
  note_call(&c);
  fprintf(stderr, "first line\nlast words of %ld\n\n", c.behaviour);
  switch (c.behaviour) {
  case DIVERGES:
    return end_well(&c, "diverged");
  case DOES_NOT_CONVERGE:
    return end_well(&c, "not_converged");
  case HANGS:
    write_file(&c);
    for (;;) pause();
  case HANGS_ON:
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
  case EATS_MEMORY:
    eat_memory();
    return 99;
  case WAITS:
    wait_for(&c, "gate");
    return end_well(&c, "ok");
  case HOLDS:
    return holds_alone(&c) ? end_well(&c, "ok") : 1;
  default:
    return c.behaviour >= FIRST_BAD ? end_badly(&c) : end_well(&c, "ok");
  }
}
