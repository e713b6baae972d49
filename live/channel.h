/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between the server of `springbench live` and the process of a simulation, over a socket: eight bytes
 * (length, kind), then JSON, or a picture as the page gets it. Local. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SB_CHANNEL = 3 }; /* the simulation's end of it */
typedef enum { SB_SAYS_JSON = 'J', SB_SAYS_PICTURE = 'P' } sb_said;
typedef struct {
  uint32_t length, kind;
} sb_message_head;
enum { SB_MESSAGE_MAX = 1 << 30 };

/* Measures of a simulation, in a picture's head. */
#define SB_PICTURE_NUMBERS(N)                                                                                          \
  N(time)                                                                                                              \
  N(step)                                                                                                              \
  N(h)                                                                                                                 \
  N(kinetic)                                                                                                           \
  N(elastic)                                                                                                           \
  N(gravity)                                                                                                           \
  N(total) N(minimizer_iterations) N(linear_iterations) N(residual) N(step_seconds) N(steps) N(strain_max) N(limit_h)
/* A picture, little-endian, then as floats: position [vertices][3] m in the scene's axes, value [vertices] (the
 * largest strain of a spring at it; of a particle its speed), two points of each collider [colliders][2][3]. */
typedef struct {
  uint32_t magic, side, frame, vertices;
#define SB_NUMBER(name) double name;
  SB_PICTURE_NUMBERS(SB_NUMBER)
#undef SB_NUMBER
  uint32_t colliders, reserved;
} sb_picture;
enum { SB_PICTURE_MAGIC = 0x314c4253 }; /* "SBL1" */

/* Sends a message as a whole, and waits until the other end has room for it. False with errno if that is gone. */
bool sb_channel_send(int channel, sb_said kind, const void *content, size_t length);
/* A message as it is sent, malloc'ed. */
char *sb_channel_text(const json_t *message);
/* Waits for the next message, malloc'ed and ended by a 0 byte; NULL if the other end is gone. */
char *sb_channel_receive(int channel, sb_message_head *head);
