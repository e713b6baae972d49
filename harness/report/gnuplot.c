/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting gnuplot; see gnuplot.h. Its stderr goes to a file without a name, so that no pipe has to be emptied. */
#include "harness/report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocate.h"

extern char **environ;

/* Beginnings of the environment variables that change what gnuplot draws: its first terminal (it exits if it lacks that
 * one), its paths for scripts, fonts and prologues, and further output. Variables of fontconfig are kept: they find the
 * system's fonts. */
static const char *const left_out[] = {"GNU", "GDFONTPATH=", "FIT_", "DOMTERM="};

/* Returns the environment without these variables, NULL-ended; the list is malloc'ed, its texts are not. */
static char **clean_environment(void)
{
  size_t count = 0, kept = 0;
  while (environ[count]) ++count;
  char **clean = sb_allocate(count + 1, sizeof *clean);
  for (size_t i = 0; i < count; ++i) {
    size_t k = 0;
    while (k < sizeof left_out / sizeof *left_out && strncmp(environ[i], left_out[k], strlen(left_out[k])) != 0) ++k;
    if (k == sizeof left_out / sizeof *left_out) clean[kept++] = environ[i];
  }
  return clean;
}

/* The child's id, or -1 with errno set. `folder` NULL: the current folder. */
static pid_t start(char *const *arguments, const char *folder, int input, int said)
{
  pid_t                      child = -1;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t          attributes;
  sigset_t                   deadly;
  SB_OWNED char            **environment = clean_environment();
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  /* gnuplot does not test its writes: if it cannot write, it must be ended. */
  sigemptyset(&deadly);
  sigaddset(&deadly, SIGPIPE);
  sigaddset(&deadly, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &deadly);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  if (folder) posix_spawn_file_actions_addchdir_np(&actions, folder);
  if (input >= 0)
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
  const int failed = posix_spawnp(&child, "gnuplot", &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  errno = failed;
  return failed ? -1 : child;
}

/* Waits for it, and copies the beginning of its output to `text`. True if it ended well. */
static bool end(pid_t child, FILE *said, char *text, size_t size)
{
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (said) {
    rewind(said);
    text[fread(text, 1, size - 1, said)] = '\0';
    fclose(said);
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

char *sb_gnuplot_run(const char *folder, const char *script, const char *terminal)
{
  char           text[4096] = "";
  SB_OWNED char *choice = sb_format("term='%s'", terminal);
  char *const    arguments[] = {"gnuplot", "-d", "-e", choice, (char *)script, NULL};
  FILE          *said = tmpfile();
  fflush(stdout);
  const pid_t child = said ? start(arguments, folder, -1, fileno(said)) : -1;
  const int   cause = errno;
  if (end(child, said, text, sizeof text)) return NULL;
  if (child < 0) return sb_format("cannot start gnuplot (package gnuplot-nox): %s", strerror(cause));
  /* gnuplot shows the command and the place where it stopped; its last line has the reason. */
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == '\n') text[--length] = '\0';
  const char *line = strrchr(text, '\n');
  return sb_format("%s/%s: gnuplot failed (terminal %s): %s", folder, script, terminal, line ? line + 1 : text);
}

/* In single quotes, doubled inside; but gnuplot 5.4 reads a doubled quote right after the opening one as the end. */
void sb_gnuplot_put_text(FILE *stream, const char *text)
{
  for (; *text == '\''; ++text) fputs("\"'\".", stream);
  fputc('\'', stream);
  for (; *text; ++text) {
    if (*text == '\'') fputc('\'', stream);
    fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, stream);
  }
  fputc('\'', stream);
}

bool sb_gnuplot_open(sb_gnuplot *gnuplot, char error[256])
{
  /* Under its name the pipe is read in blocks; gnuplot reads "-" byte by byte, which was four fifths of a film's time.
   */
  char *const arguments[] = {"gnuplot", "-d", "/dev/stdin", NULL};
  int         ends[2] = {-1, -1};
  char        text[2];
  *gnuplot = (sb_gnuplot){.child = -1, .said = tmpfile()};
  signal(SIGPIPE, SIG_IGN);
  if (gnuplot->said && pipe2(ends, O_CLOEXEC) == 0) {
    gnuplot->child = start(arguments, NULL, ends[0], fileno(gnuplot->said));
    close(ends[0]);
    gnuplot->commands = fdopen(ends[1], "w");
  }
  if (gnuplot->child > 0 && gnuplot->commands) return true;
  snprintf(error, 256, "cannot start gnuplot (package gnuplot-nox): %s", strerror(errno));
  if (gnuplot->commands)
    fclose(gnuplot->commands);
  else if (ends[1] >= 0)
    close(ends[1]);
  end(gnuplot->child, gnuplot->said, text, sizeof text);
  return false;
}

bool sb_gnuplot_close(sb_gnuplot *gnuplot, char error[256])
{
  char       text[200] = "";
  const bool written = fclose(gnuplot->commands) == 0;
  if (end(gnuplot->child, gnuplot->said, text, sizeof text) && written) return true;
  text[strcspn(text, "\n")] = *text == '\n' ? ' ' : '\0';
  snprintf(error, 256, "gnuplot failed: %s", text);
  return false;
}
