// SPDX-License-Identifier: GPL-3.0-or-later
/* Nets and frames of driver `external` (docs/library.md, "Simulators") for adapters in JavaScript.
 *
 *   const net = readNet({iterations: 4});      // words of simulator_options and their defaults
 *   net.run(() => engine.step(net.h), (x, v) => { ... });
 */
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";

const types = { f64: Float64Array, i32: Int32Array, u8: Uint8Array };

/* Ends the process: the adapter cannot do what the case asks for. */
export function refuse(reason) {
  console.error(reason);
  process.exit(1);
}

/* The values of `presets`, or those that the text "iterations=8 solver=cg" gives instead. */
function readWords(text, presets) {
  const values = { ...presets };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [name, value] = word.split(/=(.*)/s);
    if (!(name in presets))
      refuse(`unknown simulator option '${name}'; there are: ${Object.keys(presets).join(" ") || "none"}`);
    values[name] = typeof presets[name] === "number" ? Number(value || NaN) : value;
    if (Number.isNaN(values[name])) refuse(`simulator option '${name}' needs a number, not '${value}'`);
  }
  return values;
}

/* position, velocity [3n], mass, pinned [n], ends [2m], stiffness, rest_length [m], triangle [3f], all flat; vertices,
 * springs: numbers; h, stepsPerFrame, frames; options: those that the description maps; own: the simulator's. */
export function readNet(presets) {
  const net = {};
  for (const [name, item] of Object.entries(JSON.parse(readFileSync("net.json", "utf8")).arrays)) {
    const bytes = readFileSync(item.file);
    net[name] = new types[item.type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }
  const given = JSON.parse(readFileSync("options.json", "utf8"));
  net.vertices = net.mass.length;
  net.springs = net.stiffness.length;
  net.h = given.h;
  net.stepsPerFrame = given.steps_per_frame;
  net.frames = given.frames;
  net.options = given.options;
  net.gravity = given.options.gravity ?? [0, 0, 0];
  net.own = readWords(given.simulator_options, presets);
  net.at = (i) => Array.from(net.position.subarray(3 * i, 3 * i + 3));
  net.velocityAt = (i) => (net.pinned[i] ? [0, 0, 0] : Array.from(net.velocity.subarray(3 * i, 3 * i + 3)));
  net.run = (step, read) => run(net, step, read);
  return net;
}

/* Writes all frames. step() makes one step; read(x, v) fills in positions and velocities, both flat. Only the steps
 * count as the simulator's own time. */
function run(net, step, read) {
  const files = ["frames.f64", "velocities.f64"].map((name) => openSync(name, "w"));
  const state = files.map(() => new Float64Array(3 * net.vertices));
  const times = [];
  let seconds = 0;
  for (let frame = 0; frame <= net.frames; ++frame) {
    const began = performance.now();
    for (let k = 0; frame > 0 && k < net.stepsPerFrame; ++k) step();
    seconds += (performance.now() - began) / 1000;
    read(...state);
    files.forEach((file, i) => writeSync(file, new Uint8Array(state[i].buffer)));
    times.push(frame * net.stepsPerFrame * net.h);
  }
  files.forEach(closeSync);
  const steps = net.frames * net.stepsPerFrame;
  writeFileSync("frames.json", JSON.stringify({ times, ...(seconds > 0 && { seconds_per_step: seconds / steps }) }));
}
