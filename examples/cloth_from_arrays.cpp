/* SPDX-License-Identifier: GPL-3.0-or-later */
// cloth_from_arrays.c in C++: arrays are vectors, and a smart pointer frees the simulation.
// c++ cloth_from_arrays.cpp $(pkg-config --cflags --libs springbench)
#include <springbench.h>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

int main()
{
  const int                           n = 21;
  std::vector<std::array<double, 3>>  position;
  std::vector<std::array<int32_t, 2>> ends;
  std::vector<uint8_t>                pinned(n * n, 0);
  for (int i = 0; i < n * n; ++i) {
    position.push_back({i % n * 0.05, i / n * 0.05, 0});
    if (i % n + 1 < n) ends.push_back({i, i + 1});
    if (i + n < n * n) ends.push_back({i, i + n});
  }
  pinned[0] = pinned[n - 1] = 1;
  sb_net net = {};
  net.vertices = position.size();
  net.springs = ends.size();
  net.position = position[0].data();
  net.ends = ends[0].data();
  net.pinned = pinned.data();
  std::unique_ptr<sb_sim, decltype(&sb_sim_free)> sim(
      sb_sim_from_net(&net, "stiffness=1000 total_mass=1 integrator=implicit_euler h=0.01"), sb_sim_free);
  if (sb_sim_error(sim.get()) || sb_sim_advance(sim.get(), 100, nullptr) != SB_SIM_OK)
    return std::puts(sb_sim_error(sim.get())), 1;
  sb_sim_get(sim.get(), position[0].data(), nullptr);
  std::printf("after 1 s the middle of the free edge is at z = %.3f m\n", position[n * n - 1 - n / 2][2]);
}
