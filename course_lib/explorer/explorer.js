"use strict";
const kinds = JSON.parse(document.getElementById("data").textContent);
const SCALE = 1000, ROW = 30; // a weight of 1; a word's height with its gap, in pixels
const SVG = "http://www.w3.org/2000/svg";
const chosen = { kind: 0, layer: 0, head: 0, side: "query", index: 0 };
let hovered = null; // { side, index } of the word under the pointer

const maps = () => kinds[chosen.kind];
const weights = () => maps().weights[chosen.layer][chosen.head];
const words = (side) => (side === "query" ? maps().queries : maps().keys);
const fieldset = (id) => document.getElementById(id);

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// One choice of a group: a native radio button, so that every screen reader knows what it is.
function radio(group, name, checked, choose, ...inside) {
  const input = element("input", { type: "radio", name: group, checked });
  input.setAttribute("aria-label", name);
  input.addEventListener("change", choose);
  return element("label", {}, input, ...inside);
}

function fill(id, ...children) {
  const place = fieldset(id);
  place.replaceChildren(place.querySelector("legend"), ...children);
}

function drawKinds() {
  fieldset("kinds").hidden = kinds.length < 2;
  const choices = kinds.map((one, kind) => radio("kind", one.name, kind === chosen.kind, () => {
    Object.assign(chosen, { kind, layer: 0, head: 0, side: "query", index: 0 });
    drawHeads();
    drawWords();
  }, one.name));
  fill("kinds", element("div", {}, ...choices));
}

function drawHeads() {
  const { weights: layers } = maps();
  fieldset("heads").hidden = layers.length * layers[0].length < 2;
  const legend = layers.length > 1 ? "Layer (rows) and head (columns)" : "Head";
  fieldset("heads").querySelector("legend").textContent = legend;
  fill("heads", ...layers.map((heads, layer) => {
    const row = element("div", { className: "layer" });
    if (layers.length > 1) row.append(element("span", { textContent: `layer ${layer}` }));
    row.append(...heads.map((map, head) => {
      const name = layers.length > 1 ? `layer ${layer}, head ${head}` : `head ${head}`;
      const checked = layer === chosen.layer && head === chosen.head;
      return radio("head", name, checked, () => {
        Object.assign(chosen, { layer, head });
        update();
      }, small(map), `${head}`);
    }));
    return row;
  }));
}

// A map as an image of one pixel a weight, in the accent color; its opacity is the weight.
function small(map) {
  const canvas = element("canvas", { width: map[0].length, height: map.length });
  canvas.setAttribute("aria-hidden", "true");
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--open");
  map.forEach((row, i) => row.forEach((weight, j) => {
    context.globalAlpha = weight / SCALE;
    context.fillRect(j, i, 1, 1);
  }));
  return canvas;
}

function drawWords() {
  const rows = Math.max(maps().queries.length, maps().keys.length);
  const links = document.createElementNS(SVG, "svg");
  const size = { id: "links", viewBox: `0 0 100 ${rows * ROW}`, height: rows * ROW,
    preserveAspectRatio: "none", "aria-hidden": "true" };
  Object.entries(size).forEach(([name, value]) => links.setAttribute(name, value));
  const heads = [element("span", { className: "role", textContent: "attends (query)" }),
    element("span"), element("span", { className: "role", textContent: "attended to (key)" })];
  fill("words", element("div", { className: "columns" }, ...heads, side("query"), links,
    side("key")));
  update();
}

function side(which) {
  return element("div", { className: "side", id: which }, ...words(which).map((word, index) => {
    const name = `${word}, ${which} ${index + 1} of ${words(which).length}`;
    const checked = which === chosen.side && index === chosen.index;
    const choice = radio("word", name, checked, () => {
      Object.assign(chosen, { side: which, index });
      update();
    }, element("span", { className: "word", textContent: word }),
    element("span", { className: "weight" }));
    choice.addEventListener("pointerenter", () => update({ side: which, index }));
    choice.addEventListener("pointerleave", () => update(null));
    return choice;
  }));
}

// The weights between the shown word and each word of the other side.
function row({ side: which, index }) {
  return which === "query" ? weights()[index] : weights().map((of) => of[index]);
}

function update(pointed = null) {
  hovered = pointed;
  const shown = hovered ?? chosen;
  const other = shown.side === "query" ? "key" : "query";
  const found = row(shown);
  for (const which of ["query", "key"]) {
    document.querySelectorAll(`#${which} label`).forEach((label, index) => {
      const own = which === shown.side;
      label.classList.toggle("shown", own && index === shown.index);
      label.style.setProperty("--share", own ? "0%" : `${found[index] / 10}%`);
      label.classList.toggle("none", !own && !found[index]);
      label.querySelector(".weight").textContent = own ? "" : number(found[index]);
    });
  }
  drawLinks(shown);
  document.getElementById("said").textContent = sentence(shown, other, found);
}

function drawLinks(shown) {
  const lines = [];
  weights().forEach((of, query) => of.forEach((weight, key) => {
    const own = shown.side === "query" ? query === shown.index : key === shown.index;
    if (weight < (own ? 5 : 50)) return;
    const line = document.createElementNS(SVG, "line");
    const ends = { x1: 0, y1: (query + 0.5) * ROW - 2, x2: 100, y2: (key + 0.5) * ROW - 2,
      "stroke-width": own ? 1 + 5 * weight / SCALE : 1,
      "stroke-opacity": own ? 0.35 + 0.65 * weight / SCALE : 0.22 * weight / SCALE };
    Object.entries(ends).forEach(([name, value]) => line.setAttribute(name, value));
    lines.push(line);
  }));
  document.getElementById("links").replaceChildren(...lines);
}

const number = (weight) => (weight ? (weight / SCALE).toFixed(2) : "0");

function sentence(shown, other, found) {
  const word = named(shown.side, shown.index);
  const best = found.map((weight, index) => [weight, named(other, index)])
    .filter(([weight]) => weight > 0).sort((a, b) => b[0] - a[0]).slice(0, 3)
    .map(([weight, of]) => `${of} ${number(weight)}`).join(", ");
  if (shown.side === "query")
    return best ? `${word} attends to ${best}.` : `${word} attends to nothing: all is masked.`;
  return best ? `${word} is attended to by ${best}.` : `${word} is attended to by nothing.`;
}

// A word in quotes, with its place if it occurs more than once.
function named(which, index) {
  const all = words(which), word = all[index];
  return all.indexOf(word) === all.lastIndexOf(word) ? `“${word}”` : `“${word}” (${index + 1})`;
}

// The arrow keys: among the words up and down, and across; among the maps in all four directions.
document.addEventListener("keydown", (event) => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const group = event.target.name;
  if (!(event.key in step) || !["head", "word"].includes(group)) return;
  event.preventDefault();
  const grid = group === "head"
    ? [...document.querySelectorAll(".layer")].map((layer) => [...layer.querySelectorAll("input")])
    : across([...document.querySelectorAll("#query input")],
      [...document.querySelectorAll("#key input")]);
  const [down, right] = step[event.key];
  const i = grid.findIndex((line) => line.includes(event.target));
  const next = grid[i + down]?.[grid[i].indexOf(event.target) + right];
  if (!next) return;
  next.focus();
  next.click();
});

// Rows of a query and a key; the shorter side repeats its last word, and stays where it ends.
function across(left, right) {
  const last = (side, i) => side[Math.min(i, side.length - 1)];
  const rows = Math.max(left.length, right.length);
  return Array.from({ length: rows }, (_, i) => [last(left, i), last(right, i)]);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawHeads);
drawKinds();
drawHeads();
drawWords();
