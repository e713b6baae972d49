/* Starting gnuplot; see gnuplot.h. Its stderr goes to a file without a name, so that nobody waits for a pipe to be
 * emptied. */
#include "harness/common/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/allocate.h"

extern char **environ;

/* The child's id, or -1 with errno set. `folder` NULL: where we are. */
static pid_t start(char *const *arguments, const char *folder, int input, int said)
{
  pid_t                      child = -1;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t          attributes;
  sigset_t                   deadly;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  /* It looks at no write: what cannot be written has to end it. */
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
  const int failed = posix_spawnp(&child, "gnuplot", &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  errno = failed;
  return failed ? -1 : child;
}

static bool ended_well(pid_t child)
{
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The beginning of what gnuplot said, as it is. */
static void read_said(FILE *said, char *text, size_t size)
{
  rewind(said);
  text[fread(text, 1, size - 1, said)] = '\0';
}

/* gnuplot shows the command and where it stopped in it; its last line says why. */
static const char *last_line(char *text)
{
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == '\n') text[--length] = '\0';
  const char *end = strrchr(text, '\n');
  return end ? end + 1 : text;
}

char *sb_gnuplot_run(const char *folder, const char *script, const char *terminal)
{
  char        text[4096] = "", *message = NULL;
  char       *choice = sb_format("term='%s'", terminal);
  char *const arguments[] = {"gnuplot", "-d", "-e", choice, (char *)script, NULL};
  FILE       *said = tmpfile();
  fflush(stdout);
  const pid_t child = said ? start(arguments, folder, -1, fileno(said)) : -1;
  const int   cause = errno;
  const bool  done = child > 0 && ended_well(child);
  if (said) read_said(said, text, sizeof text);
  if (child < 0)
    message = sb_format("cannot start gnuplot (package gnuplot-nox): %s", strerror(cause));
  else if (!done)
    message = sb_format("%s/%s: gnuplot failed (terminal %s): %s", folder, script, terminal, last_line(text));
  if (said) fclose(said);
  free(choice);
  return message;
}

/* In single quotes, doubled inside; but gnuplot 5.4 takes a doubled quote right behind the opening one for the end. */
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
  char *const arguments[] = {"gnuplot", "-d", "-", NULL};
  int         ends[2] = {-1, -1};
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
  if (gnuplot->child > 0) (void)ended_well(gnuplot->child);
  if (gnuplot->said) fclose(gnuplot->said);
  return false;
}

bool sb_gnuplot_close(sb_gnuplot *gnuplot, char error[256])
{
  char       text[200] = "";
  const bool written = fclose(gnuplot->commands) == 0;
  const bool done = ended_well(gnuplot->child) && written;
  read_said(gnuplot->said, text, sizeof text);
  fclose(gnuplot->said);
  if (done) return true;
  text[strcspn(text, "\n")] = *text == '\n' ? ' ' : '\0';
  snprintf(error, 256, "gnuplot failed: %s", text);
  return false;
}
