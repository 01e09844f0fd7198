// Small things that every piece of the page needs.
(function (live) {
  "use strict";

  const DRAWN = new Set(["svg", "rect", "path", "text", "g", "circle"]);
  const NAMES = { "[CLS]": "START", "[SEP]": "END", "[UNK]": "unknown", "[PAD]": "padding" };

  // element("p", {class: "x"}, "text", child …)
  live.element = function (tag, attributes = {}, ...children) {
    const made = DRAWN.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  };

  // A token as a word: no sign for its space, START and END as the lectures call them.
  live.word = (token) => NAMES[token] || token.replace(/^␣/, "") || "␣";

  // Numbers as the lectures write them: 22%, −0.19, 1 token.
  live.percent = (share) => `${share > 0 && share < 0.005 ? "< 1" : Math.round(100 * share)}%`;
  live.signed = (number) => number.toFixed(2).replace("-", "\u2212");
  live.tokens = (count) => `${count} token${count === 1 ? "" : "s"}`;

  // Tables stand behind the word "Numbers".
  live.numbers = (...children) =>
    live.element("details", { class: "live-numbers" }, live.element("summary", {}, "Numbers"), ...children);

  live.scrolled = (label, ...children) =>
    live.element("div", { class: "live-scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);

  live.still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  // A slider with its name and its value in words.
  live.slider = function (name, { min, max, step, value, said, changed }) {
    const { element } = live;
    const shown = element("output", {}, said(value));
    const input = element("input", { type: "range", min, max, step, value, "aria-valuetext": said(value), oninput: () => {
      shown.textContent = said(Number(input.value));
      input.setAttribute("aria-valuetext", shown.textContent);
      changed(Number(input.value));
    } });
    return { input, whole: element("label", { class: "live-slider" }, element("span", {}, name), input, shown) };
  };
})((globalThis.live = globalThis.live || {}));
