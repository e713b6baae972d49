/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cloth from arrays: vertices on a grid, springs along its edges, two corners pinned.
 * cc cloth_from_arrays.c $(pkg-config --cflags --libs springbench) */
#include <springbench.h>
#include <stdio.h>

enum { N = 21, SPRINGS = 2 * N * (N - 1) };

int main(void)
{
  static double  position[N * N][3];
  static int32_t ends[SPRINGS][2];
  static uint8_t pinned[N * N];
  size_t         s = 0;
  for (int32_t i = 0; i < N * N; ++i) {
    position[i][0] = i % N * 0.05;
    position[i][1] = i / N * 0.05;
    if (i % N + 1 < N) ends[s][0] = i, ends[s++][1] = i + 1;
    if (i + N < N * N) ends[s][0] = i, ends[s++][1] = i + N;
  }
  pinned[0] = pinned[N - 1] = 1;
  const sb_net net = {.vertices = N * N, .springs = s, .position = *position, .ends = *ends, .pinned = pinned};
  sb_sim      *sim = sb_sim_from_net(&net, "stiffness=1000 total_mass=1 integrator=implicit_euler h=0.01");
  if (sb_sim_error(sim) || sb_sim_advance(sim, 100, NULL) != SB_SIM_OK) return puts(sb_sim_error(sim)), 1;
  sb_sim_get(sim, *position, NULL);
  printf("after 1 s the middle of the free edge is at z = %.3f m\n", position[N * N - 1 - N / 2][2]);
  sb_sim_free(sim);
  return 0;
}
