/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adapter of Bullet's soft bodies (zlib licence, https://github.com/bulletphysics/bullet3) in single precision: nodes
 * and links.
 *
 * stiffness   Bullet has none in N/m. Material::m_kLST in [0, 1] is the share of its stretch that a pass over the links
 *             takes from a link. With `iterations` passes the share is s = 1 - (1 - kLST)^iterations, and a link acts
 *             like a spring of k = (m/h^2) s/(1 - s), m = 1/(1/m_a + 1/m_b). The adapter inverts this for each link.
 * damping     Config::kDP in [0, 1]: velocities are multiplied by 1 - kDP per step: velocity_factor. Bullet's default
 *             is 0. kDF, kDG, kLF and the densities of air and water are set to 0. Nothing collides.
 * simulator_options
 *   iterations=1   Config::piterations, Bullet's default
 *   kLST=          this for all links in place of the stiffness of the net; Bullet's default is 1 */
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>

#include "springbench_simulator.h"

namespace
{

struct engine {
  sb_net                                    net;
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher                     dispatcher{&configuration};
  btDbvtBroadphase                          broadphase;
  btSequentialImpulseConstraintSolver       solver;
  btSoftRigidDynamicsWorld                  world{&dispatcher, &broadphase, &solver, &configuration};
  btSoftBody                               *body = nullptr;
};

btVector3 vector(const double *a) { return btVector3(btScalar(a[0]), btScalar(a[1]), btScalar(a[2])); }

void set_world(engine &e)
{
  double               g[3];
  btSoftBodyWorldInfo &info = e.world.getWorldInfo();
  sb_net_vector(e.net.options, "gravity", g);
  e.world.setGravity(vector(g));
  info.m_gravity = vector(g);
  info.air_density = info.water_density = 0;
  info.m_maxDisplacement = BT_LARGE_FLOAT; // Bullet's 1000 m per step would hide a blow-up
  info.m_sparsesdf.Initialize();
}

/* kLST of a link, given the share s that `iterations` passes shall take from its stretch. */
double share_of_a_pass(double s, double iterations) { return -std::expm1(std::log1p(-s) / iterations); }

void add_links(engine &e, double iterations)
{
  const sb_net &net = e.net;
  const double  own = sb_net_own_number(&net, "kLST", -1);
  for (long s = 0; s < net.springs; ++s) {
    const int    a = net.ends[2 * s], b = net.ends[2 * s + 1];
    const double inverse = (net.pinned[a] ? 0 : 1 / net.mass[a]) + (net.pinned[b] ? 0 : 1 / net.mass[b]);
    if (inverse == 0) continue;
    const double          z = net.h * net.h * net.stiffness[s] * inverse;
    btSoftBody::Material *material = e.body->appendMaterial();
    material->m_kLST = btScalar(own >= 0 ? own : share_of_a_pass(z / (1 + z), iterations));
    if (!(material->m_kLST > 0)) sb_net_refuse("kLST %g of link %ld is not positive", double(material->m_kLST), s);
    e.body->appendLink(a, b, material);
    btSoftBody::Link &link = e.body->m_links[e.body->m_links.size() - 1];
    link.m_rl = btScalar(net.rest_length[s]);
    link.m_c1 = link.m_rl * link.m_rl;
  }
  e.body->updateLinkConstants();
  e.body->m_bUpdateRtCst = false; // the update would take the lengths at the start for rest lengths
}

void add_body(engine &e)
{
  const sb_net &net = e.net;
  const double  iterations = sb_net_own_number(&net, "iterations", 1);
  if (!(iterations >= 1)) sb_net_refuse("iterations = %g is not at least 1", iterations);
  e.body = new btSoftBody(&e.world.getWorldInfo());
  e.body->appendMaterial(); // of nodes
  for (long i = 0; i < net.vertices; ++i) {
    e.body->appendNode(vector(net.position + 3 * i), btScalar(net.pinned[i] ? 0 : net.mass[i]));
    if (!net.pinned[i]) e.body->m_nodes[int(i)].m_v = vector(net.velocity + 3 * i);
  }
  add_links(e, iterations);
  btSoftBody::Config &c = e.body->m_cfg;
  c.piterations = int(iterations);
  c.kDP = btScalar(1 - sb_net_number(net.options, "velocity_factor", 1));
  c.kDF = c.kDG = c.kLF = 0;
  c.collisions = 0;
  e.body->setActivationState(DISABLE_DEACTIVATION);
  e.world.addSoftBody(e.body, 0, 0);
}

void step(void *of)
{
  engine *e = static_cast<engine *>(of);
  e->world.stepSimulation(btScalar(e->net.h), 0); // 0: one step of h, not a number of steps of 1/60 s
}

void read(void *of, double *x, double *v)
{
  const engine *e = static_cast<engine *>(of);
  for (int i = 0; i < e->body->m_nodes.size(); ++i)
    for (int d = 0; d < 3; ++d) {
      x[3 * i + d] = e->body->m_nodes[i].m_x[d];
      v[3 * i + d] = e->body->m_nodes[i].m_v[d];
    }
}

} // namespace

int main(int count, char **words)
{
  if (count > 1 && strcmp(words[1], "--version") == 0) return printf("Bullet %d\n", btGetVersion()) < 0;
  engine *e = new engine;
  e->net = sb_net_read("iterations kLST");
  set_world(*e);
  add_body(*e);
  sb_net_run(&e->net, step, read, e);
  _Exit(0); // the world's members need not be taken apart
}
