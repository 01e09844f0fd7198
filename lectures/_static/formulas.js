// Loads MathJax when a formula is near the screen, else when one scrolls or presses a key, or after
// some seconds. It sets what is near first, and then all: whoever reads with ears must not miss them.
// `formulas.all()` asks for all at once, and its promise is kept when they are set.
// What is wider than its place is set smaller; a line of text may break within a long formula.
(() => {
  "use strict";
  const SECONDS = 10;
  const SIGNS = ["scroll", "keydown", "pointerdown", "touchstart"];
  const PARTS = ["core", "input/tex", "output/chtml", "output/chtml/fonts/tex.js", "a11y/assistive-mml", "ui/lazy"];
  const LEAST = 0.5; // of the size; what is wider still can be scrolled
  // Each needs the one before it; without this list, whichever comes first is run first.
  const DEPENDENCIES = { "output/chtml": ["core"], "output/chtml/fonts/tex.js": ["output/chtml"] };
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const { options } = window.MathJax || {};
  let isBegun = false, isSet = false, isAll = false, done;
  const allSet = new Promise((keep) => { done = keep; });

  const setAll = () => {
    isAll = true;
    if (isSet) MathJax.startup.document.lazyTypesetAll().then(() => { formulas.areSet = true; done(); });
  };
  const load = () => {
    if (isBegun) return;
    isBegun = true;
    const script = document.createElement("script");
    script.src = `${folder}mathjax/startup.js`;
    document.head.append(script);
  };
  const held = new Set(); // what is on the screen keeps its height until its formulas are there
  const hold = () => {
    for (const formula of document.querySelectorAll(".bd-article .math")) {
      const place = formula.closest("p, li, td, th, dd, div");
      const { top, bottom } = place.getBoundingClientRect();
      if (bottom > 0 && top < innerHeight) held.add(place);
    }
    for (const place of held) place.style.minHeight = `${place.clientHeight}px`;
  };
  const release = () => {
    if ([...held].some((place) => place.querySelector("mjx-lazy"))) return;
    for (const place of held) place.style.minHeight = "";
    held.clear();
  };
  const fit = () => {
    const all = [...document.querySelectorAll(".bd-article mjx-container")];
    const own = (one) => parseFloat(one.dataset.size ??= parseFloat(one.style.fontSize) || 100);
    for (const one of all) { one.style.fontSize = `${own(one)}%`; one.classList.remove("may-break"); }
    const seen = all.map((one) => {
      const place = one.closest("p, li, td, th, dd, div");
      const styles = getComputedStyle(place);
      const room = place.clientWidth - parseFloat(styles.paddingLeft) - parseFloat(styles.paddingRight);
      return [one, one.firstElementChild.getBoundingClientRect().width, room];
    });
    for (const [one, width, room] of seen) {
      if (room <= 0 || width <= room + 1) continue; // room is in whole pixels
      if (!one.hasAttribute("display")) one.classList.add("may-break");
      else one.style.fontSize = `${own(one) * Math.max(LEAST, 0.99 * room / width)}%`;
      if (width * LEAST > room) one.closest(".math").tabIndex = 0; // keys can scroll it
    }
    release();
  };
  const fitSoon = () => { cancelAnimationFrame(fitSoon.next); fitSoon.next = requestAnimationFrame(fit); return false; };
  const ready = () => {
    hold();
    MathJax.startup.defaultReady();
    const fitted = { id: "fit", renderDoc: fitSoon, renderMath: fitSoon, convert: false };
    MathJax.startup.document.renderActions.add(fitted, 210); // once a formula is in the page
    MathJax.startup.promise.then(() => {
      isSet = true;
      window.addEventListener("resize", fitSoon);
      document.addEventListener("toggle", fitSoon, true);
      if (isAll) setAll();
    });
  };
  const awaken = () => {
    SIGNS.forEach((name) => window.removeEventListener(name, awaken));
    load();
    setAll();
  };
  const watch = () => {
    const near = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) load(); }, { rootMargin: "100px" });
    document.querySelectorAll(".math").forEach((formula) => near.observe(formula));
    SIGNS.forEach((name) => window.addEventListener(name, awaken, { passive: true }));
    window.addEventListener("beforeprint", awaken);
    setTimeout(awaken, SECONDS * 1000);
  };
  const formulas = { areSet: false, all: () => { awaken(); return allSet; } };
  window.formulas = formulas;
  const painted = () => requestAnimationFrame(() => setTimeout(watch));

  window.MathJax = {
    options: { ...options, lazyMargin: "400px" },
    loader: { load: PARTS, dependencies: DEPENDENCIES, versionWarnings: false },
    startup: { ready },
  };
  if (document.readyState === "complete") painted(); else window.addEventListener("load", painted);
})();
