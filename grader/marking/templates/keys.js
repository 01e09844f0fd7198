// Keys for marking, and a sign of who else has the answer open. Everything works without it.
"use strict";
const byId = (id) => document.getElementById(id);
const give = byId("give");
const points = byId("points");
const comment = byId("comment");
const keysOn = byId("keys");
const COMMENTS = new Map(
  [...document.querySelectorAll("[data-comment]")].map((one) => [one.dataset.key, one]));
const desk = document.querySelector("[data-here]");
const criteria = [...document.querySelectorAll("[data-worth]")]; // the rubric's items
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

function addUp() {
  const met = criteria.filter((one) => one.checked);
  setPoints(String(met.reduce((sum, one) => sum + Number(one.dataset.worth), 0)));
  typed = "";
}

// The key of a digit that types none: with Shift on most keyboards, without it on a French one.
function criterion(event) {
  const digit = /^Digit([1-9])$/.exec(event.code);
  return digit && !/^[0-9]$/.test(event.key) ? criteria[Number(digit[1]) - 1] : undefined;
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
  "=": () => byId("same")?.click(),
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
  const item = criterion(event);
  const act = item ? () => item.click()
    : /^[0-9]$/.test(event.key) ? () => typePoints(event.key)
    : event.key === "." || event.key === "," ? () => typePoints(".")
    : COMMENTS.has(event.key) ? () => toggleComment(COMMENTS.get(event.key))
    : ACTIONS[event.key];
  if (!act || (!give && /^[0-9.,]$/.test(event.key))) return;
  if (event.repeat && event.key !== "Backspace") return; // a key held down marks no second answer
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  if ((gone || sending) && event.target.closest("a")) event.preventDefault();
  const button = event.target.closest("button");
  if (button?.dataset.points) setPoints(button.dataset.points);
  if (button?.dataset.comment) toggleComment(button);
});

points?.addEventListener("input", () => { typed = points.value; });
for (const one of criteria) one.addEventListener("change", addUp);

const GONE = "course mark does not answer, and nothing was sent. Your text is safe on this page: "
  + `start course mark again, as before and with --port ${location.port}; then save again.`;
let gone = false;

async function answering() {
  const answer = await fetch(desk.dataset.here).catch(() => undefined);
  gone = !answer || answer.status === 404; // 404: another run, under another address
  if (gone) byId("others").textContent = GONE;
  return gone ? undefined : answer;
}

if (give) {
  // What was typed and not stored comes back with the answer, until somebody gives it a mark.
  const answer = desk.dataset.here.replace(/^\/[^/]*/, ""); // without the token
  const place = `${answer}#${desk.dataset.version}`;
  const typedNow = () => JSON.stringify(
    { points: points.value, comment: comment.value, met: criteria.map((one) => one.checked) });
  const stored = typedNow();
  const draft = JSON.parse(sessionStorage.getItem(place) ?? stored);
  comment.value = draft.comment;
  setPoints(draft.points);
  typed = "";
  criteria.forEach((one, number) => { one.checked = Boolean(draft.met[number]); });
  byId("draft").hidden = typedNow() === stored;
  const keep = () => typedNow() === stored
    ? sessionStorage.removeItem(place) : sessionStorage.setItem(place, typedNow());
  for (const kind of ["input", "change", "keyup", "click"]) document.addEventListener(kind, keep);
}

let sending = false; // an impatient second Enter stores nothing twice
let checked = false; // that the server answers: a form that is sent to nobody is lost
document.addEventListener("submit", async (event) => {
  if (checked || !desk) { checked = false; return; }
  event.preventDefault();
  if (sending) return;
  sending = true;
  checked = Boolean(await answering());
  if (checked) event.target.requestSubmit(event.submitter);
  else sending = false;
});
window.addEventListener("pageshow", () => { sending = false; });

if (keysOn) {
  keysOn.checked = localStorage.getItem("keys") !== "off";
  keysOn.addEventListener("change", () => localStorage.setItem("keys", keysOn.checked ? "on" : "off"));
}

async function lookAround() {
  const answer = await answering();
  if (!answer?.ok) return;
  const { others, version, mark } = await answer.json();
  const parts = others.length ? [`Also here: ${others.join(", ")}`] : [];
  if (String(version) !== desk.dataset.version) parts.push(`marked meanwhile by ${mark}`);
  const text = parts.join("; ");
  if (byId("others").textContent !== text) byId("others").textContent = text;
}
if (desk) setInterval(lookAround, 3000);
