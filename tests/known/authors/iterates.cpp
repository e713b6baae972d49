/* SPDX-License-Identifier: GPL-3.0-or-later */
// Writes vbd.csv, anderson.csv and admm.csv: the first iterates of one step by the code of the methods' authors, on nets
// that tests/minimize/authors.c makes as well. README.md says where that code is, and how this is built. One of
//   -DOF_VBD       AnkaChan/TinyVBD dcd011a: main.cpp, whose numbers are taken as double
//   -DOF_ANDERSON  bldeng/AASolver ac40a11: DynamicsSolver.h, AndersonAcceleration.h, Constraint.h
//   -DOF_ADMM      mattoverby/admm-elastic c6c09a3: Solver.cpp; springs are a term of ours, which it has none of
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "net.h" // of `test_minimize_authors --net`: number, mass, h_seconds, position, velocity, springs

enum { ITERATES = 5 };

static void write(FILE *file, int iterate, const double *x)
{
  for (int i = 0; i < VERTICES; ++i)
    std::fprintf(file, "%d,%d,%.17g,%.17g,%.17g\n", iterate, i, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

#ifdef OF_VBD
#define main main_of_the_authors
#include "main.cpp"
#undef main

// The strand of initializeTilted(), in its first step.
int main()
{
  FILE     *file = std::fopen("vbd.csv", "w");
  StrandSim strand;
  std::fputs("iterate,vertex,x,y,z\n", file);
  strand.initializeTilted();
  for (int i = 0; i < VERTICES; ++i)
    for (int c = 0; c < 3; ++c) {
      strand.strand.mVertPos(c, i) = position[3 * i + c];
      strand.strand.mVelocity(c, i) = velocity[3 * i + c];
    }
  strand.params.dt = h_seconds;
  strand.forwardStep();
  for (int k = 1; k <= ITERATES; ++k) {
    strand.solve();
    write(file, k, strand.strand.mVertPos.data());
  }
  return std::fclose(file);
}
#endif

#ifdef OF_ANDERSON
#include "DynamicsSolver.h"

int main()
{
  FILE *file = std::fopen("anderson.csv", "w");
  std::fputs("iterate,vertex,x,y,z\n", file);
  for (int k = 1; k <= ITERATES; ++k) {
    DynamicsSolver solver;
    for (const spring &s : springs)
      solver.add_constraint(new EdgeLengthConstraint<3>(s.first, s.second, s.stiffness, s.rest_length));
    solver.initialize(Eigen::Map<const Matrix3X>(position, 3, VERTICES), Eigen::Map<const Matrix3X>(velocity, 3, VERTICES),
                      5, Eigen::Map<const VectorX>(mass, VERTICES), h_seconds, {});
    solver.solve(k);
    write(file, k, solver.get_points().data());
  }
  return std::fclose(file);
}
#endif

#ifdef OF_ADMM
#include "Solver.hpp"

class our_spring : public admm::EnergyTerm {
  typedef Eigen::Matrix<double, Eigen::Dynamic, 1> VecX;
  const spring s;

public:
  our_spring(const spring &of) : s(of) {}
  int    get_dim() const { return 3; }
  double get_weight() const { return std::sqrt(s.stiffness) / 2; }
  void   get_reduction(std::vector<Eigen::Triplet<double>> &entries)
  {
    for (int c = 0; c < 3; ++c) {
      entries.emplace_back(c, 3 * s.first + c, 1.0);
      entries.emplace_back(c, 3 * s.second + c, -1.0);
    }
  }
  // argmin 1/2 k (|z| - l)^2 + 1/2 w^2 |z - v|^2 with w^2 = k/4
  void   prox(VecX &v) { v *= (s.rest_length / v.norm() + 0.25) / 1.25; }
  double energy(const VecX &) { return 0; }
  double gradient(const VecX &, VecX &) { return 0; }
};

int main()
{
  FILE *file = std::fopen("admm.csv", "w");
  std::fputs("iterate,vertex,x,y,z\n", file);
  for (int k = 1; k <= ITERATES; ++k) {
    admm::Solver           solver;
    admm::Solver::Settings settings;
    std::vector<double>    x(position, position + 3 * VERTICES), m(3 * VERTICES);
    for (int i = 0; i < 3 * VERTICES; ++i) m[i] = mass[i / 3];
    solver.add_nodes(x.data(), m.data(), VERTICES);
    for (const spring &s : springs) solver.energyterms.push_back(std::make_shared<our_spring>(s));
    settings.timestep_s = h_seconds;
    settings.admm_iters = k;
    settings.verbose = 0;
    settings.gravity = -9.8;
    solver.initialize(settings);
    for (int i = 0; i < 3 * VERTICES; ++i) solver.m_v[i] = velocity[i];
    solver.step();
    write(file, k, solver.m_x.data());
  }
  return std::fclose(file);
}
#endif
