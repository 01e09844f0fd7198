// Keys for marking, and a sign of who else has the answer open. Everything works without it.
"use strict";
const byId = (id) => document.getElementById(id);
const give = byId("give");
const points = byId("points");
const comment = byId("comment");
const keysOn = byId("keys");
const COMMENTS = new Map(
  [...document.querySelectorAll("[data-comment]")].map((one) => [one.dataset.key, one]));
let typed = ""; // the points typed since the page was opened: they replace what was there

function setPoints(text) {
  typed = points.value = text;
  for (const one of document.querySelectorAll("[data-points]"))
    one.setAttribute("aria-pressed", String(one.dataset.points === points.value));
}

function typePoints(key) {
  const longer = typed + key;
  const fits = longer !== "." && Number(longer) <= Number(give.dataset.most);
  setPoints(fits ? longer : key === "." ? "0." : key);
}

function toggleComment(button) {
  const lines = comment.value.split("\n").filter((line) => line.trim());
  const text = button.dataset.comment;
  const whole = lines.join("\n");
  comment.value = whole.includes(text)
    ? whole.replace(text, "").split("\n").filter((line) => line.trim()).join("\n")
    : [...lines, text].join("\n");
}

function nextMember() {
  const boxes = [...document.querySelectorAll(".member input")];
  const at = boxes.indexOf(document.activeElement);
  if (boxes.length) boxes[(at + 1) % boxes.length].focus();
}

function showKeys() {
  const help = document.querySelector(".keys");
  if (!help) return;
  help.open = !help.open;
  if (help.open) help.scrollIntoView({ block: "end" });
}

const ACTIONS = {
  n: () => byId("next")?.click(),
  ArrowRight: () => byId("next")?.click(),
  p: () => byId("previous")?.click(),
  ArrowLeft: () => byId("previous")?.click(),
  u: () => byId("undo")?.requestSubmit(),
  q: () => byId("ask")?.requestSubmit(),
  c: () => comment?.focus(),
  m: nextMember,
  "?": showKeys,
  Backspace: () => points && setPoints(""),
  Enter: () => give?.requestSubmit(),
};

document.addEventListener("keydown", (event) => {
  const at = event.target;
  const writing = at === comment;
  if (event.key === "Escape") { at.blur(); return; }
  if (writing && event.key === "Enter" && (event.ctrlKey || event.metaKey)) { give.requestSubmit(); return; }
  if (writing || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const acts = event.key === "Enter" && at.closest("a, button, summary");
  const inField = at === points && event.key.length > 1 && event.key !== "Enter";
  if (acts || inField || (keysOn && !keysOn.checked && event.key !== "Enter")) return;
  const act = /^[0-9]$/.test(event.key) ? () => typePoints(event.key)
    : event.key === "." || event.key === "," ? () => typePoints(".")
    : COMMENTS.has(event.key) ? () => toggleComment(COMMENTS.get(event.key))
    : ACTIONS[event.key];
  if (!act || (!give && /^[0-9.,]$/.test(event.key))) return;
  if (event.repeat && event.key !== "Backspace") return; // a key held down marks no second answer
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.points) setPoints(button.dataset.points);
  if (button?.dataset.comment) toggleComment(button);
});

points?.addEventListener("input", () => { typed = points.value; });

if (give) {
  let sent = false; // an impatient second Enter stores nothing twice
  give.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; });
  window.addEventListener("pageshow", () => { sent = false; });
  setPoints(points.value);
  typed = "";
}

if (keysOn) {
  keysOn.checked = localStorage.getItem("keys") !== "off";
  keysOn.addEventListener("change", () => localStorage.setItem("keys", keysOn.checked ? "on" : "off"));
}

const desk = document.querySelector("[data-here]");
async function lookAround() {
  try {
    const answer = await fetch(desk.dataset.here);
    if (!answer.ok) return;
    const { others, version, mark } = await answer.json();
    const parts = others.length ? [`Also here: ${others.join(", ")}`] : [];
    if (String(version) !== desk.dataset.version) parts.push(`marked meanwhile by ${mark}`);
    const text = parts.join("; ");
    if (byId("others").textContent !== text) byId("others").textContent = text;
  } catch { byId("others").textContent = "course mark has ended: start it again to go on"; }
}
if (desk) setInterval(lookAround, 3000);
