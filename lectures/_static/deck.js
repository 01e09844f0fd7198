// What the decks add to reveal.js: light or dark as on the site's other pages, a list of the keys, and
// smaller letters on a slide that would not fit.
(() => {
  "use strict";
  const page = document.documentElement;
  const isPrinted = /[?&](print-pdf|view=print)/.test(location.search);
  const night = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem("mode"); } catch { return null; } };
  const keep = (mode) => { try { localStorage.setItem("mode", mode); } catch { /* a private window keeps nothing */ } };

  const show = () => {
    const mode = kept();
    const isDark = mode === "dark" || (mode !== "light" && night.matches);
    page.dataset.theme = isDark && !isPrinted ? "dark" : "light";
  };
  const change = () => { keep(page.dataset.theme === "dark" ? "light" : "dark"); show(); };

  const FOOT = 60, LEAST = 20; // pixels of a slide: its footer, the smallest letters
  const fit = (slide) => {
    const content = slide && slide.querySelector(":scope > .docutils");
    if (!content || content.dataset.fits) return;
    const scale = slide.getBoundingClientRect().height / slide.offsetHeight;
    const low = () => (content.getBoundingClientRect().bottom - slide.getBoundingClientRect().top) / scale;
    let size = parseFloat(getComputedStyle(content).fontSize);
    while (low() > slide.offsetHeight - FOOT && size > LEAST) content.style.fontSize = `${--size}px`;
    content.dataset.fits = "true";
  };
  const fitWhenSet = (slide) => {
    if (slide.querySelector(".math") && !formulas.areSet) formulas.all().then(() => fit(slide));
    else fit(slide);
  };

  night.addEventListener("change", show);
  window.addEventListener("storage", show); // another tab
  show();
  document.addEventListener("DOMContentLoaded", () => {
    Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark or light" }, change);
    const keys = document.createElement("button");
    keys.type = "button";
    keys.className = "deck-keys";
    keys.textContent = "Keys: ?";
    keys.addEventListener("click", () => Reveal.toggleHelp());
    document.querySelector("main").append(keys);
    const follow = () => page.classList.toggle("is-under-way", !Reveal.isFirstSlide());
    const begin = () => {
      follow();
      Reveal.on("slidechanged", follow);
      fitWhenSet(Reveal.getCurrentSlide());
      Reveal.on("slidechanged", (event) => fitWhenSet(event.currentSlide));
    };
    if (Reveal.isReady()) begin(); else Reveal.on("ready", begin);
    Reveal.on("pdf-ready", () => document.querySelectorAll(".pdf-page section").forEach(fitWhenSet));
  });
})();
