/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See web.h. A request is refused before anything is read of it unless its Host is a loopback name, it has the token,
 * and, for a WebSocket, its Origin is this server. A page of another site can neither read nor write here then: it does
 * not know the token, and its browser states its own origin. */
#include "live/web.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/allocate.h"

#define SUBPROTOCOL "springbench-live.1"
/* A page that does not read its messages is closed; one that sends more in a message, too. Nets do not count, as a page
 * has at most one of each side waiting. */
enum { TOLD_MAX = 64 << 20, HEARD_MAX = 64 << 10, PAGES_MAX = 16 };
/* For a request; for its answer to be read; of silence until a page is asked whether it is there, and until it is not.
 */
enum { SECONDS_TO_ASK = 5, SECONDS_TO_READ = 60, SECONDS_TO_PING = 60, SECONDS_TO_ANSWER = 120 };

/* Bytes that several pages get. */
typedef struct {
  size_t  uses, length;
  bool    binary;
  int     net_of;  /* 1 + the side whose net it is; 0: another message */
  uint8_t bytes[]; /* after LWS_PRE bytes that libwebsockets needs */
} parcel;

struct sb_visitor {
  struct lws *wsi;
  sb_visitor *next;
  parcel    **told; /* [count], to be sent */
  size_t      count, told_bytes, heard_bytes;
  char       *heard; /* of a message that has begun */
  bool        hears; /* it has */
  bool        visible;
  parcel     *picture[SB_SIDES]; /* that has begun to be sent */
  int         parts, part;       /* of it; the next */
  uint32_t    sent[2], seen;     /* numbers of the last two pictures, and of the last that was acknowledged */
};

static struct {
  const sb_web_user  *user;
  struct lws_context *context;
  struct lws_vhost   *host;
  const char         *token;
  char               *content;
  size_t              length;
  sb_visitor         *pages;
  uint32_t            frame;
  int                 sides;
  parcel             *picture[SB_SIDES];
} web;

/* ---- parcels ---- */

static parcel *wrap(const void *bytes, size_t length, bool binary)
{
  parcel *p = sb_insist(malloc(sizeof *p + LWS_PRE + length));
  *p = (parcel){1, length, binary, 0};
  memcpy(p->bytes + LWS_PRE, bytes, length);
  return p;
}

static void release(parcel *p)
{
  if (p && --p->uses == 0) free(p);
}

static size_t counted(const parcel *p) { return p->net_of ? 0 : sizeof *p + LWS_PRE + p->length; }

/* Takes the message at `i` from those that wait. */
static parcel *untell(sb_visitor *page, size_t i)
{
  parcel *p = page->told[i];
  memmove(page->told + i, page->told + i + 1, (--page->count - i) * sizeof *page->told);
  page->told_bytes -= counted(p);
  return p;
}

static void tell(sb_visitor *page, parcel *p)
{
  if (page->told_bytes > TOLD_MAX) {
    lws_set_timeout(page->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC); /* it does not read */
    return;
  }
  for (size_t i = page->count; p->net_of && i-- > 0;)
    if (page->told[i]->net_of == p->net_of) release(untell(page, i));
  page->told_bytes += counted(p);
  ++p->uses;
  page->told = sb_grow(page->told, page->count, sizeof *page->told);
  page->told[page->count++] = p;
  lws_callback_on_writable(page->wsi);
}

static parcel *wrap_json(const json_t *message)
{
  SB_OWNED char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(12));
  const char    *type = json_string_value(json_object_get(message, "type"));
  parcel        *p = wrap(text ? text : "{}", text ? strlen(text) : 2, false);
  if (type && strcmp(type, "net") == 0) p->net_of = 1 + (int)json_integer_value(json_object_get(message, "side"));
  return p;
}

void sb_visitor_tell(sb_visitor *page, const json_t *message)
{
  parcel *p = wrap_json(message);
  tell(page, p);
  release(p);
}

void sb_web_tell(const json_t *message)
{
  parcel *p = wrap_json(message);
  for (sb_visitor *page = web.pages; page; page = page->next) tell(page, p);
  release(p);
}

/* ---- pictures ---- */

static bool wants_picture(const sb_visitor *page)
{
  const bool seen = (int32_t)(page->seen - page->sent[0]) >= 0;
  return page->parts > 0 || (web.sides > 0 && page->visible && seen && page->sent[1] != web.frame);
}

static void ask_to_write(sb_visitor *page)
{
  if (page->count > 0 || wants_picture(page)) lws_callback_on_writable(page->wsi);
}

void sb_web_show(uint32_t frame, int sides, const void *const picture[SB_SIDES], const size_t length[SB_SIDES])
{
  for (int i = 0; i < SB_SIDES; ++i) {
    release(web.picture[i]);
    web.picture[i] = i < sides ? wrap(picture[i], length[i], true) : NULL;
  }
  web.frame = frame;
  web.sides = sides;
  for (sb_visitor *page = web.pages; page; page = page->next) ask_to_write(page);
}

void sb_visitor_acknowledge(sb_visitor *page, uint32_t frame)
{
  if (frame != page->sent[0] && frame != page->sent[1]) return;
  page->seen = frame;
  ask_to_write(page);
}

void sb_visitor_set_visible(sb_visitor *page, bool visible)
{
  page->visible = visible;
  if (visible) page->seen = page->sent[1]; /* pictures that came while it was hidden are not drawn */
  ask_to_write(page);
}

bool sb_web_is_watched(void)
{
  bool watched = false;
  for (const sb_visitor *page = web.pages; page; page = page->next) watched = watched || page->visible;
  return watched;
}

sb_visitor *sb_web_visitor(size_t i)
{
  sb_visitor *page = web.pages;
  while (page && i-- > 0) page = page->next;
  return page;
}

/* ---- requests ---- */

/* A loopback name with any port, as an SSH tunnel may have another one. */
static bool is_loopback(const char *host)
{
  static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const size_t length = strlen(names[i]);
    if (strncmp(host, names[i], length) != 0) continue;
    const char *port = host + length;
    if (*port == '\0') return true;
    if (*port++ != ':') continue;
    return *port != '\0' && strlen(port) <= 5 && strspn(port, "0123456789") == strlen(port);
  }
  return false;
}

/* The time of this does not show how much of it is right. */
static bool is_token(const char *given)
{
  unsigned other = strlen(given) != SB_TOKEN_LENGTH;
  for (size_t i = 0; !other && i < SB_TOKEN_LENGTH; ++i) other |= (unsigned)(given[i] ^ web.token[i]);
  return other == 0;
}

/* False if it is not there, or has a NUL. */
static bool header(struct lws *wsi, enum lws_token_indexes which, char *text, int size)
{
  *text = '\0';
  const int length = lws_hdr_copy(wsi, text, size, which);
  return length > 0 && (size_t)length == strlen(text);
}

static bool may_ask(struct lws *wsi)
{
  char        host[128], token[SB_TOKEN_LENGTH + 8];
  const char *given = lws_get_urlarg_by_name(wsi, "token=", token, sizeof token);
  return header(wsi, WSI_TOKEN_HOST, host, sizeof host) && is_loopback(host) && given && is_token(given);
}

/* A browser states the origin of the page that opens a WebSocket. */
static bool may_open(struct lws *wsi)
{
  char   host[128], origin[160], expected[160];
  size_t pages = 0;
  for (const sb_visitor *page = web.pages; page; page = page->next) ++pages;
  if (pages >= PAGES_MAX || !may_ask(wsi) || !header(wsi, WSI_TOKEN_HOST, host, sizeof host)) return false;
  snprintf(expected, sizeof expected, "http://%s", host);
  return header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin) && strcmp(origin, expected) == 0;
}

static const struct {
  const char *name, *value;
} headers[] = {{"Content-Security-Policy:", "default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
                                            "script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'"},
               {"X-Content-Type-Options:", "nosniff"},
               {"Referrer-Policy:", "no-referrer"},
               {"Cross-Origin-Resource-Policy:", "same-origin"},
               {"Cache-Control:", "no-store"}};

static int serve_page(struct lws *wsi, const char *path)
{
  uint8_t    buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
  const bool gets = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0;
  unsigned   status = !may_ask(wsi)            ? HTTP_STATUS_FORBIDDEN
                      : !gets                  ? HTTP_STATUS_METHOD_NOT_ALLOWED
                      : strcmp(path, "/") != 0 ? HTTP_STATUS_NOT_FOUND
                                               : 0;
  lws_set_timer_usecs(wsi, SECONDS_TO_READ * LWS_USEC_PER_SEC);
  if (status) {
    (void)lws_return_http_status(wsi, status, NULL);
    return -1;
  }
  if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", web.length, &at, end)) return 1;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i)
    if (lws_add_http_header_by_name(wsi, (const uint8_t *)headers[i].name, (const uint8_t *)headers[i].value,
                                    (int)strlen(headers[i].value), &at, end))
      return 1;
  if (lws_finalize_write_http_header(wsi, start, &at, end)) return 1;
  lws_callback_on_writable(wsi);
  return 0;
}

/* Without a subprotocol a WebSocket comes here, too, and is refused; so is CONNECT, which libwebsockets makes a raw
 * connection. One that is not a page in time is closed, whatever it is. */
static int serve_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
  (void)user, (void)length;
  if (reason == LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION) return 1;
  if (reason == LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED)
    lws_set_timer_usecs(wsi, SECONDS_TO_ASK * LWS_USEC_PER_SEC);
  if (reason == LWS_CALLBACK_RAW_ADOPT || reason == LWS_CALLBACK_TIMER) return -1;
  if (reason == LWS_CALLBACK_HTTP_CONFIRM_UPGRADE) return strcasecmp(in, "websocket") == 0 ? 0 : -1;
  if (reason == LWS_CALLBACK_HTTP) return serve_page(wsi, in);
  if (reason != LWS_CALLBACK_HTTP_WRITEABLE) return lws_callback_http_dummy(wsi, reason, user, in, length);
  if (lws_write(wsi, (uint8_t *)web.content + LWS_PRE, web.length, LWS_WRITE_HTTP_FINAL) < 0) return 1;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* ---- pages ---- */

static void begin_picture(sb_visitor *page)
{
  for (int i = 0; i < web.sides; ++i) {
    page->picture[i] = web.picture[i];
    ++web.picture[i]->uses;
  }
  page->parts = web.sides;
  page->part = 0;
  page->sent[0] = page->sent[1];
  page->sent[1] = web.frame;
}

static void end_picture(sb_visitor *page)
{
  for (int i = 0; i < page->parts; ++i) release(page->picture[i]);
  page->parts = 0;
}

static void open_page(sb_visitor *page, struct lws *wsi)
{
  sb_visitor **at = &web.pages;
  *page = (sb_visitor){.wsi = wsi, .visible = true};
  page->sent[0] = page->sent[1] = page->seen = web.frame - 1;
  while (*at) at = &(*at)->next;
  *at = page;
  web.user->opened(page);
}

static void close_page(sb_visitor *page)
{
  sb_visitor **at = &web.pages;
  while (*at && *at != page) at = &(*at)->next;
  if (!*at) return;
  *at = page->next;
  for (size_t i = 0; i < page->count; ++i) release(page->told[i]);
  free(page->told);
  free(page->heard);
  end_picture(page);
  web.user->closed(page);
}

static int write_parcel(sb_visitor *page, parcel *p)
{
  return lws_write(page->wsi, p->bytes + LWS_PRE, p->length, p->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) < 0;
}

/* One message, which is what libwebsockets allows at a time. */
static int write_next(sb_visitor *page)
{
  int failed = 0;
  if (page->count > 0) {
    parcel *p = untell(page, 0);
    failed = write_parcel(page, p);
    release(p);
  } else if (wants_picture(page)) {
    if (page->parts == 0) begin_picture(page);
    failed = write_parcel(page, page->picture[page->part++]);
    if (page->part == page->parts) end_picture(page);
  }
  if (!failed) ask_to_write(page);
  return failed;
}

static int refuse(sb_visitor *page, enum lws_close_status status, const char *why)
{
  char text[64];
  snprintf(text, sizeof text, "%s", why);
  lws_close_reason(page->wsi, status, (uint8_t *)text, strlen(text));
  return -1;
}

static int hear(sb_visitor *page, const void *in, size_t length)
{
  if (lws_frame_is_binary(page->wsi)) return refuse(page, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "text only");
  if (!page->hears) lws_set_timer_usecs(page->wsi, SECONDS_TO_ASK * LWS_USEC_PER_SEC);
  page->hears = true;
  if (page->heard_bytes + length > HEARD_MAX) return refuse(page, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "too large");
  page->heard = sb_insist(realloc(page->heard, page->heard_bytes + length + 1));
  memcpy(page->heard + page->heard_bytes, in, length);
  page->heard_bytes += length;
  if (lws_remaining_packet_payload(page->wsi) > 0 || !lws_is_final_fragment(page->wsi)) return 0;
  json_auto_t *message = json_loadb(page->heard, page->heard_bytes, JSON_REJECT_DUPLICATES, NULL);
  page->heard_bytes = 0;
  page->hears = false;
  if (!json_is_string(json_object_get(message, "do")))
    return refuse(page, LWS_CLOSE_STATUS_PROTOCOL_ERR, "a message is an object with 'do'");
  web.user->heard(page, message);
  return 0;
}

static int serve_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
  sb_visitor *page = user;
  switch ((int)reason) {
  case LWS_CALLBACK_HTTP: /* a plain request that names the subprotocol */
    return serve_page(wsi, in);
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return !may_open(wsi);
  case LWS_CALLBACK_ESTABLISHED:
    open_page(page, wsi);
    return 0;
  case LWS_CALLBACK_CLOSED:
    close_page(page);
    return 0;
  case LWS_CALLBACK_TIMER:
    if (!page || !page->wsi) return -1; /* not a page in time */
    return page->hears ? refuse(page, LWS_CLOSE_STATUS_PROTOCOL_ERR, "half a message") : 0;
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return write_next(page);
  case LWS_CALLBACK_RECEIVE:
    return hear(page, in, length);
  default:
    return 0;
  }
}

static int serve_descriptor(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
  (void)user, (void)in, (void)length;
  if (reason == LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION || reason == LWS_CALLBACK_HTTP) return -1; /* of a page */
  if (reason == LWS_CALLBACK_RAW_WRITEABLE_FILE) web.user->writable(lws_get_socket_fd(wsi));
  return reason == LWS_CALLBACK_RAW_RX_FILE && !web.user->readable(lws_get_socket_fd(wsi)) ? -1 : 0;
}

/* ---- life ---- */

static const struct lws_protocols protocols[] = {{.name = "http-only", .callback = serve_http},
                                                 {.name = SUBPROTOCOL,
                                                  .callback = serve_socket,
                                                  .per_session_data_size = sizeof(sb_visitor),
                                                  .rx_buffer_size = 4096},
                                                 {.name = "descriptor", .callback = serve_descriptor},
                                                 {0}};

static void say(int level, const char *line)
{
  if (level & LLL_ERR) fprintf(stderr, "springbench: error: web server: %s", line);
}

/* With 4.1, the address 127.0.0.1 as `iface` listens on all addresses; the interface's name and no IPv6 do not. */
struct lws_context *sb_web_start(const sb_web_user *user, int port, const char *token, const char *content,
                                 size_t length)
{
  static const lws_retry_bo_t            silence = {.secs_since_valid_ping = SECONDS_TO_PING,
                                                    .secs_since_valid_hangup = SECONDS_TO_ANSWER};
  const struct lws_context_creation_info info = {.port = port,
                                                 .iface = "lo",
                                                 .protocols = protocols,
                                                 .options = LWS_SERVER_OPTION_DISABLE_IPV6,
                                                 .timeout_secs = SECONDS_TO_ASK,
                                                 .timeout_secs_ah_idle = SECONDS_TO_ASK,
                                                 .keepalive_timeout = SECONDS_TO_ASK,
                                                 .retry_and_idle_policy = &silence,
                                                 .fd_limit_per_thread = 64};
  lws_set_log_level(LLL_ERR, say);
  web.user = user;
  web.token = token;
  web.length = length;
  web.content = sb_allocate(LWS_PRE + length, 1);
  memcpy(web.content + LWS_PRE, content, length);
  web.context = lws_create_context(&info);
  web.host = web.context ? lws_get_vhost_by_name(web.context, "default") : NULL;
  return web.host ? web.context : NULL;
}

int sb_web_port(void) { return lws_get_vhost_listen_port(web.host); }

struct lws *sb_web_watch(int descriptor)
{
  const lws_sock_file_fd_type fd = {.filefd = descriptor};
  return lws_adopt_descriptor_vhost(web.host, LWS_ADOPT_RAW_FILE_DESC, fd, "descriptor", NULL);
}

void sb_web_serve(volatile bool *ended)
{
  while (!*ended && lws_service(web.context, 0) >= 0) {
  }
}

void sb_web_end(void)
{
  lws_context_destroy(web.context);
  for (int i = 0; i < SB_SIDES; ++i) release(web.picture[i]);
  free(web.content);
}
