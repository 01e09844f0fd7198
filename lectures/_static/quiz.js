// Checks the forms of a quiz and keeps the answers in this browser. See book/quiz.py.
(() => {
  "use strict";

  const number = (text) => {
    const cleaned = text.trim().replace(/[\s\u00a0_]/g, "").replace(/\u2212/g, "-");
    const plain = /^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(cleaned) ? cleaned.replace(/,/g, "") : cleaned.replace(",", ".");
    const fraction = plain.match(/^([-+]?[\d.]+)\/([\d.]+)$/);
    if (fraction) return Number(fraction[1]) / Number(fraction[2]);
    return plain === "" ? NaN : Number(plain);
  };
  const shape = (text) => (text.match(/\d+/g) || []).map(Number);
  const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

  // Each gives null while nothing usable is entered, else { right, said: names of feedback }.
  const check = {
    single: (key, given) => given.length === 0 ? null : { right: same(given, key.right), said: given },
    multiple: (key, given, all) => {
      if (given.length === 0) return null;
      const wrong = all.filter((i) => given.includes(i) !== key.right.includes(i));
      return { right: wrong.length === 0, said: wrong };
    },
    numeric: (key, text) => {
      const value = number(text);
      if (!Number.isFinite(value)) return null;
      const near = (other, within) => Math.abs(value - other) <= within + 1e-12 * Math.abs(other);
      if (near(key.answer, key.tolerance)) return { right: true, said: [] };
      const known = key.wrong.findIndex((other) => near(other, key.tolerance));
      return { right: false, said: [known < 0 ? "hint" : known] };
    },
    shape: (key, text) => {
      const value = shape(text);
      if (value.length === 0) return null;
      if (same(value, key.answer)) return { right: true, said: [] };
      const known = key.wrong.findIndex((other) => same(value, other));
      return { right: false, said: [known < 0 ? "hint" : known] };
    },
  };
  check.bug = check.single;

  const wanted = {
    single: "Choose an answer first.", bug: "Choose an answer first.",
    multiple: "Choose at least one answer first.",
    numeric: "Enter a number first, such as 12 or 0.5 or 1/8.",
    shape: "Enter the sizes of the axes first, such as 2, 8, 5.",
  };

  const kept = (name) => {
    try { return JSON.parse(localStorage.getItem(name)) || {}; } catch { return {}; }
  };
  const keep = (name, value) => {
    try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* a private window keeps nothing */ }
  };

  const begin = (quiz) => {
    const name = `quiz:${quiz.dataset.quiz}`;
    const state = kept(name);
    const forms = [...quiz.querySelectorAll("form.quiz-question")];
    const progress = quiz.querySelector(".quiz-progress");
    const restart = quiz.querySelector(".quiz-restart");

    const tell = () => {
      const given = forms.map((form) => state[form.id]).filter(Boolean);
      const right = given.filter((one) => one.right).length;
      progress.textContent = given.length === 0
        ? `${forms.length} questions. Your answers stay in this browser.`
        : right === forms.length
          ? `All ${right} right.`
          : `${right} of ${forms.length} right, ${forms.length - given.length} not yet answered.`;
      restart.hidden = given.length === 0;
    };

    forms.forEach((form) => {
      const key = JSON.parse(form.dataset.key);
      const kind = form.dataset.kind;
      const inputs = [...form.querySelectorAll("input")];
      const said = form.querySelector(".quiz-said");
      const answer = form.querySelector(".quiz-answer");
      const choices = inputs.map((_, i) => i);
      const isEntry = kind === "numeric" || kind === "shape";
      const given = () => isEntry ? inputs[0].value : choices.filter((i) => inputs[i].checked);

      // They are moved, not copied: a formula that is not yet set would never be set in a copy.
      const pieces = Object.fromEntries([...answer.querySelectorAll(":scope > [data-for]")].map((one) => [one.dataset.for, one]));
      const empty = () => { answer.append(...Object.values(pieces)); said.replaceChildren(); };
      const show = (found) => {
        const verdict = document.createElement("p");
        verdict.className = "quiz-verdict";
        verdict.textContent = found.right ? "\u2713 Right." : "\u2717 Not yet.";
        empty();
        said.append(verdict, ...[...found.said, ...(found.right ? ["why"] : [])].map((of) => pieces[of]));
        form.classList.toggle("is-right", found.right);
        form.classList.toggle("is-wrong", !found.right);
      };
      const clear = () => {
        empty();
        form.classList.remove("is-right", "is-wrong");
      };
      const look = () => check[kind](key, given(), choices);

      answer.hidden = true;
      form.querySelector(".quiz-check").hidden = false;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const found = look();
        if (found === null) {
          clear();
          said.textContent = wanted[kind];
          return;
        }
        show(found);
        state[form.id] = { given: given(), right: found.right };
        keep(name, state);
        tell();
        if (forms.every((one) => state[one.id] && state[one.id].right)) {
          document.dispatchEvent(new CustomEvent("step-done", { detail: `quiz-${quiz.dataset.quiz}` }));
        }
      });
      form.addEventListener("input", clear);
      form.addEventListener("quiz-clear", () => { form.reset(); clear(); });

      const before = state[form.id];
      if (before) {
        if (isEntry) inputs[0].value = String(before.given);
        else choices.forEach((i) => { inputs[i].checked = Array.isArray(before.given) && before.given.includes(i); });
        const found = look();
        if (found) show(found); else delete state[form.id];
      }
    });

    restart.addEventListener("click", () => {
      forms.forEach((form) => { delete state[form.id]; form.dispatchEvent(new Event("quiz-clear")); });
      keep(name, state);
      tell();
      forms[0].querySelector("input").focus();
    });
    progress.hidden = false;
    tell();
  };

  document.querySelectorAll(".quiz-form").forEach(begin);
})();
