/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of a simulation's process to its server. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/common/exit_status.h"
#include "live/player.h"

void sb_play_tell(const sb_stage_play *play, json_t *message)
{
  if (!message) return; /* a number that is not finite, a text that is not UTF-8 */
  json_object_set_new(message, "side", json_integer(play->side));
  SB_OWNED char *text = sb_channel_text(message);
  json_decref(message);
  if (!sb_channel_send(SB_CHANNEL, SB_SAYS_JSON, text, strlen(text))) exit(SB_EXIT_OK); /* nobody reads any more */
}

void sb_play_refuse(const sb_stage_play *play, const char *option, const char *why)
{
  sb_play_tell(play, json_pack("{ss ss? ss}", "type", "refused", "option", option, "message", why ? why : "no reason"));
}
