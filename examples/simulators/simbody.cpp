/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adapter of Simbody (Apache-2.0, https://github.com/simbody/simbody): bodies on Translation mobilizers, joined by
 * Force::TwoPointLinearSpring.
 *
 * stiffness   N/m.
 * damping     Force::TwoPointLinearDamper in N s/m along the spring: spring_damping.
 * simulator_options
 *   integrator=merson   RungeKuttaMerson, error-controlled; or verlet, rk3, rkf (error-controlled), euler (fixed steps
 *                       of h, SemiExplicitEuler)
 *   accuracy=1e-3       of the error-controlled integrators, Simbody's default
 * The error-controlled integrators choose their own steps; each reports at every multiple of h. */
#include <Simbody.h>

#include <memory>

#include "springbench_simulator.h"

using namespace SimTK;

namespace
{

struct engine {
  sb_net                       net;
  MultibodySystem              system;
  SimbodyMatterSubsystem       matter{system};
  GeneralForceSubsystem        forces{system};
  std::vector<MobilizedBody>   bodies;
  std::unique_ptr<Integrator>  integrator;
  std::unique_ptr<TimeStepper> stepper;
  long                         steps = 0;
};

Vec3 vector(const double *a) { return Vec3(a[0], a[1], a[2]); }

void add_net(engine &e)
{
  const sb_net &net = e.net;
  const double  damping = sb_net_number(net.options, "spring_damping", 0);
  double        g[3];
  sb_net_vector(net.options, "gravity", g);
  if (g[0] != 0 || g[1] != 0 || g[2] != 0) Force::UniformGravity(e.forces, e.matter, vector(g));
  for (long i = 0; i < net.vertices; ++i) {
    const Body::Rigid body(MassProperties(net.mass[i], Vec3(0), Inertia(0)));
    const Transform   place(vector(net.position + 3 * i));
    if (net.pinned[i])
      e.bodies.push_back(MobilizedBody::Weld(e.matter.updGround(), place, body, Transform()));
    else
      e.bodies.push_back(MobilizedBody::Translation(e.matter.updGround(), place, body, Transform()));
  }
  for (long s = 0; s < net.springs; ++s) {
    const MobilizedBody &a = e.bodies[size_t(net.ends[2 * s])], &b = e.bodies[size_t(net.ends[2 * s + 1])];
    Force::TwoPointLinearSpring(e.forces, a, Vec3(0), b, Vec3(0), net.stiffness[s], net.rest_length[s]);
    if (damping > 0) Force::TwoPointLinearDamper(e.forces, a, Vec3(0), b, Vec3(0), damping);
  }
}

Integrator *create_integrator(const engine &e)
{
  size_t            length = 0;
  const char       *word = sb_net_own(&e.net, "integrator", &length);
  const std::string name = word ? std::string(word, length) : "merson";
  if (name == "merson") return new RungeKuttaMersonIntegrator(e.system);
  if (name == "verlet") return new VerletIntegrator(e.system);
  if (name == "rk3") return new RungeKutta3Integrator(e.system);
  if (name == "rkf") return new RungeKuttaFeldbergIntegrator(e.system);
  if (name == "euler") return new SemiExplicitEulerIntegrator(e.system, e.net.h);
  sb_net_refuse("Simbody has no integrator '%s': merson verlet rk3 rkf euler", name.c_str());
  return nullptr;
}

void start(engine &e)
{
  State state = e.system.realizeTopology();
  e.system.realizeModel(state);
  for (long i = 0; i < e.net.vertices; ++i)
    for (int d = 0; d < 3 && !e.net.pinned[i]; ++d) e.bodies[size_t(i)].setOneU(state, d, e.net.velocity[3 * i + d]);
  e.integrator.reset(create_integrator(e));
  e.integrator->setAccuracy(sb_net_own_number(&e.net, "accuracy", 1e-3));
  e.stepper.reset(new TimeStepper(e.system, *e.integrator));
  e.stepper->initialize(state);
}

void step(void *of)
{
  engine *e = static_cast<engine *>(of);
  e->stepper->stepTo(double(++e->steps) * e->net.h);
}

void read(void *of, double *x, double *v)
{
  const engine *e = static_cast<engine *>(of);
  const State  &state = e->integrator->getState();
  e->system.realize(state, Stage::Velocity);
  for (long i = 0; i < e->net.vertices; ++i)
    for (int d = 0; d < 3; ++d) {
      x[3 * i + d] = e->bodies[size_t(i)].getBodyOriginLocation(state)[d];
      v[3 * i + d] = e->bodies[size_t(i)].getBodyOriginVelocity(state)[d];
    }
}

} // namespace

int main(int count, char **words)
{
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  if (count > 1 && strcmp(words[1], "--version") == 0) return printf("Simbody %d.%d.%d\n", major, minor, build) < 0;
  engine e;
  e.net = sb_net_read("integrator accuracy");
  try {
    add_net(e);
    start(e);
    sb_net_run(&e.net, step, read, &e);
  } catch (const std::exception &fault) {
    sb_net_refuse("%s", fault.what());
  }
  return 0;
}
