/* The page of springbench live: frames from the server are drawn, and what is done here is sent there. The simulation,
 * its options and who has the hand are the server's; a page that is loaded again shows the same. */
const SIDES = ["left", "right"], AWAY = 24; /* pixels from a vertex at which it is taken */
const live = window.live = { sides: [], hello: {}, knobs: new Map(), cost: 0, count: 0, send };
live.state = { running: false, factor: 1, steps: 0, hand: "free", pages: 1, sides: 1 };
const sides = () => live.sides.slice(0, live.state.sides), watches = () => live.state.hand === "another";
const show = { quantity: null, mesh: true, wires: false };
const make = (tag, text = "", more = {}) => Object.assign(document.createElement(tag), { textContent: text }, more);
const two = () => live.state.sides > 1;

/* ---- what goes to the server ---- */

let socket = null, wait = 500, saying = 0;
function send(message) { if (socket?.readyState === 1) socket.send(JSON.stringify(message)); }

/* What only the page may do that has the hand; a free one is taken. */
function act(message) {
  if (watches()) { say("Another page has the hand. Take it to change something here.", true); return false; }
  if (live.state.hand === "free") send({ do: "take" });
  send(message);
  return true;
}

function say(text, alarm = false, code = "") {
  const close = make("button", "×", { onclick: () => { at("said").hidden = true; }, ariaLabel: "close" });
  at("said").replaceChildren(text, ...(code ? [make("br"), make("code", code)] : []), close);
  at("said").classList.toggle("alarm", alarm);
  at("said").hidden = false;
  clearTimeout(saying);
  if (!code) saying = setTimeout(close.onclick, 8000);
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/${location.search}`, "springbench-live.1");
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    wait = 500;
    at("trouble").textContent = "";
    at("desk").inert = false;
    send({ do: "visible", value: !document.hidden });
  };
  socket.onmessage = (e) => {
    const began = performance.now();
    try {
      const message = typeof e.data === "string" ? JSON.parse(e.data) : null;
      if (message) HEARD[message.type]?.(message); else arrive(e.data);
    } catch (problem) { /* a net that is too large for this browser */
      at("trouble").textContent = `This page cannot show what it was sent: ${problem.message}`;
    }
    spent += performance.now() - began;
  };
  socket.onclose = () => {
    at("trouble").textContent = "springbench live does not answer. If it still runs, this page connects by itself; "
      + "otherwise start it again and open the link that it prints.";
    at("desk").inert = true;
    setTimeout(connect, wait = Math.min(5000, 1.5 * wait));
  };
}

/* ---- the motions ---- */

const FIELDS = ["time", "step", "h", "kinetic", "elastic", "gravity", "total", "iterations", "linear", "residual",
  "seconds", "steps", "strain", "limit"];
const MOST = 600; /* pictures of which strips show the numbers */
const REEL = 0.5, SLOWER = 8; /* s that a replay after a burst shows, and how much slower */

/* A net as View shows it, with the numbers of its last frames. */
class Net {
  constructor(given, before) {
    Object.assign(this, given);
    this.triangle = new Uint32Array(bytes(given.triangles).buffer);
    this.spring = new Uint32Array(bytes(given.springs).buffer);
    this.marked = bytes(given.pinned);
    this.colliders = given.colliders.map((radius) => ({ radius, places: [[0, 0, 0, 0, 0, 0]] }));
    this.place = new Float32Array(3 * given.vertices);
    this.strain = new Float32Array(given.vertices);
    this.shades = new Uint8Array(given.vertices);
    this.low = [...given.box[0]];
    this.high = [...given.box[1]];
    this.frame = 0;
    if (before?.triangles === given.triangles) this.edges = before.edges;
  }
  /* Turns the scene's axes into the picture's. */
  read(buffer) {
    const count = 3 * this.vertices, p = new Float32Array(buffer, 136, count), q = this.place, { low, high } = this;
    const [[a, b, c], [d, e, f], [g, h, i]] = this.axes;
    low.fill(Infinity);
    high.fill(-Infinity);
    for (let k = 0; k < count; k += 3) {
      const x = p[k], y = p[k + 1], z = p[k + 2];
      const u = a * x + b * y + c * z, v = d * x + e * y + f * z, w = g * x + h * y + i * z;
      q[k] = u; q[k + 1] = v; q[k + 2] = w;
      if (u < low[0]) low[0] = u; if (u > high[0]) high[0] = u;
      if (v < low[1]) low[1] = v; if (v > high[1]) high[1] = v;
      if (w < low[2]) low[2] = w; if (w > high[2]) high[2] = w;
    }
    this.strain.set(new Float32Array(buffer, 136 + 4 * count, this.vertices));
    const ends = new Float32Array(buffer, 136 + 4 * (count + this.vertices));
    this.colliders.forEach((each, k) => {
      const two = [ends.subarray(6 * k, 6 * k + 3), ends.subarray(6 * k + 3, 6 * k + 6)];
      each.places[0] = two.flatMap((end) => this.axes.map((axis) => dot(axis, end)));
    });
    ++this.frame;
  }
  toScene(p) { return [0, 1, 2].map((c) => this.axes[0][c] * p[0] + this.axes[1][c] * p[1] + this.axes[2][c] * p[2]); }
  /* The size that most values do not exceed: at pins and impacts there are extremes. */
  typical() {
    const some = new Float32Array(Math.min(400, this.vertices)), next = this.vertices / some.length;
    for (let k = 0; k < some.length; ++k) some[k] = Math.abs(this.strain[Math.floor(k * next)]);
    some.sort();
    return some[Math.floor(0.98 * (some.length - 1))] || 0;
  }
  values() {
    const { strain, shades } = this, half = this.kind !== "particles", per = (half ? 127 : 254) / scale.most;
    for (let v = 0; v < shades.length; ++v) {
      const x = strain[v] * per + (half ? 127.5 : 0.5);
      shades[v] = x > 0 ? Math.min(254, x) : 0;
    }
    return shades;
  }
}

/* A simulation: its figure, its net, its options and the numbers of its last pictures. */
class Side {
  constructor(index) {
    this.index = index;
    this.values = {};
    this.given = new Set();
    this.past = [];
    this.reel = []; /* its pictures of the last half second */
    this.figure = make("figure");
    this.figure.style.setProperty("--side", `var(--${index ? "two" : "one"})`);
    const canvas = make("canvas", "", { tabIndex: 0, role: "img" });
    canvas.ariaLabel = `${SIDES[index]} net: drag a vertex to move it, elsewhere to turn the view`;
    this.name = make("strong");
    this.about = make("span");
    const caption = make("figcaption");
    caption.append(this.name, this.about);
    this.stop = make("div", "", { className: "stop", hidden: true, role: "alert" });
    this.figure.append(canvas, caption, this.stop);
    at("stage").append(this.figure);
    listen(canvas, (e) => grab(this, e));
  }
  begin(given) {
    this.net = new Net(given, this.net);
    this.fresh = true; /* has no places yet */
    Object.assign(this, { buffer: null, now: null, past: given.anew ? [] : this.past, reel: [] });
    this.halt("");
  }
  halt(text, ...buttons) {
    this.replay = null;
    this.stop.replaceChildren(make("p", text));
    for (const [label, onclick] of buttons) this.stop.append(make("button", label, { onclick }));
    this.stop.hidden = !text;
  }
  /* The reel keeps every other picture if it has too many. */
  keep(now, buffer) {
    const { reel } = this, most = Math.min(64, Math.max(2, 6e7 / buffer.byteLength));
    if (reel.at(-1)?.time === now.time) reel.pop();
    reel.push({ time: now.time, buffer });
    while (reel[0].time < now.time - REEL) reel.shift();
    if (reel.length > most) this.reel = reel.filter((_, k) => (reel.length - 1 - k) % 2 === 0);
  }
  /* Its picture of now in the slow replay, which rests at its end. */
  play(now) {
    const { replay, reel } = this;
    if (!replay) return;
    const t = reel[0].time + (now - replay.since) / 1e3 / SLOWER, shown = reel.findLast((each) => each.time <= t);
    if (now - replay.since > 1e3 * (SLOWER * (reel.at(-1).time - reel[0].time) + 1)) replay.since = now;
    if (!shown || shown === replay.shown) return;
    replay.shown = shown;
    this.buffer = shown.buffer;
  }
  repeat() {
    const last = this.reel.at(-1);
    if (this.replay) { this.replay = null; this.buffer = last.buffer; }
    else if (this.reel.length > 2) this.replay = { since: performance.now(), shown: null };
  }
  take() {
    if (!this.buffer) return;
    this.net.read(this.buffer);
    this.buffer = null;
    if (!this.fresh) return;
    if (this.view) this.view.take(this.net); else this.view = new View(this.net, this.figure);
    this.fresh = false;
    aim();
  }
}

/* Numbers of every frame are kept, and the newest is drawn. Frames that come before their net are only acknowledged. */
let newest = null; /* that is not acknowledged */
function arrive(buffer) {
  const head = new Uint32Array(buffer, 0, 4), side = live.sides[head[1]];
  if (head[0] !== 0x314c4253) return;
  newest = head[2];
  if (head[3] !== side?.net?.vertices) return;
  const numbers = new Float64Array(buffer, 16, 14), now = { wall: performance.now(), distance: side.now?.distance };
  FIELDS.forEach((name, i) => { now[name] = numbers[i]; });
  side.past.push(now);
  if (side.past.length > MOST) side.past.shift();
  Object.assign(side, { now, buffer, number: head[2] });
  side.keep(now, buffer);
}

/* The distance of two nets: root of the mean square over their vertices. */
function distance() {
  const [a, b] = live.sides.map((side) => side.net.place);
  if (a.length !== b.length) return NaN;
  let square = 0;
  for (let k = 0; k < a.length; ++k) square += (a[k] - b[k]) ** 2;
  return Math.sqrt(square / (a.length / 3));
}

/* ---- the view: its box follows the motion, and the scale of the colours the strains ---- */

const box = { home: null, low: [0, 0, 0], high: [0, 0, 0], spans: [], since: 0 };

/* The camera stays as it was turned unless the net is another one. */
function aim() {
  const nets = sides().map((side) => side.net).filter(Boolean);
  if (!nets.length) return;
  const ballAt = (p, radius) => ({ low: p.map((x) => x - radius), high: p.map((x) => x + radius) });
  const round = nets.flatMap((net) => net.colliders).filter((each) => each.radius > 0);
  box.balls = round.flatMap(({ radius, places: [p] }) => [ballAt(p.slice(0, 3), radius), ballAt(p.slice(3), radius)]);
  const all = [...nets.map((net) => ({ low: net.box[0], high: net.box[1] })), ...box.balls];
  for (const c of [0, 1, 2]) {
    box.low[c] = Math.min(...all.map((each) => each.low[c]));
    box.high[c] = Math.max(...all.map((each) => each.high[c]));
  }
  box.spans = [0, 1].map(() => structuredClone({ low: box.low, high: box.high }));
  const home = JSON.stringify([box.low, box.high, nets.map((net) => [net.kind, net.flat])]);
  if (home !== box.home) {
    box.home = home;
    centre = sum(box.low, box.high).map((x) => x / 2);
    size = Math.hypot(...sum(box.high, box.low, -1)) || 1;
    box.least = centre.map((x) => x - 2 * size);
    box.most = centre.map((x) => x + 2 * size);
    Object.assign(start, nets.every((net) => net.flat) ? { tilt: 90, turn: 0 } : { tilt: 72, turn: 32 });
    /* Walls stand on the ground, and a net may hang down to it, less far from a ball. */
    const width = Math.max(box.high[0] - box.low[0], box.high[1] - box.low[1]);
    const below = nets[0].kind === "particles" ? 0.01 * size : (round.length ? 0.4 : 1.1) * width;
    ground = { z: box.low[2] - below, strength: 1 };
    reset();
    scale.most = 0;
  }
  show.quantity &&= { ...show.quantity, diverging: nets[0].kind !== "particles" };
  surroundBox(box);
}

const netsShown = () => sides().filter((side) => side.net && !side.fresh).map((side) => side.net);
/* The box of the last 2.5 to 5 s, with the balls, soon after it grew and later after it shrank. */
function follow(next) {
  const nets = netsShown();
  if (held.to || !nets.length) return;
  const none = { low: Array(3).fill(Infinity), high: Array(3).fill(-Infinity) };
  const now = performance.now();
  if (next && now - box.since > 2500) Object.assign(box, { spans: [box.spans[1], none], since: now });
  let most = 0;
  ground.strength = Math.max(0, Math.min(1, 1 + 10 * (Math.min(...nets.map((net) => net.low[2])) - ground.z) / size)); /* nothing that falls through it */
  for (const c of [0, 1, 2]) {
    const span = box.spans[1];
    span.low[c] = Math.min(span.low[c], ...nets.map((net) => Math.max(net.low[c], box.least[c])));
    span.high[c] = Math.max(span.high[c], ...nets.map((net) => Math.min(net.high[c], box.most[c])));
    for (const end of ["low", "high"]) {
      const to = Math[end === "low" ? "min" : "max"](...[...box.spans, ...box.balls].map((each) => each[end][c]));
      const apart = to - box[end][c], grows = end === "low" ? apart < 0 : apart > 0;
      box[end][c] += (grows ? 0.35 : 0.03) * apart;
      most = Math.max(most, Math.abs(apart));
    }
  }
  if (most > 2e-3 * size) surroundBox(box);
}

const scale = { most: 0, fits: 0 }; /* fits: when it was last not too large, ms */
function colours() {
  const typical = Math.max(1e-9, ...netsShown().map((net) => net.typical())), now = performance.now();
  const ten = 10 ** Math.floor(Math.log10(typical)), digit = typical / ten;
  const nice = ten * ([1, 2, 5].find((x) => digit <= 1.0001 * x) ?? 10);
  if (nice >= 0.3 * scale.most) scale.fits = now;
  if (!(nice > scale.most || now - scale.fits > 700)) return;
  Object.assign(scale, { most: nice, fits: now });
  legend();
}

function legend() {
  const bar = at("legend") ?? make("div", "", { id: "legend" });
  const kind = live.sides[0]?.net?.kind, fluid = kind === "particles";
  const most = fluid ? scale.most : 100 * scale.most, ticks = fluid ? [0, most / 2, most] : [-most, 0, most];
  const stops = fluid ? MAPS.viridis : show.wires || kind === "rope" ? MAPS.rope : MAPS.strain;
  sides().at(-1)?.figure.append(bar);
  const parts = scaleOf(fluid ? "speed (m/s)" : "strain (%)", "", stops, ticks.map((x) => brief(x)));
  bar.replaceChildren(...(show.quantity ? parts : []));
}

/* ---- the hand: a vertex that is dragged, pinned, or pushed by keys ---- */

const held = { vertex: -1, side: 0, to: null, sent: null };
const placeOf = (net, v) => [...net.place.subarray(3 * v, 3 * v + 3)];

function hold(more) { Object.assign(held, more); dirty = true; }
function drop() { if (held.to) act({ do: "drop" }); hold({ to: null, sent: null }); }

function pin() {
  const { vertex } = held;
  if (vertex >= 0) act({ do: "pin", vertex, value: !live.sides[held.side].net.marked[vertex] });
}

function grab(side, e) {
  const from = [e.offsetX, e.offsetY], vertex = side.view && !watches() ? side.view.nearest(...from, AWAY) : -1;
  if (vertex < 0) return null;
  const lens = side.view.lens(), [u, w, depth] = lens.see(placeOf(side.net, vertex));
  let moved = false;
  hold({ vertex, side: side.index, to: null });
  return {
    move(e) {
      moved ||= Math.hypot(e.offsetX - from[0], e.offsetY - from[1]) > 4;
      if (moved) hold({ to: lens.put(u + e.offsetX - from[0], w + e.offsetY - from[1], depth) });
    },
    drop(e) { if (moved) drop(); else if (e.type === "pointerup") pin(); },
  };
}

/* By keys: the vertex is chosen, held and moved in the plane of the screen. */
function chooseBy(step) {
  const side = live.sides[held.side] ?? live.sides[0], n = side.net.vertices;
  if (held.to) drop();
  hold({ vertex: held.vertex < 0 ? 0 : (held.vertex + step + n) % n, side: side.index });
  say(`Vertex ${held.vertex} is chosen: P pins it, G holds it for the arrow keys.`);
}

function moveBy(across, up) {
  const turn = basis();
  hold({ to: held.to.map((x, c) => x + 0.02 * size * (across * turn[0][c] + up * turn[1][c])) });
}

function holdOrDrop() {
  if (held.vertex < 0) chooseBy(0);
  else if (held.to) drop();
  else hold({ to: placeOf(live.sides[held.side].net, held.vertex) });
}

function sendDrag() {
  if (!held.to || held.to === held.sent) return;
  held.sent = held.to;
  const to = live.sides[held.side].net.toScene(held.to).map((x) => Number(x.toPrecision(9)));
  act({ do: "drag", vertex: held.vertex, to, by: at("by").value });
}

/* Wind blows away from who looks. */
let blowing = false;
function blow(on) {
  if (on === blowing || (on && !live.sides[0]?.net)) return;
  const strength = on ? Number(at("strength").value) : 0, along = basis()[2].map((x) => -x * strength);
  if (act({ do: "gust", acceleration: live.sides[0].net.toScene(along) })) blowing = on;
  at("wind").ariaPressed = blowing;
}

function mark(side) {
  const { view, net } = side;
  if (view.lost || held.vertex < 0 || held.vertex >= net.vertices || (held.side !== side.index && !held.to)) return;
  const { gl } = view, ink = [...paints.link.map((c) => c / 255), 1];
  gl.disable(gl.DEPTH_TEST);
  if (held.to) {
    view.corners("pull", 3, new Float32Array([...placeOf(net, held.vertex), ...held.to]));
    view.attach(view.use("lines", { ink }), [["place", "pull", 3]]);
    gl.drawArrays(gl.LINES, 0, 2);
  }
  view.indices("chosen", Uint32Array.of(held.vertex));
  view.drawPoints("chosen", 1, { most: 11 * Math.min(2, devicePixelRatio || 1), ink });
  gl.enable(gl.DEPTH_TEST);
}

/* ---- knobs ---- */

let shown = 0; /* the side that knobs show and set; -1: both */
const sidesShown = () => (!two() ? [0] : shown < 0 ? [0, 1] : [shown]);

/* "5", "1/30" and "1e-3 s" are numbers in the option's unit, other text is not. */
function numberOf(text, unit) {
  const found = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)(?:\/([\d.]+))?\s*(.*)$/i.exec(text ?? "");
  return found && ["", unit].includes(found[3].trim()) ? Number(found[1]) / Number(found[2] ?? 1) : NaN;
}

class Knob {
  constructor(option) {
    Object.assign(this, option);
    this.first = option.first || Infinity;
    const range = /[[(]([^,|]+),([^,|)\]]+)[)\]]/.exec(option.range ?? "");
    this.bounds = range?.slice(1).map(Number) ?? [-Infinity, Infinity];
    this.names = this.kind === "BOOL" ? [["true", ""], ["false", ""]] : this.choices ?? [];
    this.listed = this.names.length > 0 && ["BOOL", "NAME"].includes(this.kind);
    this.unit ??= "";
    this.words = [this.name, this.about, this.group, ...this.names.map(([name]) => name)].join(" ").toLowerCase();
  }
  valueOf(side) { return live.sides[side]?.values[this.name] ?? ""; }
  get value() { return this.valueOf(sidesShown()[0]); }
  get isRead() { return sidesShown().some((side) => this.name in (live.sides[side]?.values ?? {})); }
  build() {
    const row = this.row = make("div", "", { className: "knob" }), top = make("div"), id = `knob-${this.name}`;
    this.label = make("label", this.name.replaceAll("_", " "), { htmlFor: id });
    this.field = make(this.listed ? "select" : "input", "", { id, autocomplete: "off", spellcheck: false });
    const choices = this.names.map(([name]) => make("option", this.listed ? name : "", { value: name }));
    if (this.listed) this.field.append(...choices);
    else if (choices.length) {
      const list = make("datalist", "", { id: `${id}-list` });
      list.append(...choices);
      this.field.setAttribute("list", list.id);
      row.append(list);
    }
    this.field.disabled = this.locked;
    this.field.onchange = () => this.set(this.field.value);
    this.field.onkeydown = (e) => { if (e.key === "Escape") { this.said(""); this.show(true); } };
    top.append(this.label, this.field);
    if (!this.listed) top.append(make("span", this.unit, { className: "unit", title: this.unit }));
    row.append(top);
    this.buildSlider();
    [this.other, this.note, this.about_] = [make("p", "", { className: "other" }), make("p"), make("p")];
    this.note.role = "status";
    row.append(this.other, this.note, this.about_);
    this.show(true);
    return row;
  }
  /* Reals that cannot be negative turn by factors, three decades to each side, integers one; others by parts. */
  buildSlider() {
    const from = numberOf(this.value || this.preset, this.unit), [low, high] = this.bounds;
    if (this.locked || !["REAL", "INTEGER"].includes(this.kind) || Number.isNaN(from) || low === -Infinity) return;
    const whole = this.kind === "INTEGER", factor = whole ? 10 : 1000, base = from > 0 ? from : whole ? 10 : 1;
    this.log = low >= 0 && !(high <= 1);
    this.ends = this.log ? [Math.max(base / factor, low, whole ? 1 : 0), Math.min(base * factor, high)] : [low, high];
    if (whole) this.ends = this.ends.map(Math.round);
    if (!(this.ends[1] > this.ends[0])) return;
    this.zero = this.log && low === 0 && from === 0; /* at the left end */
    this.slider = make("input", "", { type: "range", min: 0, max: 600, step: whole ? 1 : 2, disabled: this.locked });
    this.slider.ariaLabel = this.name;
    /* While it moves, unless the simulation starts anew each time. */
    this.slider.oninput = () => {
      this.field.value = this.textAt(Number(this.slider.value));
      if (!this.anew) this.set(this.field.value);
    };
    this.slider.onchange = () => { if (this.anew) this.set(this.field.value); };
    this.anew = whole;
    this.limit = make("u", "", { hidden: true });
    const ends = [this.textAt(0), this.textAt(600)], sweep = make("button", "sweep");
    sweep.title = `writes a sweep file from ${ends[0]} to ${ends[1]} ${this.unit}`;
    sweep.onclick = () => act({ do: "sweep", side: sidesShown()[0], option: this.name, low: ends[0], high: ends[1] });
    const track = make("div", "", { className: "track" }), groove = make("span");
    groove.append(this.slider, this.limit);
    track.append(groove, sweep);
    this.row.append(track);
  }
  textAt(position) {
    const [low, high] = this.ends, part = position / 600;
    if (this.zero && position === 0) return "0";
    const x = this.log ? low * (high / low) ** part : low + (high - low) * part;
    return String(this.kind === "INTEGER" ? Math.round(x) : Number(Math.min(high, Math.max(low, x)).toPrecision(3)));
  }
  positionOf(x) {
    const [low, high] = this.ends;
    const part = this.log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);
    return Math.max(0, Math.min(600, 600 * part)) || 0;
  }
  set(text) {
    if (this.busy) { this.next = text; return; }
    this.next = undefined;
    this.said("");
    if (!act({ do: "set", side: two() ? shown : 0, option: this.name, value: text })) { this.show(true); return; }
    this.busy = setTimeout(() => this.answered(), 1500);
  }
  answered() {
    clearTimeout(this.busy);
    this.busy = 0;
    if (this.next !== undefined) this.set(this.next);
  }
  said(text, bad = false) {
    if (!this.row) return;
    this.note.textContent = text;
    this.note.className = bad ? "bad" : "";
    if (bad) this.field.setAttribute("aria-invalid", "true"); else this.field.removeAttribute("aria-invalid");
  }
  /* What is being typed stays, unless `all`. */
  show(all = false) {
    if (!this.row) return;
    const { value, field, listed } = this, turning = this.busy || this.next !== undefined;
    const typing = document.activeElement === field || field.hasAttribute("aria-invalid");
    if (all || (!turning && (listed || !typing))) {
      field.value = value;
      if (field.value !== value) { field.append(make("option", value, { value })); field.value = value; }
    }
    if (this.slider && !turning) this.slider.value = this.positionOf(numberOf(value, this.unit));
    if (this.slider) this.slider.ariaValueText = `${value} ${this.unit}`;
    this.label.classList.toggle("given", sidesShown().some((side) => live.sides[side]?.given.has(this.name)));
    const other = shown === 1 ? 0 : 1, reads = two() && this.name in live.sides[other].values;
    const theirs = reads ? this.valueOf(other) : value;
    this.other.textContent = theirs !== value ? `${SIDES[other]}: ${theirs || "unset"} ${this.unit}` : "";
    this.other.style.setProperty("--side", `var(--${other ? "two" : "one"})`);
    const choice = this.names.find(([name]) => name === value)?.[1];
    const range = ["REAL", "INTEGER", "VECTOR"].includes(this.kind) && this.range ? `; range ${this.range}` : "";
    const chosen = this.name === "h" && value === live.sides[sidesShown()[0]]?.chosen;
    const text = [`${this.about}${range}.`, chosen ? "No step was given: this is half the limit." : "", choice ? `${value}: ${choice}.` : "",
      this.locked ? "It names a file or is handed to a library: set it on the command line." : ""].filter(Boolean);
    if (this.about_.textContent !== text.join(" ")) this.about_.textContent = text.join(" ");
  }
}

/* The dozen that matter first, those that were searched for, or all by their sections. */
function list() {
  const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean), all = isPressed("all");
  const byRank = (a, b) => a.first - b.first, named = (knob) => knob.name.startsWith(words[0]);
  let chosen = [...live.knobs.values()].filter((knob) => knob.isRead);
  if (words.length) chosen = chosen.filter((knob) => words.every((word) => knob.words.includes(word)));
  if (words.length) chosen.sort((a, b) => named(b) - named(a) || byRank(a, b));
  else if (!all) chosen = chosen.filter((knob) => knob.first < Infinity && (knob.value || knob.preset)).sort(byRank);
  const rows = [];
  let group = null;
  for (const knob of chosen) {
    if (all && !words.length && knob.group !== group) rows.push(make("h2", group = knob.group));
    rows.push(knob.row ?? knob.build());
    knob.show();
  }
  if (!rows.length) rows.push(make("p", words.length ? "No option that this simulation reads has these words." : ""));
  const before = [...at("knobs").children];
  if (rows.length !== before.length || rows.some((row, i) => row !== before[i])) at("knobs").replaceChildren(...rows);
}

function turnTo(side) {
  shown = side;
  at("sides").hidden = !two();
  for (const button of at("sides").children) button.ariaPressed = Number(button.value) === shown;
  for (const knob of live.knobs.values()) { knob.said(""); knob.show(true); }
  list();
}

/* Names of two sides are the options in which they differ. */
function showNames() {
  for (const side of live.sides) {
    const other = two() ? live.sides[1 - side.index]?.values ?? {} : side.values;
    const apart = Object.keys(side.values).filter((name) => name in other && other[name] !== side.values[name]);
    const names = apart.slice(0, 4).map((name) => `${name} = ${side.values[name] || "unset"}`).join(", ");
    side.name.textContent = two() ? names || SIDES[side.index] : "";
  }
}

/* ---- strips over time ---- */

function brief(x, digits = 3, behind = 0) {
  const far = x !== 0 && (Math.abs(x) < 0.01 || Math.abs(x) >= 1e5);
  const text = far ? x.toExponential(behind) : String(Number(x.toPrecision(digits)));
  return text.replaceAll("-", "−").replace("+", "");
}

class Strip {
  constructor(name, unit, value, more = {}) {
    Object.assign(this, { name, unit, value, ...more });
    this.box = make("section");
    this.text = make("p");
    this.canvas = make("canvas", "", { ariaHidden: "true" });
    this.box.append(make("h2", unit ? `${name} (${unit})` : name), this.text, this.canvas);
    at("strips").append(this.box);
  }
  /* Beneath it the values now; the frame has the extremes of what is drawn. */
  draw() {
    const of = this.single ? live.sides.slice(0, 1) : sides(), rows = of.map((side) => side.past.map(this.value));
    this.box.hidden = this.single && !two();
    if (this.box.hidden || !of.length || !of.every((side) => side.now)) return;
    this.text.replaceChildren(...rows.map((row, i) => {
      const x = row.at(-1) ?? NaN, b = make("b", Number.isNaN(x) ? this.none ?? "–" : brief(x, 3, 2));
      b.style.setProperty("--side", this.single ? "var(--ink)" : `var(--${i ? "two" : "one"})`);
      return b;
    }), this.extra?.(of[0]) ?? "");
    const { canvas } = this, dots = Math.min(2, devicePixelRatio || 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.round(x * dots));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const to = canvas.getContext("2d"), log = this.log, shift = (x) => (log ? Math.log10(Math.max(x, 1e-300)) : x);
    const shows = (x) => Number.isFinite(x) && (!log || x > 0), all = rows.flat().filter(shows);
    const mark = this.mark !== undefined && all.length ? [this.mark] : [];
    let low = Math.min(...all, ...mark), high = Math.max(...all, ...mark);
    if (this.zero) low = Math.min(0, low);
    if (high - low <= 1e-9 * Math.abs(high)) {
      low -= log || this.zero ? low / 2 : 0.1 * Math.abs(low) || 1;
      high += 0.1 * Math.abs(high) || 1;
    }
    const some = high >= low, digits = brief(low) === brief(high) ? 6 : 3;
    this.ends = some ? [brief(high, digits), brief(low, digits)] : [];
    to.clearRect(0, 0, width, height);
    to.font = `${10 * dots}px system-ui, sans-serif`;
    this.edge = width - Math.max(44 * dots, ...this.ends.map((text) => to.measureText(text).width + 6 * dots)); /* the extremes are beyond it */
    const { edge } = this;
    to.lineWidth = dots;
    to.strokeStyle = paints.ruled;
    to.strokeRect(dots / 2, dots / 2, edge - dots, height - dots);
    if (!some) return;
    const [a, b] = [shift(low), shift(high)], left = 2 * dots;
    const down = (x) => height - 3 * dots - (shift(x) - a) / (b - a) * (height - 6 * dots);
    if (mark.length) {
      to.strokeStyle = to.fillStyle = paints.alarm;
      to.globalAlpha = 0.12;
      to.fillRect(0, 0, edge, down(this.mark));
      to.globalAlpha = 1;
      to.beginPath(); to.moveTo(0, down(this.mark)); to.lineTo(edge, down(this.mark)); to.stroke();
    }
    rows.forEach((row, i) => {
      to.strokeStyle = this.single ? paints.text : i ? paints.two : paints.one;
      to.lineWidth = 1.5 * dots;
      to.setLineDash(i ? [5 * dots, 3 * dots] : []);
      to.beginPath();
      row.forEach((x, k) => {
        const across = left + k / Math.max(60, row.length - 1) * (edge - 2 * left);
        if (shows(x)) to[k > 0 && shows(row[k - 1]) ? "lineTo" : "moveTo"](across, down(x));
      });
      to.stroke();
    });
    to.setLineDash([]);
    to.fillStyle = paints.quiet;
    this.ends.forEach((text, i) => to.fillText(text, edge + 3 * dots, i ? height - 2 * dots : 10 * dots));
  }
}

const strips = [
  new Strip("energy", "J", (x) => x.total),
  new Strip("iterations per step", "", (x) => x.iterations || NaN, { zero: true,
    extra: ({ now }) => (now.linear > 0 && !two() ? `linear ${short(now.linear)}` : "") }),
  new Strip("residual", "", (x) => (x.residual > 0 ? x.residual : NaN), { log: true }),
  new Strip("time per step", "ms", (x) => 1e3 * x.seconds, { zero: true }),
  new Strip("h over its limit", "", (x) => x.h / x.limit, { mark: 1, zero: true, none: "no limit" }),
  new Strip("distance", "m", (x) => x.distance ?? NaN, { single: true, zero: true }),
];
let turn = 0, behind = 0; /* the strip drawn last; strips that are to be drawn, one at a time */

/* ---- what the server says ---- */

const plain = (text) => text.replace(/^(options(:\d+)?: error|springbench): /, "");
const HEARD = {
  hello(message) {
    live.hello = message;
    const name = message.title.replaceAll("_", " "), title = name.charAt(0).toUpperCase() + name.slice(1);
    document.title = `${at("title").textContent = title}: springbench live`;
    at("save").title = `writes a case file into ${message.folder}`;
  },
  state(message) {
    const before = live.state;
    live.state = message;
    sideOf(message.sides - 1);
    live.sides.forEach((side, i) => { side.figure.hidden = i >= message.sides; });
    if (before.sides !== message.sides) { held.vertex = -1; turnTo(message.sides > 1 ? 1 : 0); }
    at("stage").classList.toggle("two", two());
    if (message.running && !before.running) resumed = performance.now();
    at("run").ariaPressed = !message.running;
    at("faster").disabled = message.factor >= 1;
    at("step").disabled = message.running;
    at("pace").textContent = message.factor >= 1 ? "real time" : `1/${short(1 / message.factor)} of real time`;
    if (document.activeElement !== at("steps")) at("steps").value = message.steps || "auto";
    at("beside").ariaPressed = two();
    for (const id of ["acts", "hands", "knobs"]) at(id).disabled = watches();
    at("watch").hidden = !watches();
    showNames();
    list();
    dirty = true;
  },
  knobs({ options }) {
    live.knobs = new Map(options.map((option) => [option.name, new Knob(option)]));
    list();
  },
  values({ side, options, given, chosen_h }) {
    Object.assign(sideOf(side), { values: options, given: new Set(given), chosen: chosen_h });
    showNames();
    list();
  },
  net(message) { sideOf(message.side).begin(message); },
  pinned({ side, pinned }) {
    const { net, view } = sideOf(side), marked = bytes(pinned);
    if (net?.vertices === marked.length) { net.marked = marked; if (view?.motion === net) view.mark(); }
    dirty = true;
  },
  changed({ option, anew, note }) {
    const knob = live.knobs.get(option);
    if (!knob) return;
    knob.anew ||= anew;
    knob.said([note, anew && !note ? "The simulation starts anew." : ""].join(""));
    knob.answered();
    knob.show();
    showNames();
  },
  refused({ option, message: text }) {
    const knob = live.knobs.get(option), message = plain(text);
    if (knob?.row?.isConnected) { knob.next = undefined; knob.said(message, true); } else say(message, true);
    knob?.answered();
    knob?.show();
  },
  note({ side, message }) { say(two() && side >= 0 ? `${SIDES[side]}: ${message}` : message); },
  stopped({ side, reason, status }) {
    const it = sideOf(side), { now } = it, bursts = ["burst", "diverged"].includes(status);
    const over = now?.limit > 0 ? ` h is ${short(now.h / now.limit)} of its limit.` : "";
    const mend = " The steps are too long for this net at this stretch: make h smaller, or choose implicit_euler.";
    const again = () => { if (act({ do: "again" })) act({ do: "run", value: true }); };
    const what = `Stopped, ${status}: ${plain(reason).replace(/^burst: |[.]$/g, "")}.`;
    const replays = bursts && it.reel.length > 2;
    it.halt(what + (bursts ? over + mend : " Turn a knob, or run it again."), ["Run again", again],
      ...(replays ? [["Replay", () => it.repeat()]] : []));
    if (replays && !matchMedia("(prefers-reduced-motion: reduce)").matches) it.repeat();
  },
  ended({ side, message }) {
    sideOf(side).halt(`The simulation ended: ${message}`, ["Restart", () => act({ do: "restart", side })]);
  },
  stuck({ side, seconds }) {
    const what = seconds > 0 ? `A step has taken ${short(seconds)} s so far. Wait, or turn a knob and restart.` : "";
    sideOf(side).halt(what, ["Restart", () => act({ do: "restart", side })]);
  },
  result({ what, side, text, file, note }) {
    if (what === "command") navigator.clipboard?.writeText(text).catch(() => {});
    const done = what === "command" ? "copied" : `written to ${file}`, line = text === file ? "" : text;
    const name = two() ? `${SIDES[side]}: ` : "", then = note ? `: ${note}.` : ".";
    say(name + done + then, false, line);
  },
};

function sideOf(index) {
  while (live.sides.length <= index) live.sides.push(new Side(live.sides.length));
  return live.sides[index];
}

/* ---- buttons and keys ---- */

const press = (id) => () => at(id).click();
const isPressed = (id) => at(id).ariaPressed === "true";
function toggle(name) {
  const on = !isPressed(name);
  at(name).ariaPressed = on;
  if (name in show) show[name] = on;
  show.quantity = isPressed("colour") ? { diverging: live.sides[0]?.net?.kind !== "particles" } : null;
  legend();
  dirty = true;
}

function pace(change) {
  const { factor, steps } = live.state;
  act({ do: "pace", factor: Math.max(1 / 4096, Math.min(1, factor * (change.by ?? 1))), steps: change.steps ?? steps });
}

/* Vertices along an edge, as in the report on cloth on a ball; icospheres have subdivisions. */
function resolution(n) {
  for (const [name, value] of [["grid", 2 ** (n + 3) - 1], ["nodes", 2 ** (n + 3)], ["subdivisions", n + 1]]) {
    const knob = live.knobs.get(name);
    if (knob?.isRead && !knob.locked) { knob.set(String(value)); return; }
  }
}

const KEYS = {
  " ": [press("run"), "Space", "run and pause"], ".": [press("step"), ".", "one step, when paused"],
  home: [press("again"), "Home", "from the start"],
  "[": [press("slower"), "[ ]", "slower, faster"], "]": [press("faster")],
  s: [press("wires"), "S", "skeleton: springs instead of the surface"],
  c: [press("colour"), "C", "colours of the strain"], m: [press("mesh"), "M", "mesh"],
  t: [press("beside"), "T", "two beside each other, or one"], w: [() => blow(true), "W", "wind while it is held"],
  h: [() => { at("by").selectedIndex = 1 - at("by").selectedIndex; }, "H", "drag by a moving pin, or by a spring"],
  n: [() => chooseBy(1), "N B", "choose the next vertex, the one before"], b: [() => chooseBy(-1)],
  p: [pin, "P", "pin or unpin the chosen vertex"],
  g: [holdOrDrop, "G", "hold the chosen vertex, then move it by arrows; let go"],
  r: [press("reset"), "R", "reset the view"],
  "+": [() => zoomBy(1.2), "+ −", "zoom"], "=": [() => zoomBy(1.2)], "-": [() => zoomBy(1 / 1.2)],
  "/": [() => at("search").focus(), "/", "search the options"], "?": [() => at("help").showModal(), "?", "this help"],
};
for (const n of [1, 2, 3, 4]) KEYS[n] = [() => resolution(n)];
const HELP = [["Drag a vertex", "move it; a click or tap pins or unpins it"],
  ["Drag elsewhere", "turn the view; arrows with Shift do so too"],
  ["Shift and drag", "shift the view, as two fingers do"],
  ["Wheel, two fingers", "zoom; a double click resets the view"],
  ...Object.values(KEYS).filter((key) => key[1]).map(([, keys, does]) => [keys.split(" "), does]),
  [["1", "2", "3", "4"], "resolution: 16, 32, 64, 128 vertices along an edge"]];

document.addEventListener("keydown", (e) => {
  const { tagName, type } = e.target, arrow = TURNS[e.key], range = type === "range";
  if (e.ctrlKey || e.altKey || e.metaKey || at("help").open) return;
  if (tagName === "SELECT" || (tagName === "INPUT" && !range) || (e.key === " " && tagName === "BUTTON")) return;
  if (range && (arrow || e.key === "Home")) return;
  const moves = arrow && (held.to || e.shiftKey), turns = moves && !held.to;
  const move = () => (turns ? turnBy(...arrow) : moveBy(arrow[0] / 5, -arrow[1] / 5));
  const does = moves ? move : KEYS[e.key.toLowerCase()]?.[0];
  if (!does) return;
  e.preventDefault();
  if (!e.repeat || moves || "nb+-=[]".includes(e.key)) does();
});

function listenToAll() {
  const on = (id, does, kind = "click") => at(id).addEventListener(kind, does);
  on("run", () => act({ do: "run", value: !live.state.running }));
  for (const name of ["step", "again"]) on(name, () => act({ do: name }));
  for (const [name, by] of [["slower", 1 / 2], ["faster", 2]]) on(name, () => pace({ by }));
  on("steps", () => pace({ steps: Math.max(0, Math.round(Number(at("steps").value))) || 0 }), "change");
  on("beside", () => act({ do: "beside", value: !two() }));
  for (const name of ["command", "save"]) on(name, () => act({ do: name, side: sidesShown()[0] }));
  on("take", () => send({ do: "take" }));
  on("reset", () => { reset(); box.home = null; aim(); });
  for (const name of ["colour", "wires", "mesh"]) on(name, () => toggle(name));
  on("picture", () => {
    const shown = sides().filter((side) => side.view && !side.fresh), now = live.sides[0]?.now;
    if (shown.length) savePicture(shown.map((side) => side.view), () => show, `${live.hello.title}_${now.time.toFixed(3)}s`, at("clear").checked);
  });
  on("wind", () => blow(true), "pointerdown");
  on("wind", (e) => { if (e.key === " " || e.key === "Enter") { e.preventDefault(); blow(true); } }, "keydown");
  on("sides", (e) => { if (e.target.value) turnTo(Number(e.target.value)); });
  on("search", list, "input");
  on("all", () => { at("all").ariaPressed = !isPressed("all"); list(); });
  on("ask", () => at("help").showModal());
  on("close", () => at("help").close());
  for (const x of [5, 10, 20, 50, 100]) at("strength").append(new Option(`${x} m/s²`, x, x === 20, x === 20));
  for (const [keys, does] of HELP) {
    const row = at("help").querySelector("table").insertRow();
    row.insertCell().append(...(typeof keys === "string" ? [keys] : keys.flatMap((key) => [make("kbd", key), " "])));
    row.insertCell().textContent = does;
  }
  document.onvisibilitychange = () => send({ do: "visible", value: !document.hidden });
  for (const kind of ["pointerup", "pointercancel", "keyup", "blur"]) addEventListener(kind, () => blow(false));
  new ResizeObserver(() => { dirty = true; }).observe(at("stage"));
}

function dress() {
  theme();
  const style = getComputedStyle(document.documentElement), read = (name) => style.getPropertyValue(`--${name}`).trim();
  Object.assign(paints, { link: rgb(read("link")), text: read("ink"), ruled: read("rule") });
  for (const name of ["one", "two", "alarm", "panel", "quiet"]) paints[name] = read(name);
}

/* ---- pictures ---- */

let spent = 0, told = 0, resumed = 0; /* ms */
const costs = [];

/* Time, pace and steps in words, five times a second; the limit of h at its knob. */
function tell(now) {
  if (now - told < 200) return;
  told = now;
  const side = live.sides[0];
  if (!side?.now) return;
  const before = side.past.slice(-60).find((each) => each.wall >= resumed) ?? side.now;
  const wall = (side.now.wall - before.wall) / 1e3, resting = !live.state.running || now - side.now.wall > 1000;
  const { steps } = side.now, fast = short(Math.max(0, side.now.time - before.time) / wall);
  const pace = `${fast} × real time, ${short(steps)} step${steps === 1 ? "" : "s"} per picture`;
  const pages = live.state.pages > 1 ? `, ${live.state.pages} pages` : "";
  at("status").textContent = (wall > 0 && !resting ? pace : "paused") + pages;
  for (const { net, about, now, replay } of sides()) {
    const kind = net?.kind === "particles" ? "particles" : "vertices";
    if (now) about.textContent = `t = ${now.time.toFixed(3)} s, step ${now.step}, ${net.vertices} ${kind}`;
    if (replay?.shown) about.textContent = `replay of the end, ${SLOWER} times slower: t = ${replay.shown.time.toFixed(3)} s`;
  }
  const knob = live.knobs.get("h"), limit = live.sides[sidesShown()[0]]?.now?.limit;
  if (!knob?.limit || !knob.row.isConnected) return;
  knob.limit.hidden = !(limit > knob.ends[0] && limit < knob.ends[1]);
  knob.limit.title = `limit of explicit steps, 2/ω = ${short(limit ?? NaN)} s`;
  knob.limit.style.left = `calc(8px + (100% - 16px) * ${knob.positionOf(limit) / 600})`;
}

function tick(now) {
  requestAnimationFrame(tick);
  for (const side of sides()) side.play(now);
  const began = performance.now(), next = newest !== null, fresh = sides().some((side) => side.buffer);
  if (fresh) {
    for (const side of sides()) side.take();
    if (two() && !sides().some((side) => side.replay) && live.sides[0].number === live.sides[1].number) live.sides[0].now.distance = distance();
    colours();
  }
  follow(next);
  sendDrag();
  if (dirty || fresh) {
    dirty = false;
    for (const side of sides()) if (side.view && !side.fresh) { side.view.draw(show); mark(side); }
    behind = strips.length;
  }
  if (behind > 0) { --behind; strips[turn = (turn + 1) % strips.length].draw(); }
  tell(now);
  if (!next) return;
  send({ do: "ack", frame: newest });
  newest = null;
  costs.push(spent + performance.now() - began);
  spent = 0;
  if (costs.length > 120) costs.shift();
  ++live.count;
  live.cost = [...costs].sort((a, b) => a - b)[costs.length >> 1];
}

try {
  dress();
  show.quantity = { diverging: true };
  listenToAll();
  matchMedia("(prefers-color-scheme: dark)").onchange = dress;
  if (!document.createElement("canvas").getContext("webgl2")) throw new Error(
    "This browser has no WebGL 2, which draws the nets. Use springbench case and springbench animate instead.");
  connect();
  requestAnimationFrame(tick);
} catch (problem) {
  at("trouble").textContent = problem.message;
}
