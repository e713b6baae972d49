/* What surrounds a report: head, style, script, and the file they end in.
 *
 * The policy in the head names the digest of the page's own script: a script that came in as data does not run,
 * whatever was forgotten elsewhere. */
#include <errno.h>
#include <gcrypt.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/data_directory.h"
#include "harness/common/durable.h"
#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"

static char *read_part(const char *name, size_t *size)
{
  char *folder = sb_data_directory("plots"), *path = sb_format("%s/%s", folder, name), *text = sb_read_file(path, size);
  if (!text) fprintf(stderr, "springbench: %s: cannot read: %s\n", path, strerror(errno));
  free(folder);
  free(path);
  return text;
}

static void put_policy(FILE *stream, const char *script, size_t size)
{
  unsigned char digest[32];
  gcry_md_hash_buffer(GCRY_MD_SHA256, digest, script, size);
  fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
        "style-src 'unsafe-inline'; script-src 'sha256-",
        stream);
  sb_html_put_base64(stream, digest, sizeof digest);
  fputs("'\">\n", stream);
}

bool sb_html_page_begin(FILE *stream, const char *title)
{
  size_t size = 0;
  char  *style = read_part("report.css", NULL), *script = read_part("report.js", &size);
  if (style && script) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" SB_PAGE_HTML_MARK "\n", stream);
    put_policy(stream, script, size);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          stream);
    sb_html_element(stream, "title", title);
    fprintf(stream, "<style>\n%s</style>\n</head>\n<body>\n", style);
    fputs("<a class=\"skip\" href=\"#content\">Skip to the content</a>\n", stream);
  }
  const bool done = style && script;
  free(style);
  free(script);
  return done;
}

bool sb_html_page_end(FILE *stream)
{
  char *script = read_part("report.js", NULL);
  if (script) fprintf(stream, "<script>%s</script>\n</body>\n</html>\n", script);
  free(script);
  return script != NULL;
}

sb_page_outcome sb_html_page_write(const char *directory, bool (*write)(FILE *stream, void *context), void *context)
{
  char                 *path = sb_format("%s/report.html", directory);
  const sb_page_outcome outcome = sb_page_write(path, write, context);
  free(path);
  return outcome;
}
