// Shows one component of the code at a time: the one that the address names.
(function () {
  "use strict";

  const drawing = document.getElementById("code-drawing");
  const components = [...document.querySelectorAll(".code-component")];
  const assignments = [...document.querySelectorAll(".code-assignment")];
  const all = [...drawing.querySelectorAll("svg a")];
  // Those of the drawing that is shown: a narrow screen has another one than a wide screen.
  const boxes = () => all.filter((box) => box.getClientRects().length);
  let last = boxes()[0]; // where Escape leads back to

  // Hidden, but the browser's own search still finds it and shows it.
  function hide(element, hidden) {
    if (hidden) element.setAttribute("hidden", "until-found");
    else element.removeAttribute("hidden");
  }

  function show() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const component = target && target.closest(".code-component");
    const whole = !component && target && target.closest(".code-assignment");
    for (const one of components) {
      const shown = one === component || Boolean(whole && whole.contains(one));
      hide(one, !shown);
      if (shown) for (const code of one.querySelectorAll("pre")) code.tabIndex = 0; // it may scroll
    }
    for (const one of assignments) hide(one, !(target && one.contains(target)));
    const opens = (link) => Boolean(component) && link.getAttribute("href") === `#${component.id}`;
    for (const link of document.querySelectorAll(".code-drawing a, .code-index a")) {
      if (opens(link)) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    const shown = boxes();
    if (!opens(last)) last = shown.find(opens) || last;
    if (!shown.includes(last)) last = shown.find((box) => box.href.baseVal === last.href.baseVal);
    if (target === drawing) last.focus();
    else if (component) component.querySelector("h3").focus({ preventScroll: true });
    if (target) (component || target).scrollIntoView();
  }

  // The nearest box in a direction; being beside the way counts threefold.
  function next(from, x, y) {
    const middle = (box) => {
      const { left, top, width, height } = box.querySelector("rect").getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    };
    const [fromX, fromY] = middle(from);
    let found = null, least = Infinity;
    for (const box of boxes()) {
      const [toX, toY] = middle(box);
      const ahead = (toX - fromX) * x + (toY - fromY) * y;
      const beside = Math.abs((toX - fromX) * y) + Math.abs((toY - fromY) * x);
      if (ahead > 1 && ahead + 3 * beside < least) [found, least] = [box, ahead + 3 * beside];
    }
    return found;
  }

  const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  drawing.addEventListener("keydown", (event) => {
    const box = event.target.closest("svg a");
    if (!box || !STEPS[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
    const found = next(box, ...STEPS[event.key]);
    event.preventDefault();
    if (found) found.focus();
  });
  drawing.addEventListener("click", (event) => { last = event.target.closest("svg a") || last; });
  document.addEventListener("keydown", (event) => {
    const open = components.some((one) => !one.hasAttribute("hidden"));
    const writing = event.target.closest("input, textarea, select, dialog");
    if (event.key === "Escape" && open && !writing) location.hash = drawing.id;
  });
  addEventListener("hashchange", show);
  show();
})();
