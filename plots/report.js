/* What a report does beyond being read: tables sort by the heads of their columns, commands are copied, points of figures
   tell their values to fingers and keys, links open what they lead to. Without it everything is still there. Text is moved and set, never parsed as markup. */
"use strict";

/* Numbers by value, then words; what is not there comes last both ways. */
function compare(a, b, sign) {
  const x = a.cell.dataset.v, y = b.cell.dataset.v;
  if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y)) || a.place - b.place;
  if (x !== undefined || y !== undefined) return x !== undefined ? -1 : 1;
  const none = a.cell.querySelector(".none") !== null;
  if (none !== (b.cell.querySelector(".none") !== null)) return none ? 1 : -1;
  return sign * a.cell.textContent.localeCompare(b.cell.textContent, "en", { numeric: true }) || a.place - b.place;
}

/* Ascending, descending, and back to the order of the plan. */
function sortBy(table, heads, column, places) {
  const next = { none: "ascending", ascending: "descending", descending: "none" };
  const order = next[heads[column].getAttribute("aria-sort")];
  heads.forEach((head, i) => head.setAttribute("aria-sort", i === column ? order : "none"));
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => ({ row, cell: row.cells[column], place: places.get(row) }));
  if (order === "none") rows.sort((a, b) => a.place - b.place);
  else rows.sort((a, b) => compare(a, b, order === "ascending" ? 1 : -1));
  body.append(...rows.map((each) => each.row));
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = Array.from(table.querySelectorAll("tr.sorts > th"));
  const places = new Map(Array.from(table.tBodies[0].rows, (row, i) => [row, i]));
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sortBy(table, heads, column, places));
  });
}

/* The clipboard is refused to some pages opened as files: then the command is left selected. */
async function copy(code, button) {
  const range = document.createRange();
  range.selectNodeContents(code);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  let copied = true;
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    copied = document.execCommand("copy");
  }
  button.textContent = copied ? "copied" : "selected";
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}

for (const code of document.querySelectorAll(".command > code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "copy";
  button.addEventListener("click", () => copy(code, button));
  code.before(button);
  code.title = code.textContent;
}

/* A pointer that rests on a point of a figure is shown its value by the browser. A finger's tap, and the arrow keys in a
   figure that has the focus, show it below the figure. */
for (const drawing of document.querySelectorAll("svg.figure")) {
  const values = Array.from(drawing.querySelectorAll(".values circle"));
  if (values.length === 0) continue;
  const shown = document.createElement("output");
  let chosen = -1;
  const choose = (next) => {
    values[chosen]?.classList.remove("chosen");
    chosen = next;
    values[chosen]?.classList.add("chosen");
    shown.textContent = values[chosen]?.textContent ?? "";
  };
  drawing.tabIndex = 0;
  drawing.parentElement.after(shown);
  drawing.addEventListener("click", (event) => choose(values.indexOf(event.target)));
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") choose(-1);
    if (step === undefined) return;
    event.preventDefault();
    choose((chosen + step + values.length) % values.length);
  });
}

/* A link into something closed opens it. */
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  if (target) target.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();

const sections = Array.from(document.querySelectorAll("details.sweep"));
if (sections.length > 1) {
  const line = document.createElement("p");
  line.className = "each";
  for (const open of [true, false]) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = open ? "open all" : "close all";
    button.addEventListener("click", () => sections.forEach((section) => { section.open = open; }));
    line.append(button);
  }
  sections[0].before(line);
}

/* On paper nothing opens. */
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});
