/* Standard streams; see exit_status.h. */
#include "harness/common/exit_status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void sb_streams_reserve(void)
{
  /* The lowest free descriptor is given, so in this order each gets its own. Output opened for reading fails as that of
   * a closed descriptor does: who asked for it is told. */
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != stream) return;
}

int sb_streams_end(int status)
{
  const bool failed = ferror(stdout) != 0; /* its cause is gone, unless what is left fails too */
  errno = 0;
  if (fflush(stdout) == 0 && !failed) return status;
  fprintf(stderr, "springbench: error: cannot write to standard output%s%s\n", errno ? ": " : "",
          errno ? strerror(errno) : "; some of it is lost");
  return status == SB_EXIT_OK ? SB_EXIT_STORAGE : status;
}
