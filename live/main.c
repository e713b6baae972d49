/* SPDX-License-Identifier: GPL-3.0-or-later */
/* springbench-live PORT DIR [FILE.h5] [NAME=VALUE …]: the server of `springbench live`, which has read the line. A
 * separate program, so that others do not load libwebsockets. Prints the page's address when the simulation is there;
 * ends by Ctrl-C. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "live/stage.h"

static struct lws_context *context;
static volatile bool       ended;
static int                 status;
static char                token[SB_TOKEN_LENGTH + 1];

static void on_signal(int number)
{
  (void)number;
  ended = true;
  lws_cancel_service(context);
}

static void ready(const char *why)
{
  if (why) {
    fprintf(stderr, "%s\n", why);
    status = SB_EXIT_USAGE;
    ended = true;
    lws_cancel_service(context);
    return;
  }
  printf("http://127.0.0.1:%d/?token=%s\nOpen this address in a browser; Ctrl-C ends it.\n", sb_web_port(), token);
  if (fflush(stdout) != 0) ended = true;
}

static bool make_token(void)
{
  unsigned char bytes[SB_TOKEN_LENGTH / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; ++i) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

/* plots/live.html with these files of plots/ at its marks. NULL after a message. */
static char *make_page(size_t *length)
{
  static const struct {
    const char *mark, *file;
  } parts[] = {{"<!--style-->", "view.css"}, {"<!--view-->", "view.js"}, {"<!--live-->", "live.js"}};
  SB_OWNED char *folder = sb_data_directory("plots"), *path = sb_format("%s/live.html", folder);
  char          *page = sb_read_file(path, NULL);
  if (!page) (void)sb_storage_error("read", path, errno, 0);
  for (size_t i = 0; page && i < sizeof parts / sizeof *parts; ++i) {
    SB_OWNED char *file = sb_format("%s/%s", folder, parts[i].file), *content = sb_read_file(file, NULL), *whole = page;
    char          *mark = strstr(whole, parts[i].mark);
    page = content && mark ? sb_format("%.*s%s%s", (int)(mark - whole), whole, content, mark + strlen(parts[i].mark))
                           : NULL;
    if (!page) (void)sb_storage_error("read", file, errno, 0);
  }
  *length = page ? strlen(page) : 0;
  return page;
}

/* {name: text}; NULL after a message about a word that is not UTF-8. */
static json_t *read_pairs(char **words)
{
  json_t *pairs = json_object();
  for (; *words; ++words) {
    const char    *sign = strchr(*words, '=');
    SB_OWNED char *name = sb_copy_span(*words, sign ? (size_t)(sign - *words) : strlen(*words));
    if (json_object_set_new(pairs, name, json_string(sign ? sign + 1 : "")) == 0) continue;
    fputs("springbench: error: an option of `springbench live` is not UTF-8\n", stderr);
    json_decref(pairs);
    return NULL;
  }
  return pairs;
}

static bool is_utf8(const char *text)
{
  json_auto_t *value = json_string(text);
  if (!value) fputs("springbench: error: a name of a file for `springbench live` is not UTF-8\n", stderr);
  return value != NULL;
}

int main(int argc, char **argv)
{
  size_t length = 0;
  if (argc < 3) {
    fputs("springbench-live is started by `springbench live`\n", stderr);
    return SB_EXIT_USAGE;
  }
  sb_streams_reserve();
  const bool     from_file = argc > 3 && !strchr(argv[3], '=');
  SB_OWNED char *content = make_page(&length), *program = sb_program_file("springbench-live-cases");
  json_auto_t   *pairs = read_pairs(argv + 3 + from_file);
  if (!pairs || !is_utf8(argv[2]) || (from_file && !is_utf8(argv[3]))) return SB_EXIT_USAGE;
  if (!content || !make_token()) return SB_EXIT_STORAGE;
  context = sb_web_start(&sb_stage_user, atoi(argv[1]), token, content, length);
  if (!context) {
    fprintf(stderr, "springbench: error: cannot listen on port %s of the loopback address\n", argv[1]);
    return SB_EXIT_UNFIT;
  }
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) signal(signals[i], on_signal);
  const sb_stage_setup setup = {program, from_file ? argv[3] : NULL, argv[2], pairs};
  if (sb_stage_begin(&setup, context, ready)) sb_web_serve(&ended);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) signal(signals[i], SIG_IGN);
  sb_stage_end();
  sb_web_end();
  return sb_streams_end(status);
}
