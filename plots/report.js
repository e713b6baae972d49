/* Reports: a click on the heading of a table sorts its lines, a word filters them. Nothing is loaded, and the page is
   whole without this script. */
"use strict";

/* A cell as something to compare: its first number, else its text. Numbers come first, blanks and dashes last. */
function keyOf(cell) {
  const text = cell.textContent.trim().replace(/[−–](?=\d)/g, "-");
  const number = parseFloat(text.replace(/^[~‡†§*≤≥<>±\s]+/, ""));
  if (text === "" || text === "–") return { rank: 2, value: "" };
  return Number.isNaN(number) ? { rank: 1, value: text.toLowerCase() } : { rank: 0, value: number };
}

function compareKeys(a, b) {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.rank === 1 ? a.value.localeCompare(b.value, "en", { numeric: true }) : a.value - b.value;
}

/* The first click sorts upwards, the second downwards, the third restores the order of the page. */
function sortBy(table, column) {
  const heading = table.tHead.rows[0].cells[column];
  const next = { ascending: "descending", descending: null }[heading.getAttribute("aria-sort")];
  const order = next === undefined ? "ascending" : next;
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  const body = table.tBodies[0];
  const lines = Array.from(body.rows);
  lines.forEach((line, i) => { line.dataset.place ??= i; });
  lines.sort((a, b) => a.dataset.place - b.dataset.place);
  if (order) {
    heading.setAttribute("aria-sort", order);
    const keys = new Map(lines.map((line) => [line, keyOf(line.cells[column])]));
    const sign = order === "ascending" ? 1 : -1;
    lines.sort((a, b) => {
      const ranks = keys.get(a).rank - keys.get(b).rank;
      return ranks !== 0 ? ranks : sign * compareKeys(keys.get(a), keys.get(b));
    });
  }
  body.append(...lines);
}

function makeSortable(table) {
  Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
    heading.tabIndex = 0;
    heading.title = "sort by this column";
    heading.addEventListener("click", () => sortBy(table, column));
    heading.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      sortBy(table, column);
    });
  });
}

/* Shows the lines that have every word. Tables with such lines unfold, others go. */
function filter(tables, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const table of tables) {
    let shown = 0;
    for (const line of table.tBodies[0].rows) {
      const has = line.textContent.toLowerCase();
      line.hidden = !words.every((word) => has.includes(word));
      shown += !line.hidden;
    }
    if (tables.length === 1) continue;
    const fold = table.closest("details");
    fold.hidden = shown === 0;
    fold.open = words.length > 0;
  }
}

/* Puts a field before the first of the tables that it filters. */
function makeFilter(tables) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "filter lines by a word";
  field.setAttribute("aria-label", field.placeholder);
  field.addEventListener("input", () => filter(tables, field.value));
  tables[0].closest(tables.length > 1 ? "details" : ".scroll").before(field);
}

const LINES = 8; /* a shorter table is read at a glance */
const all = Array.from(document.querySelectorAll("main table")).filter((table) => table.tHead && table.tBodies[0]);
const index = all.filter((table) => table.closest("[id='index.md']"));
all.filter((table) => table.tBodies[0].rows.length > 1).forEach(makeSortable);
if (index.length > 0) makeFilter(index);
all.filter((table) => !index.includes(table) && table.tBodies[0].rows.length >= LINES)
  .forEach((table) => makeFilter([table]));
