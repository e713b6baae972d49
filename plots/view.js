/* What plots/player.html and plots/live.html share: the camera, the colours, and the drawing of nets, particles and
 * colliders by WebGL 2. A page has views of motions, and all views share one camera. A motion has
 *   kind         "surface", "rope" or "particles"; flat: it stays in a plane
 *   vertices     their number; place: [3 * vertices] m, x to the right, y away, z up; frame: changes with the places
 *   triangle, spring, marked   vertices of triangles, ends of springs (Uint32Array); 1 for each pinned vertex
 *   values(quantity)           [vertices] bytes of the scale of a quantity {name, diverging}
 *   edges        of the mesh, if they are known
 *   colliders    [{radius, places}]: two points per frame or once; radius 0: a plane; diameter: of a particle */
"use strict";
const at = (id) => document.getElementById(id);
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const sum = (a, b, s = 1) => a.map((x, i) => x + s * b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const l = Math.hypot(...a) || 1; return a.map((x) => x / l); };
const short = (x) => Number(x.toPrecision(3)).toString().replace("-", "−");
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/* Strains: blue pressed, red pulled. Thin ropes have a darker middle, which shows on white. Pressures: viridis. */
const MAPS = {
  strain: ["#2166ac", "#67a9cf", "#ebebeb", "#ef8a62", "#b2182b"],
  rope: ["#2166ac", "#5c93bd", "#a6a6a6", "#c76a5f", "#b2182b"],
  viridis: ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"],
};
const mapOf = (motion, quantity) => MAPS[quantity.diverging ? (motion.kind === "rope" ? "rope" : "strain") : "viridis"];
/* The title of a scale, and its colours above three ticks. */
function scaleOf(name, about, stops, ticks) {
  const title = document.createElement("span"), bar = document.createElement("i"), ramp = document.createElement("u");
  title.textContent = name;
  title.title = about;
  ramp.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  bar.append(ramp, ...ticks.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
  return [title, bar];
}

/* ---- the camera: all views share it ---- */

const HALF = Math.tan(15 * Math.PI / 180); /* of the angle of view */
const start = { tilt: 72, turn: 32, zoom: 1, shift: [0, 0] }, camera = structuredClone(start);
let centre = [0, 0, 0], size = 1; /* of the box of all motions */
let ground = null; /* {z, strength}: where a motion has no plane */
let dirty = true; /* the views are to be drawn */

function basis(of = camera) {
  const tilt = of.tilt * Math.PI / 180, turn = of.turn * Math.PI / 180;
  const across = [Math.cos(turn), Math.sin(turn), 0];
  const up = [-Math.sin(turn) * Math.cos(tilt), Math.cos(turn) * Math.cos(tilt), Math.sin(tilt)];
  return [across, up, cross(across, up)];
}

/* The camera looks at the middle of the box of these points in the axes of the first view, and turns about it. The
 * points [x, y, z, radius, ...], in these axes, give the distance from which they fill a view. */
const around = { middle: centre, points: new Float32Array(0), seen: "", distance: size };
function surround(points) {
  const axes = basis(start), list = new Float32Array(points.length);
  for (let i = 0; i < list.length; i += 4) {
    const p = [points[i], points[i + 1], points[i + 2]];
    for (let k = 0; k < 3; ++k) list[i + k] = dot(axes[k], p);
    list[i + 3] = points[i + 3];
  }
  const middle = [0, 1, 2].map((k) => {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < list.length; i += 4) {
      low = Math.min(low, list[i + k] - list[i + 3]);
      high = Math.max(high, list[i + k] + list[i + 3]);
    }
    for (let i = 0; i < list.length; i += 4) list[i + k] -= (low + high) / 2;
    return (low + high) / 2;
  });
  around.points = list;
  around.seen = "";
  around.middle = [0, 1, 2].map((c) => middle[0] * axes[0][c] + middle[1] * axes[1][c] + middle[2] * axes[2][c]);
}
function surroundBox({ low, high }) {
  const points = [];
  for (let k = 0; k < 8; ++k) points.push(...[0, 1, 2].map((c) => (k >> c & 1 ? high[c] : low[c])), 0);
  surround(points);
  dirty = true;
}
function distanceOf(aspect, room) {
  const seen = `${aspect} ${room}`, p = around.points;
  if (seen === around.seen) return around.distance;
  let most = 1e-6 * size;
  for (let i = 0; i < p.length; i += 4)
    most = Math.max(most, p[i + 2] + p[i + 3] + Math.max((Math.abs(p[i]) + p[i + 3]) / (HALF * aspect * 0.94), (Math.abs(p[i + 1]) + p[i + 3]) / (HALF * room)));
  around.seen = seen;
  return around.distance = most;
}

/* ---- drawing ---- */

const HEAD = `#version 300 es
precision highp float;
uniform mat3 turn; uniform vec3 centre; uniform vec2 lens, shift; uniform float away, size;
`;
/* The place on the screen of p; push: so many m farther away for the depth test alone. */
const SEEN = `
vec4 seen(vec3 p, float push) {
  vec3 e = (p - centre) * turn + vec3(shift, 0.0);
  float near = max(away - 3.0 * size, 0.01 * away), far = away + 3.0 * size, d = away - e.z;
  vec4 q = vec4(e.xy * lens, 0.0, d);
  d += push;
  q.z = ((far + near) * d - 2.0 * far * near) / ((far - near) * d) * q.w;
  return q;
}
`;
const COLOURS = `
uniform sampler2D map; uniform vec3 base; uniform bool coloured;
vec3 paint(float byte) {
  float x = clamp(byte * (255.0 / 254.0), 0.0, 1.0);
  return coloured ? texture(map, vec2((x * 255.0 + 0.5) / 256.0, 0.5)).rgb : base;
}
`;
/* Both sides of a surface are lit alike, from above the left shoulder, and shine a little; depth: of the shade. */
const TO_LIGHT = [-0.5, 0.75, 0.6];
const LIGHT = `
float lit(vec3 n, float depth) {
  n = n.z < 0.0 ? -n : n;
  float bright = 0.5 + 0.5 * dot(n, normalize(vec3(-0.5, 0.75, 0.6)));
  return 1.0 - depth * pow(1.0 - bright, 0.85) + 0.12 * pow(max(0.0, dot(n, normalize(vec3(-0.5, 0.75, 1.6)))), 30.0);
}
`;
const SHADE = 128; /* texels of the shadow on a plane, each way; half as many when it is soft */
const OUT = "#version 300 es\nprecision highp float;\nout vec4 colour;\n";
const PROGRAMS = {
  surface: [HEAD + SEEN + `in vec3 place, normal; in float value; out float v; out vec3 n, e; uniform float push;
    void main() { v = value; n = normal * turn; e = (place - centre) * turn; gl_Position = seen(place, push); }`,
    OUT + COLOURS + LIGHT + `in float v; in vec3 n, e; void main() { /* smooth, but at edges of solids each face has its own shade */
      vec3 face = normalize(cross(dFdx(e), dFdy(e))), round = normalize(n);
      float same = dot(face, round);
      round = mix(face, same < 0.0 ? -round : round, smoothstep(0.8, 0.99, abs(same)));
      colour = vec4(paint(v) * lit(normalize(round), coloured ? 0.5 : 0.75), 1.0); }`],
  lines: [HEAD + SEEN + `in vec3 place; uniform float push; void main() { gl_Position = seen(place, push); }`,
    OUT + `uniform vec4 ink; void main() { colour = ink; }`],
  wires: [HEAD + SEEN + `in vec3 place; in float value; out float v;
    void main() { v = value; gl_Position = seen(place, 0.0); }`,
    OUT + COLOURS + `in float v; void main() { colour = vec4(paint(v), 1.0); }`],
  rope: [HEAD + SEEN + `in vec2 corner; in vec3 from, to; in vec2 values; uniform vec2 pixels; uniform float width;
    out float v, s;
    void main() {
      vec4 a = seen(from, 0.0), b = seen(to, 0.0), q = corner.x < 0.5 ? a : b;
      vec2 along = b.xy / b.w * pixels - a.xy / a.w * pixels;
      along = length(along) > 1e-4 ? normalize(along) : vec2(1.0, 0.0);
      q.xy += vec2(-along.y, along.x) * corner.y * width / pixels * q.w;
      v = mix(values.x, values.y, corner.x); s = corner.y; gl_Position = q; }`,
    OUT + COLOURS + `in float v, s; void main() { colour = vec4(paint(v) * mix(0.62, 1.0, sqrt(1.0 - s * s)), 1.0); }`],
  points: [HEAD + SEEN + `in vec3 place; in float value; uniform vec2 pixels; uniform float metres, most, push; out float v;
    void main() { v = value; vec4 q = seen(place, push); gl_Position = q;
      gl_PointSize = most > 0.0 ? most : max(1.5, metres * lens.y * pixels.y / q.w + 0.5); }`,
    OUT + COLOURS + `in float v; uniform float round; uniform vec4 ink; void main() {
      vec2 s = 2.0 * gl_PointCoord - 1.0; float r = dot(s, s);
      if (r > 1.0) discard;
      vec3 n = vec3(s.x, -s.y, sqrt(1.0 - r));
      float bright = mix(1.0, 0.55 + 0.45 * max(0.0, dot(n, normalize(vec3(-0.45, 0.65, 0.8)))), round);
      colour = vec4((ink.a > 0.0 ? ink.rgb : paint(v)) * bright, 1.0); }`],
  solid: [HEAD + SEEN + `in vec4 corner; uniform mat3 frame; uniform vec3 ends[2]; uniform float radius, push; out vec3 n;
    void main() { vec3 r = frame * corner.xyz; n = r * turn;
      gl_Position = seen((corner.w < 0.5 ? ends[0] : ends[1]) + radius * r, push); }`,
    OUT + LIGHT + `in vec3 n; uniform vec3 base; void main() { colour = vec4(base * lit(normalize(n), 0.75), 1.0); }`],
  plane: [HEAD + SEEN + `in vec2 corner; uniform mat3 frame; uniform vec3 foot; uniform float reach; out vec2 p;
    void main() { p = corner * reach; gl_Position = seen(foot + frame * vec3(p, 0.0), 0.012 * size); }`,
    OUT + `in vec2 p; uniform float cell, reach, fill, ruled, strength, darkest; uniform vec2 origin; uniform vec3 base;
    uniform sampler2D shade; void main() {
      vec2 g = (p - origin) / cell, w = fwidth(g), near = abs(fract(g - 0.5) - 0.5) / max(w, 1e-6);
      float line = (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.3, 0.8, max(w.x, w.y)));
      float fade = strength * (1.0 - smoothstep(0.35, 1.0, length(p) / reach)), dark = darkest * fade * texture(shade, 0.5 + 0.5 * p / reach).a;
      float own = fade * max(fill, ruled * line), all = 1.0 - (1.0 - own) * (1.0 - dark);
      colour = vec4(base * own * (1.0 - dark) / max(all, 1e-4), all); }`],
  blur: ["#version 300 es\nin vec2 corner; out vec2 p; void main() { p = 0.5 + 0.5 * corner; gl_Position = vec4(corner, 0.0, 1.0); }",
    OUT + `in vec2 p; uniform sampler2D shade; void main() {
      vec4 all = vec4(0.0);
      for (int i = -1; i <= 1; ++i) for (int j = -1; j <= 1; ++j) all += textureLod(shade, p + vec2(i, j) * ${3 / SHADE}, 1.0) * float((2 - abs(i)) * (2 - abs(j)));
      colour = all / 16.0; }`],
};

/* Edges of the mesh without the diagonals of its quadrangles, each the longest edge of both of its triangles. */
function edgesOf(motion) {
  const seen = new Map(), p = motion.place, t = motion.triangle;
  for (let i = 0; i < t.length; i += 3) {
    const length = [0, 1, 2].map((k) => Math.hypot(...[0, 1, 2].map((c) => p[3 * t[i + k] + c] - p[3 * t[i + (k + 1) % 3] + c])));
    for (let k = 0; k < 3; ++k) {
      const a = Math.min(t[i + k], t[i + (k + 1) % 3]), b = Math.max(t[i + k], t[i + (k + 1) % 3]);
      const longest = length[k] > 1.05 * Math.max(length[(k + 1) % 3], length[(k + 2) % 3]);
      const key = a * motion.vertices + b, before = seen.get(key);
      seen.set(key, before ? [a, b, before[2] && longest, 2] : [a, b, longest, 1]);
    }
  }
  return new Uint32Array([...seen.values()].filter((e) => !(e[2] && e[3] > 1)).flatMap((e) => [e[0], e[1]]));
}

/* The browser may take the graphics from a page, and mostly gives them back. */
function lostNote(figure) {
  const note = Object.assign(document.createElement("p"), { className: "lost", hidden: true });
  const again = Object.assign(document.createElement("button"), { textContent: "Load the page again", type: "button" });
  again.onclick = () => location.reload();
  note.setAttribute("role", "status");
  note.append("The browser has taken the graphics away. The picture comes back with them. ", again);
  figure.append(note);
  return note;
}

class View {
  constructor(motion, figure) {
    this.canvas = figure.querySelector("canvas");
    const gl = this.gl = this.canvas.getContext("webgl2", { antialias: true });
    if (!gl) throw new Error("This browser has no WebGL 2, which draws the motion. The GIF and the stills that springbench animate writes need none.");
    this.sorrow = lostNote(figure);
    this.canvas.addEventListener("webglcontextlost", (e) => { e.preventDefault(); this.sorrow.hidden = false; });
    this.canvas.addEventListener("webglcontextrestored", () => this.prepare(this.motion));
    this.prepare(motion);
  }
  get lost() { return this.gl.isContextLost(); }
  /* What the context holds; once more after it was lost, as when a laptop slept or its driver was reset. */
  prepare(motion) {
    const { gl } = this;
    this.motion = motion;
    this.sorrow.hidden = !this.lost;
    if (this.lost) return;
    this.programs = {};
    for (const name in PROGRAMS) this.programs[name] = this.compile(...PROGRAMS[name]);
    this.buffers = {};
    this.corners("corner", 2, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]));
    this.corners("square", 2, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.corners("disc", 2, new Float32Array(Array.from({ length: 64 }, (_, i) => [Math.cos(Math.PI * i / 32), Math.sin(Math.PI * i / 32)]).flat()));
    this.globe();
    this.map = gl.createTexture();
    this.mapped = null;
    this.makeShade();
    gl.enable(gl.DEPTH_TEST);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.take(motion);
  }
  /* From now on it shows this motion, of which a frame has been read. */
  take(motion) {
    this.motion = motion;
    this.frame = null;
    dirty = true;
    if (this.lost) return;
    this.indices("triangles", motion.triangle);
    this.indices("springs", motion.spring);
    this.meshLength = this.indices("edges", motion.edges ??= edgesOf(motion));
    this.normal = new Float32Array(motion.place.length);
    this.strand = new Float32Array(motion.kind === "rope" ? 8 * motion.spring.length / 2 : 0);
    this.mark();
  }
  mark() {
    if (this.lost) return;
    const still = [], loose = [];
    this.motion.marked.forEach((is, v) => (is ? still : loose).push(v));
    this.stillCount = this.indices("still", new Uint32Array(still));
    this.looseCount = this.indices("loose", new Uint32Array(loose));
  }
  compile(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram(), places = {};
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    for (let i = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i-- > 0;) {
      const { name, type } = gl.getActiveUniform(program, i);
      places[name.replace("[0]", "")] = [gl.getUniformLocation(program, name), type];
    }
    return { program, places };
  }
  buffer(name) { return this.buffers[name] ??= this.gl.createBuffer(); }
  indices(name, list) {
    const gl = this.gl;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffer(name));
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, list, gl.STATIC_DRAW);
    return list.length;
  }
  corners(name, width, list) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer(name));
    gl.bufferData(gl.ARRAY_BUFFER, list, gl.DYNAMIC_DRAW);
    this.buffer(name).count = list.length / width;
  }
  /* A unit sphere in two halves, of which capsules pull one away from the other. */
  globe() {
    const list = [], order = [], rows = 16, around = 64;
    for (let half = 0; half < 2; ++half)
      for (let i = 0; i <= rows; ++i)
        for (let j = 0; j <= around; ++j) {
          const up = Math.PI / 2 * (i / rows - 1 + half), turn = 2 * Math.PI * j / around;
          list.push(Math.cos(up) * Math.cos(turn), Math.cos(up) * Math.sin(turn), Math.sin(up), half);
        }
    for (let i = 0; i < 2 * rows + 1; ++i)
      for (let j = 0; j < around; ++j) {
        const a = i * (around + 1) + j, b = a + around + 1;
        order.push(a, a + 1, b, b, a + 1, b + 1);
      }
    this.corners("globe", 4, new Float32Array(list));
    this.globeCount = this.indices("globeOrder", new Uint32Array(order));
  }
  use(name, uniforms) {
    const gl = this.gl, { program, places } = this.programs[name];
    gl.useProgram(program);
    for (const [key, value] of Object.entries({ ...this.seen, ...uniforms })) {
      if (!places[key]) continue;
      const [where, type] = places[key];
      if (type === gl.FLOAT) gl.uniform1f(where, value);
      else if (type === gl.BOOL || type === gl.SAMPLER_2D) gl.uniform1i(where, value);
      else if (type === gl.FLOAT_VEC2) gl.uniform2fv(where, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(where, value.flat());
      else if (type === gl.FLOAT_VEC4) gl.uniform4fv(where, value);
      else gl.uniformMatrix3fv(where, false, value.flat());
    }
    return program;
  }
  /* Attributes of a program: [name, buffer, width, bytes from one to the next, offset, divisor]; of bytes if u8. */
  attach(program, list) {
    const gl = this.gl;
    for (let i = 0; i < 8; ++i) { gl.disableVertexAttribArray(i); gl.vertexAttribDivisor(i, 0); }
    for (const [name, buffer, width, stride = 0, offset = 0, divisor = 0] of list) {
      const where = gl.getAttribLocation(program, name), u8 = buffer === "value";
      if (where < 0) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer(buffer));
      gl.enableVertexAttribArray(where);
      gl.vertexAttribPointer(where, width, u8 ? gl.UNSIGNED_BYTE : gl.FLOAT, u8, stride, offset);
      gl.vertexAttribDivisor(where, divisor);
    }
  }
  elements(kind, name, count) {
    const gl = this.gl;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffer(name));
    gl.drawElements(kind, count, gl.UNSIGNED_INT, 0);
  }
  findNormals() {
    const { place: p, triangle: t } = this.motion, n = this.normal.fill(0);
    for (let i = 0; i < t.length; i += 3) {
      const a = 3 * t[i], b = 3 * t[i + 1], c = 3 * t[i + 2];
      const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
      const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
      const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
      for (const at of [a, b, c]) { n[at] += x; n[at + 1] += y; n[at + 2] += z; }
    }
  }
  load(quantity) {
    const { motion } = this;
    if (motion.frame === this.frame && quantity === this.quantity) return;
    this.frame = motion.frame;
    this.quantity = quantity;
    this.corners("place", 3, motion.place);
    const values = quantity ? motion.values(quantity) : new Uint8Array(motion.vertices);
    this.corners("value", 1, values);
    if (motion.kind === "surface") { this.findNormals(); this.corners("normal", 3, this.normal); }
    if (motion.kind !== "rope") return;
    const { spring, place } = motion, s = this.strand;
    for (let i = 0, to = 0; i < spring.length; i += 2, to += 8) {
      const a = spring[i], b = spring[i + 1];
      for (let c = 0; c < 3; ++c) { s[to + c] = place[3 * a + c]; s[to + 3 + c] = place[3 * b + c]; }
      s[to + 6] = values[a] / 255; s[to + 7] = values[b] / 255;
    }
    this.corners("strand", 8, s);
  }
  /* With colours of a quantity; mesh: with its edges; wires: springs instead of the surface. `times` as large as on the
   * page; clear: on nothing, not on paper with the ground. */
  draw({ quantity, mesh, wires, times = 1, clear = false }) {
    if (this.lost) return;
    const { gl, motion, canvas } = this, dots = times * Math.min(2, devicePixelRatio || 1);
    const width = Math.max(1, Math.round(canvas.clientWidth * dots)), height = Math.max(1, Math.round(canvas.clientHeight * dots));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    this.load(quantity);
    const caption = 2 * (canvas.nextElementSibling?.offsetHeight ?? 0) / Math.max(1, canvas.clientHeight);
    const room = Math.max(0.5, 0.93 - caption), away = distanceOf(width / height, room) / camera.zoom;
    const turn = basis(), half = HALF * away;
    this.seen = {
      turn, centre: around.middle, away, size, pixels: [width / 2, height / 2], lens: [height / width / HALF, 1 / HALF],
      shift: [camera.shift[0] * half, camera.shift[1] * half - 0.35 * caption * half],
      map: 0, shade: 1, coloured: !!quantity, base: [79, 143, 192].map((c) => c / 255),
      push: 0, ink: [0, 0, 0, 0],
    };
    if (quantity) this.setMap(wires ? MAPS.rope : mapOf(motion, quantity));
    const planes = clear ? [] : this.planes();
    if (planes.length) this.castShade(planes[0], wires);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...(clear ? [0, 0, 0, 0] : [...paints.paper.map((c) => c / 255), 1]));
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.drawBodies(mesh, wires, dots);
    if (motion.kind !== "particles" && this.stillCount) this.drawPoints("still", this.stillCount, { most: (this.stillCount > 8 ? 5 : 7) * dots, push: -0.01 * size, ink: [...paints.ink.map((c) => c / 255), 1], round: 0 });
    planes.forEach((each, i) => this.drawPlane(each, i ? 0 : 0.4));
  }
  drawBodies(mesh, wires, dots) {
    const { kind, colliders } = this.motion;
    for (const each of colliders) if (each.radius > 0) this.drawRound(each);
    if (kind === "surface" && !wires) this.drawSurface(mesh);
    if (kind === "surface" && wires) this.drawWires();
    if (kind === "rope") this.drawRope(dots);
    if (kind === "particles") this.drawParticles();
  }
  /* Those of the motion, else the ground. From below it is not drawn: it would be in front of the net. */
  planes() {
    const own = this.motion.colliders.filter((each) => !(each.radius > 0));
    if (own.length || !ground || this.seen.turn[2][2] < 0) return own;
    return [{ places: [[centre[0], centre[1], ground.z, centre[0], centre[1], ground.z + 1]], fill: 0.1, ruled: 0.3, reach: 0.7, strength: ground.strength }];
  }
  /* see: the pixel at which a place shows, and its depth; put: the place at a pixel and a depth. As of the last picture. */
  lens() {
    const { turn, centre: middle, shift, away, lens: [wide, high] } = this.seen;
    const { clientWidth: width, clientHeight: height } = this.canvas, [x0, y0] = shift;
    return {
      see(p) {
        const e = turn.map((axis) => dot(axis, sum(p, middle, -1))), depth = away - e[2];
        return [(1 + (e[0] + x0) * wide / depth) * width / 2, (1 - (e[1] + y0) * high / depth) * height / 2, depth];
      },
      put(x, y, depth) {
        const e = [(2 * x / width - 1) * depth / wide - x0, (1 - 2 * y / height) * depth / high - y0, away - depth];
        return middle.map((m, c) => m + e[0] * turn[0][c] + e[1] * turn[1][c] + e[2] * turn[2][c]);
      },
    };
  }
  /* The vertex within so many pixels of one that is near it and not far behind others; -1 if there is none. */
  nearest(x, y, most) {
    if (!this.seen) return -1;
    const { see } = this.lens(), { place, vertices } = this.motion;
    let best = -1, least = Infinity;
    for (let v = 0; v < vertices; ++v) {
      const [u, w, depth] = see([place[3 * v], place[3 * v + 1], place[3 * v + 2]]);
      const far = Math.hypot(u - x, w - y), cost = far + most * depth / size;
      if (depth > 0 && far <= most && cost < least) { least = cost; best = v; }
    }
    return best;
  }
  setMap(stops) {
    const gl = this.gl, pixels = new Uint8Array(4 * 256);
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    if (this.mapped === stops) return;
    this.mapped = stops;
    for (let i = 0; i < 256; ++i) {
      const x = i / 255 * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(x)), a = rgb(stops[k]), b = rgb(stops[k + 1]);
      for (let c = 0; c < 3; ++c) pixels[4 * i + c] = Math.round(a[c] + (x - k) * (b[c] - a[c]));
      pixels[4 * i + 3] = 255;
    }
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, key, value);
  }
  drawSurface(mesh) {
    const gl = this.gl, program = this.use("surface", {});
    this.attach(program, [["place", "place", 3], ["normal", "normal", 3], ["value", "value", 1]]);
    this.elements(gl.TRIANGLES, "triangles", this.motion.triangle.length);
    if (!mesh) return;
    gl.enable(gl.BLEND);
    this.attach(this.use("lines", { ink: [0.08, 0.14, 0.22, this.meshLength > 6000 ? 0.15 : 0.32], push: -0.004 * size }), [["place", "place", 3]]);
    this.elements(gl.LINES, "edges", this.meshLength);
    gl.disable(gl.BLEND);
  }
  drawWires() {
    const gl = this.gl;
    this.attach(this.use("wires", {}), [["place", "place", 3], ["value", "value", 1]]);
    this.elements(gl.LINES, "springs", this.motion.spring.length);
  }
  drawRope(dots) {
    const gl = this.gl, count = this.motion.spring.length / 2, width = (count > 400 ? 1.2 : 2.2) * dots;
    const program = this.use("rope", { width });
    this.attach(program, [["corner", "corner", 2], ["from", "strand", 3, 32, 0, 1], ["to", "strand", 3, 32, 12, 1], ["values", "strand", 2, 32, 24, 1]]);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    this.drawPoints("loose", this.looseCount, { most: (count > 100 ? 2 : 4.5) * width, push: -0.002 * size, round: 1 });
  }
  drawPoints(name, count, uniforms) {
    const gl = this.gl, program = this.use("points", { metres: 0, most: 0, round: 0, ...uniforms });
    this.attach(program, [["place", "place", 3], ["value", "value", 1]]);
    this.elements(gl.POINTS, name, count);
  }
  /* Walls are smaller, above all where they stand behind the fluid. */
  drawParticles() { /* discs that overlap a little in a plane, balls in space */
    const { diameter } = this.motion, wall = paints.walls.map((c) => c / 255);
    if (this.stillCount) this.drawPoints("still", this.stillCount, { metres: (this.motion.flat ? 0.5 : 0.2) * diameter, ink: [...wall, 1], round: 0.4 });
    this.drawPoints("loose", this.looseCount, this.motion.flat ? { metres: 1.12 * diameter, round: 0 } : { metres: diameter, round: 0.8 });
  }
  ends(each) {
    const p = each.places[Math.min(this.motion.frame, each.places.length - 1)];
    return [p.slice(0, 3), p.slice(3, 6)];
  }
  frameOf(axis) {
    const z = Math.hypot(...axis) > 0 ? unit(axis) : [0, 0, 1], x = unit(cross(Math.abs(z[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0], z));
    return [x, cross(z, x), z];
  }
  /* It is pushed away a little: the flat triangles of a cloth that lies on it would sink in. */
  drawRound(each) {
    const ends = this.ends(each), frame = this.frameOf(sum(ends[1], ends[0], -1));
    const program = this.use("solid", { ends, frame, radius: each.radius, push: Math.min(0.05 * each.radius + 0.004 * size, 0.03 * size), base: paints.solid.map((c) => c / 255) });
    this.attach(program, [["corner", "globe", 4]]);
    this.elements(this.gl.TRIANGLES, "globeOrder", this.globeCount);
  }
  /* Textures of the shadow, hard and soft, and the frames to draw there. */
  makeShade() {
    const gl = this.gl;
    this.shades = [[SHADE, 2, gl.LINEAR_MIPMAP_NEAREST], [SHADE / 2, 1, gl.LINEAR]].map(([texels, levels, filter]) => {
      const texture = gl.createTexture(), frame = gl.createFramebuffer();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, levels, gl.RGBA8, texels, texels);
      for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, filter], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
        gl.texParameteri(gl.TEXTURE_2D, key, value);
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      return { texture, frame, texels };
    });
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }
  /* What the bodies hide from the light, as opacity over the square of a plane: they are seen from far along its normal,
   * in axes that are oblique as the light. */
  castShade(plane, wires) {
    const { gl, seen } = this, { frame: [x, y, z], foot, reach } = this.squareOf(plane), away = 100 * reach, axes = seen.turn;
    const light = [0, 1, 2].map((c) => axes[0][c] * TO_LIGHT[0] + axes[1][c] * TO_LIGHT[1] + axes[2][c] * TO_LIGHT[2]);
    const [across, along] = [x, y].map((axis) => sum(axis, z, -dot(light, axis) / Math.max(0.5, dot(light, z))));
    this.seen = { ...seen, turn: [across, along, z], centre: foot, away, lens: [away / reach, away / reach], shift: [0, 0], pixels: [SHADE / 2, SHADE / 2], coloured: false };
    const [hard, soft] = this.shades, begin = ({ frame, texels }) => { gl.bindFramebuffer(gl.FRAMEBUFFER, frame); gl.viewport(0, 0, texels, texels); };
    gl.disable(gl.DEPTH_TEST);
    begin(hard);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.drawBodies(false, wires, 0.5);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, hard.texture);
    gl.generateMipmap(gl.TEXTURE_2D);
    begin(soft);
    this.attach(this.use("blur", {}), [["corner", "square", 2]]);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.bindTexture(gl.TEXTURE_2D, soft.texture);
    gl.activeTexture(gl.TEXTURE0);
    gl.enable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.seen = seen;
  }
  squareOf(plane) {
    const ends = this.ends(plane), frame = this.frameOf(sum(ends[1], ends[0], -1)), n = frame[2];
    return { frame, foot: sum(centre, n, -dot(n, sum(centre, ends[0], -1))), reach: (plane.reach ?? 1.1) * size };
  }
  drawPlane(each, darkest) {
    const gl = this.gl, square = this.squareOf(each), origin = [-dot(square.frame[0], square.foot), -dot(square.frame[1], square.foot)];
    const { fill = 0.16, ruled = 0.75, strength = 1 } = each; /* of a collider: it shows more than the ground */
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    const program = this.use("plane", { ...square, cell: cell(), origin, base: paints.rule.map((c) => c / 255), fill, ruled, strength, darkest });
    this.attach(program, [["corner", "disc", 2]]);
    gl.drawArrays(gl.TRIANGLE_FAN, 0, this.buffer("disc").count);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }
}

/* Saves what the views show as a PNG, twice as large as on the page, on white or on nothing. */
function savePicture(views, look, name, clear) {
  const boxes = views.map((view) => view.canvas.getBoundingClientRect()), sheet = document.createElement("canvas");
  const [left, top] = ["left", "top"].map((side) => Math.min(...boxes.map((box) => box[side])));
  const factor = 2 * Math.min(2, devicePixelRatio || 1), of = (side, from) => Math.round(factor * (Math.max(...boxes.map((box) => box[side])) - from));
  Object.assign(sheet, { width: of("right", left), height: of("bottom", top) });
  const to = sheet.getContext("2d");
  Object.assign(paints, { paper: [255, 255, 255], ink: [22, 25, 29] });
  views.forEach((view, i) => {
    view.draw({ ...look(view), times: 2, clear });
    to.drawImage(view.canvas, factor * (boxes[i].left - left), factor * (boxes[i].top - top));
  });
  theme();
  sheet.toBlob((blob) => {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${name}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

/* The width of the squares on planes: 1, 2 or 5 times a power of ten. */
function cell() {
  const about = size / 10, ten = 10 ** Math.floor(Math.log10(about));
  return ten * (about / ten < 1.5 ? 1 : about / ten < 3.5 ? 2 : about / ten < 7.5 ? 5 : 10);
}

/* ---- what turns the camera, and the colours of the page ---- */

function reset() { Object.assign(camera, structuredClone(start)); dirty = true; }

function turnBy(across, down) {
  camera.turn = (camera.turn - across) % 360;
  camera.tilt = Math.max(0, Math.min(180, camera.tilt - down));
  dirty = true;
}

function zoomBy(factor) { camera.zoom = Math.max(0.2, Math.min(50, camera.zoom * factor)); dirty = true; }

/* Pointers turn, shift and zoom; `grab` may give one something else to move: {move(event), drop(event)}. */
function listen(canvas, grab = () => null) {
  const fingers = new Map();
  let held = null, taken = false; /* by the last press */
  const drop = (e) => { held?.drop(e); held = null; };
  const spread = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    if (fingers.size > 1) drop(e); else held = e.shiftKey || e.button ? null : grab(e);
    taken = !!held;
  });
  for (const kind of ["pointerup", "pointercancel"])
    canvas.addEventListener(kind, (e) => { fingers.delete(e.pointerId); drop(e); });
  canvas.addEventListener("pointermove", (e) => {
    const before = fingers.get(e.pointerId);
    if (!before) return;
    if (held) { held.move(e); return; }
    const dx = e.clientX - before[0], dy = e.clientY - before[1], two = fingers.size === 2, wide = two ? spread() : 0;
    fingers.set(e.pointerId, [e.clientX, e.clientY]);
    if (two && wide > 0) zoomBy(spread() / wide);
    if (two || e.shiftKey || e.buttons > 1) {
      const per = (two ? 1 : 2) / canvas.clientHeight;
      camera.shift = [camera.shift[0] + dx * per, camera.shift[1] - dy * per];
      dirty = true;
    } else turnBy(0.4 * dx, 0.4 * dy);
  });
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoomBy(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015))); }, { passive: false });
  canvas.addEventListener("dblclick", () => { if (!taken) reset(); });
}

const TURNS = { ArrowLeft: [-5, 0], ArrowRight: [5, 0], ArrowUp: [0, -5], ArrowDown: [0, 5] };

const paints = {};
function theme() {
  const style = getComputedStyle(document.documentElement), dark = matchMedia("(prefers-color-scheme: dark)").matches;
  paints.paper = rgb(style.getPropertyValue("--paper").trim());
  paints.ink = rgb(style.getPropertyValue("--ink").trim());
  paints.rule = dark ? [120, 132, 146] : [150, 160, 172];
  paints.solid = dark ? [150, 156, 164] : [184, 186, 190];
  paints.walls = dark ? [98, 106, 116] : [176, 176, 176];
  dirty = true;
}
