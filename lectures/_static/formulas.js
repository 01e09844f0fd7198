// Loads MathJax when a formula is near the screen, else when one scrolls or presses a key, or after
// some seconds. It sets what is near first, and then all: whoever reads with ears must not miss them.
(() => {
  "use strict";
  const SECONDS = 10;
  const SIGNS = ["scroll", "keydown", "pointerdown", "touchstart"];
  const PARTS = ["core", "input/tex", "output/chtml", "output/chtml/fonts/tex.js", "a11y/assistive-mml", "ui/lazy"];
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
  const { options } = window.MathJax || {};
  let isBegun = false, isSet = false, isAll = false;

  const setAll = () => {
    isAll = true;
    if (isSet) MathJax.startup.document.lazyTypesetAll();
  };
  const load = () => {
    if (isBegun) return;
    isBegun = true;
    const script = document.createElement("script");
    script.src = `${folder}mathjax/startup.js`;
    document.head.append(script);
  };
  const ready = () => {
    MathJax.startup.defaultReady();
    MathJax.startup.promise.then(() => {
      isSet = true;
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
  const painted = () => requestAnimationFrame(() => setTimeout(watch));

  window.MathJax = { options: { ...options, lazyMargin: "400px" }, loader: { load: PARTS }, startup: { ready } };
  if (document.readyState === "complete") painted(); else window.addEventListener("load", painted);
})();
