/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals by signalfd; see signals.h. */
#include "harness/run/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "cases/common/exit_status.h"

static const int stop_signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGXCPU};
enum { STOP_SIGNALS = sizeof stop_signals / sizeof *stop_signals };

/* Under nohup and in the background of a shell some of them are already ignored: then they have no effect. */
static bool is_ignored(int number)
{
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* Whatever was being written lies aside and is swept away by the next run. */
static void leave(int number)
{
  static const char words[] = "springbench: stopped by a signal; the same command continues\n";
  (void)number;
  if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(SB_EXIT_INTERRUPTED);
  _exit(SB_EXIT_INTERRUPTED);
}

void sb_signals_leave_on_stop(void)
{
  const struct sigaction action = {.sa_handler = leave};
  for (int i = 0; i < STOP_SIGNALS; ++i)
    if (!is_ignored(stop_signals[i])) sigaction(stop_signals[i], &action, NULL);
}

void sb_signals_outlive_readers(void) { signal(SIGPIPE, SIG_IGN); }

bool sb_signals_open(sb_signals *signals)
{
  sigset_t listened, blocked;
  sigemptyset(&listened);
  sigaddset(&listened, SIGCHLD);
  for (int i = 0; i < STOP_SIGNALS; ++i)
    if (!is_ignored(stop_signals[i])) sigaddset(&listened, stop_signals[i]);
  blocked = listened;
  sigaddset(&blocked, SIGPIPE);
  sigaddset(&blocked, SIGXFSZ);
  signals->descriptor = -1;
  if (sigprocmask(SIG_BLOCK, &blocked, &signals->before) != 0) return false;
  signals->descriptor = signalfd(-1, &listened, SFD_NONBLOCK | SFD_CLOEXEC);
  return signals->descriptor >= 0;
}

void sb_signals_close(sb_signals *signals)
{
  if (signals->descriptor < 0) return;
  close(signals->descriptor);
  signals->descriptor = -1;
  /* A write that failed was reported; its signal must not end the process now that it is let in. */
  const struct timespec now = {0};
  sigset_t              reported;
  sigemptyset(&reported);
  sigaddset(&reported, SIGPIPE);
  sigaddset(&reported, SIGXFSZ);
  while (sigtimedwait(&reported, NULL, &now) > 0) continue;
  sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

int sb_signals_stop_asked(const sb_signals *signals)
{
  struct signalfd_siginfo information;
  int                     asked = 0;
  while (read(signals->descriptor, &information, sizeof information) == (ssize_t)sizeof information)
    if (information.ssi_signo != SIGCHLD && !asked) asked = (int)information.ssi_signo;
  return asked;
}
