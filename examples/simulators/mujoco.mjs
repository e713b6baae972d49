// SPDX-License-Identifier: GPL-3.0-or-later
/* Adapter of MuJoCo (Apache-2.0, https://mujoco.org), as its WebAssembly package mujoco-js: bodies with three slide
 * joints each, joined by spatial tendons.
 *
 * stiffness   N/m, of the tendon, with its attribute springlength.
 * damping     N s/m along the tendon: spring_damping. Joints have none.
 * simulator_options
 *   integrator=implicitfast   what its authors recommend; or Euler (the default), implicit, RK4. The implicit ones are
 *                             explicit in positions. */
import loadMujoco from "mujoco-js";
import { readNet, refuse } from "./net.mjs";

const net = readNet({ integrator: "implicitfast" });
const methods = ["Euler", "implicitfast", "implicit", "RK4"];
if (!methods.includes(net.own.integrator))
  refuse(`MuJoCo has no integrator ${net.own.integrator}: ${methods.join(" ")}`);
const mujoco = await loadMujoco();

const body = (mass, i) => `<body pos="${net.at(i).join(" ")}"><site name="s${i}"/>` +
  (net.pinned[i] ? "</body>" : `<inertial pos="0 0 0" mass="${mass}" diaginertia="${mass} ${mass} ${mass}"/>` +
    ["1 0 0", "0 1 0", "0 0 1"].map((axis) => `<joint type="slide" axis="${axis}"/>`).join("") + "</body>");
const tendon = (stiffness, s) => `<spatial stiffness="${stiffness}" damping="${net.options.spring_damping ?? 0}" ` +
  `springlength="${net.rest_length[s]}"><site site="s${net.ends[2 * s]}"/>` +
  `<site site="s${net.ends[2 * s + 1]}"/></spatial>`;
// Without autoreset: MuJoCo would otherwise start again where it blows up.
const text = `<mujoco><option timestep="${net.h}" gravity="${net.gravity.join(" ")}" integrator="${net.own.integrator}">
  <flag autoreset="disable" contact="disable"/></option><worldbody>${Array.from(net.mass, body).join("\n")}</worldbody>
  <tendon>${Array.from(net.stiffness, tendon).join("\n")}</tendon></mujoco>`;
mujoco.FS.writeFile("/net.xml", text);
const model = mujoco.MjModel.loadFromXML("/net.xml");
const data = new mujoco.MjData(model);

const free = Array.from(net.mass.keys()).filter((i) => !net.pinned[i]);
free.forEach((i, place) => data.qvel.set(net.velocityAt(i), 3 * place));

net.run(
  () => mujoco.mj_step(model, data),
  (x, v) => {
    x.set(net.position);
    v.fill(0);
    const [moved, speed] = [data.qpos, data.qvel];
    free.forEach((i, place) => {
      for (let d = 0; d < 3; ++d) x[3 * i + d] += moved[3 * place + d];
      v.set(speed.subarray(3 * place, 3 * place + 3), 3 * i);
    });
  },
);
