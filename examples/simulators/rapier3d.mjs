// SPDX-License-Identifier: GPL-3.0-or-later
/* Adapter of Rapier (Apache-2.0, https://rapier.rs) in single precision: bodies without collider, joined by spring
 * joints.
 *
 * stiffness   N/m, of JointData.spring.
 * damping     N s/m along the spring, of JointData.spring: spring_damping. Bodies have no damping of their own.
 * simulator_options
 *   iterations=4   numSolverIterations, Rapier's default: a step is that many substeps
 *   inner=1        numInternalPgsIterations, Rapier's default: passes over all joints in a substep */
import RAPIER from "@dimforge/rapier3d-compat";
import { readNet } from "./net.mjs";

const net = readNet({ iterations: 4, inner: 1 });
const warn = console.warn;
console.warn = () => {}; // the module warns of its own way to start
await RAPIER.init();
console.warn = warn;

const vector = ([x, y, z]) => ({ x, y, z });
const world = new RAPIER.World(vector(net.gravity));
world.timestep = net.h;
world.integrationParameters.numSolverIterations = net.own.iterations;
world.integrationParameters.numInternalPgsIterations = net.own.inner;

const bodies = Array.from(net.mass, (mass, i) => {
  const kind = net.pinned[i] ? RAPIER.RigidBodyDesc.fixed() : RAPIER.RigidBodyDesc.dynamic();
  kind.setTranslation(...net.at(i)).setLinvel(...net.velocityAt(i));
  kind.setAdditionalMass(mass).lockRotations().setLinearDamping(0).setCanSleep(false);
  return world.createRigidBody(kind);
});
const middle = vector([0, 0, 0]);
net.stiffness.forEach((stiffness, s) => {
  const damping = net.options.spring_damping ?? 0;
  const joint = RAPIER.JointData.spring(net.rest_length[s], stiffness, damping, middle, middle);
  world.createImpulseJoint(joint, bodies[net.ends[2 * s]], bodies[net.ends[2 * s + 1]], true);
});

net.run(
  () => world.step(),
  (x, v) =>
    bodies.forEach((body, i) => {
      const [place, speed] = [body.translation(), body.linvel()];
      x.set([place.x, place.y, place.z], 3 * i);
      v.set([speed.x, speed.y, speed.z], 3 * i);
    }),
);
