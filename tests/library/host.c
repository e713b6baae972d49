/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that uses the library, MPI and its own locale, traps and handlers. Its words are done in turn; each that
 * calls the library prints what came of it. Status 3: this machine lacks the locale. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fenv.h>
#include <locale.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "springbench.h"

enum { MOST = 8, BYTES = 4096 };

static sb_sim     *sims[MOST];
static int         count;
static const char *options =
    "scene=cloth grid=4 integrator=implicit_euler linear=petsc petsc='-ksp_rtol 1.5e-9' h=0.01";

/* State of the host that the library must leave as it is. */
typedef struct {
  struct sigaction action[NSIG];
  locale_t         locale;
  char             point[8], environment[16 * BYTES];
  int              traps, rounding, flags;
  unsigned         control;
} own;

static own before;

static void look(own *now)
{
  size_t used = 0;
  memset(now, 0, sizeof *now);
  for (int i = 1; i < NSIG; ++i) sigaction(i, NULL, &now->action[i]);
  now->locale = uselocale((locale_t)0);
  strcpy(now->point, localeconv()->decimal_point);
  for (char **entry = environ; *entry && used + strlen(*entry) + 2 < sizeof now->environment; ++entry)
    used += (size_t)sprintf(now->environment + used, "%s\n", *entry);
  now->traps = fegetexcept();
  now->rounding = fegetround();
  now->flags = fetestexcept(FE_ALL_EXCEPT);
#ifdef __SSE__
  now->control = _mm_getcsr();
#endif
}

static void print(const char *what, const char *error) { printf("%s: %s\n", what, error ? error : "ok"); }

static bool is_same(const struct sigaction *a, const struct sigaction *b)
{
  const int flags =
      (int)(SA_NODEFER | SA_RESTART | SA_SIGINFO | SA_ONSTACK | SA_RESETHAND); /* not the C library's own */
  bool same = a->sa_handler == b->sa_handler && (a->sa_flags & flags) == (b->sa_flags & flags);
  for (int i = 1; i < NSIG; ++i) same = same && sigismember(&a->sa_mask, i) == sigismember(&b->sa_mask, i);
  return same;
}

static void compare(void)
{
  static own now;
  look(&now);
  for (int i = 1; i < NSIG; ++i)
    if (!is_same(&now.action[i], &before.action[i])) printf("signal %d is another's\n", i);
  if (strcmp(now.environment, before.environment) != 0) printf("the environment is now %s\n", now.environment);
  if (now.locale != before.locale || strcmp(now.point, before.point) != 0) puts("the locale is another");
  if (now.traps != before.traps || now.rounding != before.rounding || now.flags != before.flags ||
      now.control != before.control)
    printf("traps %x, rounding %x, flags %x, control %x\n", now.traps, now.rounding, now.flags, now.control);
}

static void handle(int number) { (void)number; }

static void set_handlers(void)
{
  for (int i = 1; i < NSIG; ++i) {
    struct sigaction action = {.sa_handler = i % 2 ? handle : SIG_IGN, .sa_flags = SA_NODEFER};
    sigaddset(&action.sa_mask, SIGWINCH);
    sigaction(i, &action, NULL);
  }
}

static void set_arithmetic(void)
{
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept(FE_INEXACT);
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  fesetround(FE_UPWARD);
#ifdef __SSE__
  _mm_setcsr(_mm_getcsr() | 0x8040); /* subnormal numbers are zero, as programs of -ffast-math have it */
#endif
}

static void make(void)
{
  sb_sim *sim = sims[count++] = sb_sim_from_scene(options);
  print("sim", sb_sim_error(sim));
}

/* Makes three steps and adds the bits of the state to *sum. */
static bool advance(sb_sim *sim, unsigned long long *sum)
{
  double             x[BYTES];
  unsigned long long bits;
  if (sb_sim_advance(sim, 3, NULL) != SB_SIM_OK || sb_sim_get(sim, x, NULL) != SB_SIM_OK) return false;
  for (size_t k = 0; k < 3 * sb_sim_net(sim)->vertices; ++k) {
    memcpy(&bits, x + k, sizeof bits);
    *sum = 31 * *sum + bits;
  }
  return true;
}

/* The bits of all states, as a whole number: printing another one would depend on the rounding. */
static void step(void)
{
  unsigned long long sum = 0;
  for (int i = 0; i < count; ++i) {
    if (advance(sims[i], &sum))
      printf("step: %llx\n", sum);
    else
      print("step", sb_sim_error(sims[i]));
  }
}

/* ---- threads ---- */

enum { THREADS = 4, TIMES = 5 };

static void *work(void *unused)
{
  (void)unused;
  for (int i = 0; i < TIMES; ++i) {
    unsigned long long sum = 0;
    sb_sim            *sim = sb_sim_from_scene(options);
    if (advance(sim, &sum))
      printf("step: %llx\n", sum);
    else
      print("thread", sb_sim_error(sim));
    sb_sim_free(sim);
  }
  return NULL;
}

static void run_threads(void)
{
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; ++i) pthread_join(thread[i], NULL);
}

static atomic_bool begun;

static void *work_long(void *unused)
{
  sb_sim *sim = sb_sim_from_scene(options);
  (void)unused;
  begun = true;
  print("thread", sb_sim_advance(sim, 300, NULL) ? sb_sim_error(sim) : NULL);
  sb_sim_free(sim);
  return NULL;
}

/* A process that is forked while a thread makes steps has no thread to wait for. */
static void fork_meanwhile(void)
{
  pthread_t thread;
  int       status = 0;
  pthread_create(&thread, NULL, work_long, NULL);
  while (!begun) sched_yield();
  usleep(10000);
  if (fork() == 0) {
    alarm(60);
    _exit(sb_sim_list_name("scenes", 0) ? 0 : 1);
  }
  wait(&status);
  print("fork", status == 0 ? NULL : "the child waits for ever");
  pthread_join(thread, NULL);
}

/* Every other call. */
static void call_all(void)
{
  double  value, x[BYTES];
  sb_sim *sim = sims[0];
  sb_net  net = *sb_sim_net(sim);
  int32_t vertex = 12;
  print("set", sb_sim_get(sim, x, NULL) || sb_sim_set(sim, x, NULL) ? sb_sim_error(sim) : NULL);
  print("measure", sb_sim_measure(sim, "energy_total", &value) ? sb_sim_error(sim) : NULL);
  print("save", sb_sim_save(sim, "host.h5") ? sb_sim_error(sim) : NULL);
  sb_sim *other = sb_sim_from_net(&net, "h=0.0015"); /* reads the arrays of `sim` before it changes */
  print("record", sb_sim_record(sim) ? sb_sim_error(sim) : NULL);
  print("configure", sb_sim_configure(sim, "gravity=[0,0,-1.5] stiffness=25.5") ? sb_sim_error(sim) : NULL);
  print("pin", sb_sim_pin(sim, 1, &vertex) || sb_sim_move(sim, 1, &vertex, x) ? sb_sim_error(sim) : NULL);
  print("free", sb_sim_unpin(sim, 1, &vertex) || sb_sim_set_forces(sim, x) ? sb_sim_error(sim) : NULL);
  step();
  sb_sim *loaded = sb_sim_load("host.h5");
  print("load", sb_sim_error(loaded));
  sb_sim_free(loaded);
  print("net", sb_sim_error(other) ? sb_sim_error(other) : sb_sim_advance(other, 3, NULL) ? sb_sim_error(other) : NULL);
  sb_sim_free(other);
  other = sb_sim_from_scene("scene=rope stiffness=1e9 h=0.01"); /* diverges: overflows and what is not a number */
  printf("rope: %d\n", sb_sim_advance(other, 1000, NULL));
  sb_sim_free(other);
  other = sb_sim_from_scene("scene=cloth stifness=0.5");
  print("cloth", sb_sim_error(other));
  sb_sim_free(other);
  printf("list: %s %s\n", sb_sim_list_name("scenes", 0), sb_sim_list_summary("nothing", 0) ? "wrong" : "right");
}

static void end(void)
{
  int flag = 0;
  if (MPI_Initialized(&flag), flag) MPI_Finalize();
}

static void begin_once(void)
{
  int flag = 0;
  if (MPI_Initialized(&flag), !flag) MPI_Init(NULL, NULL);
}

static void begin_threaded(void)
{
  int level = 0;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
}

static void begin(void) { MPI_Init(NULL, NULL); }
static void drop(void) { sb_sim_free(sims[--count]); }
static void note(void) { look(&before); }
static void set_locale(void)
{
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) exit(3);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *word;
    void (*act)(void);
  } acts[] = {{"init", begin},
              {"once", begin_once},
              {"thread", begin_threaded},
              {"finalize", end},
              {"sim", make},
              {"step", step},
              {"all", call_all},
              {"free", drop},
              {"note", note},
              {"compare", compare},
              {"handlers", set_handlers},
              {"locale", set_locale},
              {"arithmetic", set_arithmetic},
              {"threads", run_threads},
              {"fork", fork_meanwhile}};
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 1; i < argc; ++i)
    for (size_t k = 0; k < sizeof acts / sizeof *acts; ++k)
      if (strcmp(acts[k].word, argv[i]) == 0) acts[k].act();
  puts("end");
  return 0;
}
