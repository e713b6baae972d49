/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The web server of `springbench live`, by libwebsockets: one page over HTTP, and WebSockets to it, on the loopback
 * address only and for those who have the token. Everything about simulations is elsewhere: it calls three functions of
 * its user. One per process. */
#pragma once

#include <jansson.h>
#include <libwebsockets.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sb_visitor sb_visitor;

typedef struct {
  void (*opened)(sb_visitor *page);
  void (*closed)(sb_visitor *page);
  void (*heard)(sb_visitor *page, const json_t *message); /* an object with a text "do" */
  /* A descriptor of sb_web_watch can be read, or is at its end. False: it is forgotten. */
  bool (*readable)(int descriptor);
  void (*writable)(int descriptor); /* after lws_callback_on_writable */
} sb_web_user;

enum { SB_TOKEN_LENGTH = 32 };
/* Starts to listen; port 0: any. `content` is served under / for the token. NULL after a message on stderr. */
struct lws_context *sb_web_start(const sb_web_user *user, int port, const char *token, const char *content,
                                 size_t length);
int                 sb_web_port(void);
struct lws         *sb_web_watch(int descriptor); /* NULL: it cannot be watched */
/* Until `ended` is set, by a signal's handler that calls lws_cancel_service. */
void sb_web_serve(volatile bool *ended);
void sb_web_end(void);

/* To one page, to all, and to all but one; they keep no reference of the message. */
void sb_visitor_tell(sb_visitor *page, const json_t *message);
void sb_web_tell(const json_t *message);

/* The pictures that pages get next, one for each side; a page that is slow gets only the latest. Copied. */
enum { SB_SIDES = 2 };
void sb_web_show(uint32_t frame, int sides, const void *const picture[SB_SIDES], const size_t length[SB_SIDES]);
/* The page has drawn a picture; or it is hidden or seen again. */
void sb_visitor_acknowledge(sb_visitor *page, uint32_t frame);
void sb_visitor_set_visible(sb_visitor *page, bool visible);
bool sb_web_is_watched(void); /* there is a visible page */
/* The pages that there are, in the order of their arrival; NULL after the last. */
sb_visitor *sb_web_visitor(size_t i);
