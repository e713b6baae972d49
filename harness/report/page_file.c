/* Pages beside files of a user; see page_file.h. */
#include "harness/report/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/report/report_text.h"

enum { HEAD_BYTES = 256 };

bool sb_page_is_ours(const char *path)
{
  char      head[HEAD_BYTES + 1] = "";
  const int file = sb_open(path, O_RDONLY | O_NONBLOCK); /* a pipe of that name must not hold us */
  if (file < 0) return false;
  const ssize_t got = read(file, head, HEAD_BYTES);
  (void)close(file);
  return got > 0 && (strstr(head, SB_PAGE_MARK) || strstr(head, SB_PAGE_HTML_MARK));
}

static sb_page_outcome leave(const char *path, const char *why)
{
  fprintf(stderr, "springbench: note: %s %s; the results are complete without this page\n", path, why);
  return SB_PAGE_LEFT;
}

/* The page of a parent is an extra: where nothing may be written there, that is no failure of the run. */
static sb_page_outcome refuse(const char *path, int error)
{
  if (error == EACCES || error == EPERM || error == EROFS) return leave(path, "may not be written here");
  sb_storage_error("write", path, error, 0);
  return SB_PAGE_FAILED;
}

sb_page_outcome sb_page_write(const char *path, bool (*write)(FILE *stream, void *context), void *context)
{
  if (access(path, F_OK) == 0 && !sb_page_is_ours(path))
    return leave(path, "was not made by springbench and is left as it is");
  FILE *stream = sb_report_open(path);
  if (!stream) return refuse(path, errno);
  if (write(stream, context)) return sb_report_close(stream, path) ? SB_PAGE_WRITTEN : SB_PAGE_FAILED;
  sb_report_drop(stream, path);
  return SB_PAGE_FAILED;
}
