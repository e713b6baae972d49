// SPDX-License-Identifier: GPL-3.0-or-later
/* Adapter of cannon-es (MIT, https://github.com/pmndrs/cannon-es): bodies without shape, joined by CANNON.Spring.
 *
 * stiffness   N/m, the member Spring.stiffness. Its constructor takes 0 as 100, so members are set afterwards.
 * damping     Spring.damping is a dashpot along the spring in N s/m: spring_damping. The constructor takes 0 as 1.
 *             Body.linearDamping d multiplies velocities by (1 - d)^h: d = 1 - exp(-damping_rate). Its default is 0.01.
 * The method has no other parameters: forces of springs, velocities, then positions. */
import CANNON from "cannon-es";
import { readNet } from "./net.mjs";

const net = readNet({});
const world = new CANNON.World({ gravity: new CANNON.Vec3(...net.gravity) });
world.broadphase.collisionPairs = () => {}; // bodies without shape cannot touch; the search for pairs is quadratic
const bodies = Array.from(net.mass, (mass, i) => {
  const body = new CANNON.Body({
    mass: net.pinned[i] ? 0 : mass,
    position: new CANNON.Vec3(...net.at(i)),
    velocity: new CANNON.Vec3(...net.velocityAt(i)),
    linearDamping: -Math.expm1(-(net.options.damping_rate ?? 0)),
  });
  world.addBody(body);
  return body;
});
const springs = Array.from(net.stiffness, (stiffness, s) => {
  const spring = new CANNON.Spring(bodies[net.ends[2 * s]], bodies[net.ends[2 * s + 1]]);
  spring.stiffness = stiffness;
  spring.restLength = net.rest_length[s];
  spring.damping = net.options.spring_damping ?? 0;
  return spring;
});

net.run(
  () => {
    for (const spring of springs) spring.applyForce();
    world.step(net.h);
  },
  (x, v) =>
    bodies.forEach((body, i) => {
      x.set(body.position.toArray(), 3 * i);
      v.set(body.velocity.toArray(), 3 * i);
    }),
);
