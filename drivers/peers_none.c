/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No stand-ins: a C++ compiler or Eigen was missing when the project was configured. */
#include "drivers/peers.h"

sb_peer *sb_peer_create(const char *name, const sb_peer_net *net, const char **why)
{
  (void)name;
  (void)net;
  *why = SB_PEERS_MISSING;
  return NULL;
}

bool sb_peer_step(sb_peer *peer, int iterations)
{
  (void)peer;
  (void)iterations;
  return false;
}

void sb_peer_state(const sb_peer *peer, double *position, double *velocity)
{
  (void)peer;
  (void)position;
  (void)velocity;
}

void sb_peer_destroy(sb_peer *peer) { (void)peer; }
