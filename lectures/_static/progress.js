// What is done, and the plan of the home page, kept in this browser. See book/steps.py.
(() => {
  "use strict";

  const DAY = 24 * 60 * 60 * 1000;
  const DONE = "course:done", START = "course:start";

  const kept = (name) => {
    try { return JSON.parse(localStorage.getItem(name)); } catch { return null; }
  };
  const keep = (name, value) => {
    try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* a private window keeps nothing */ }
  };
  const done = () => { const found = kept(DONE); return new Set(Array.isArray(found) ? found : []); };
  const set = (step, isDone) => {
    const steps = done();
    if (isDone) steps.add(step); else steps.delete(step);
    keep(DONE, [...steps]);
    show();
  };

  const boxes = [...document.querySelectorAll(".step-mark")].map((place) => {
    const box = document.createElement("input");
    const label = document.createElement("label");
    const text = document.createElement("span");
    box.type = "checkbox";
    text.textContent = place.dataset.label;
    label.append(box, text);
    place.append(label);
    box.addEventListener("change", () => set(place.dataset.step, box.checked));
    return { box, step: place.dataset.step, label: place.dataset.label };
  });

  const plan = document.querySelector(".plan");
  const find = (name) => plan.querySelector(`.plan-${name}`);
  const dated = [...document.querySelectorAll("[data-due]")];
  const stages = [...document.querySelectorAll(".week")];

  const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
  const day = (text) => {
    const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text || "");
    return found && new Date(Number(found[1]), Number(found[2]) - 1, Number(found[3]));
  };
  const days = (from, to) => Math.round((midnight(to) - midnight(from)) / DAY);
  const count = (number) => `${number} day${number === 1 ? "" : "s"}`;
  const ahead = (number) => ["today", "tomorrow"][number] || `in ${count(number)}`;
  const LONG = { weekday: "long", day: "numeric", month: "long", year: "numeric" };
  const CLOCK = { ...LONG, hour: "2-digit", minute: "2-digit", timeZoneName: "short" };

  // The reader's first day, if there is one, moves every date.
  const begin = () => day(kept(START)) || day(plan.dataset.begins);
  const due = (item) => {
    const at = new Date(item.dataset.due);
    at.setDate(at.getDate() + days(day(plan.dataset.begins), begin()));
    return at;
  };
  const isOpen = (item) => !item.querySelector("input").checked;

  const told = (now) => {
    const late = dated.filter((item) => isOpen(item) && due(item) < now);
    const overdue = late.map((item) => `${item.dataset.short} (due ${due(item).toLocaleDateString("en-GB", LONG)})`);
    const said = overdue.length ? [`Overdue: ${overdue.join(", ")}.`] : [];
    const before = days(now, begin());
    const week = Math.floor(-before / 7) + 1;
    if (before > 0) said.unshift(`Week 1 begins ${ahead(before)}, on ${begin().toLocaleDateString("en-GB", LONG)}.`);
    else if (week > Number(plan.dataset.weeks)) said.unshift("The last week is over. Set a new first day to plan once more.");
    stages.forEach((stage) => {
      const isNow = Number(stage.dataset.first) <= week && week <= Number(stage.dataset.last);
      stage.classList.toggle("is-now", isNow);
      if (isNow) stage.setAttribute("aria-current", "date"); else stage.removeAttribute("aria-current");
      if (!isNow) return;
      const left = [...stage.querySelectorAll("li:has(.step-mark)")].filter((item) => isOpen(item) && !late.includes(item)).map((item) => {
        const name = item.querySelector(".step-mark").dataset.label;
        return item.dataset.due ? `${name} (due ${ahead(days(now, due(item)))})` : name;
      });
      said.unshift(left.length ? `Week ${week}. To do: ${left.join("; ")}.` : `Week ${week}. Nothing else is left to do in it.`);
    });
    return said.join(" ");
  };

  const show = () => {
    const steps = done();
    boxes.forEach(({ box, step }) => { box.checked = steps.has(step); });
    if (!plan) return;
    const number = boxes.filter(({ box }) => box.checked).length;
    const bar = plan.querySelector("progress");
    bar.max = boxes.length;
    bar.value = number;
    plan.querySelector(".plan-bar label").textContent = `${number} of ${boxes.length} steps done`;
    dated.forEach((item) => { item.querySelector("time").textContent = due(item).toLocaleString("en-GB", CLOCK); });
    find("now").textContent = told(new Date());
    const own = day(kept(START)) !== null;
    find("hint").textContent = own
      ? "Every date is counted from this day."
      : "On your own? Set the day on which you begin: every date moves with it.";
    find("own").hidden = !own;
    find("forget").hidden = number === 0;
    const input = plan.querySelector("input");
    if (document.activeElement !== input) input.value = own ? kept(START) : plan.dataset.begins;
  };

  if (plan) {
    const input = plan.querySelector("input");
    input.addEventListener("input", () => {
      if (!day(input.value)) return; // half a date, while one types
      keep(START, input.value === plan.dataset.begins ? null : input.value);
      show();
    });
    input.addEventListener("blur", show);
    find("own").addEventListener("click", () => { keep(START, null); input.focus(); input.value = plan.dataset.begins; show(); });
    find("forget").addEventListener("click", () => { keep(DONE, []); show(); boxes[0].box.focus(); });
    plan.hidden = false;
  }
  document.addEventListener("step-done", (event) => set(event.detail, true));
  window.addEventListener("storage", show); // another tab
  window.addEventListener("pageshow", show); // back from a quiz
  show();
})();
