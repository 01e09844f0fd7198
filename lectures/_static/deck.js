// What the decks add to reveal.js: light or dark as on the site's other pages, a list of the keys, and
// letters of the size that fits: larger on a slide with little on it, and on the narrow one of a phone.
(() => {
  "use strict";
  const page = document.documentElement;
  const folder = document.currentScript.src.replace(/[^/]*$/, "");
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

  // Of a slide, in its pixels: its footer, what larger letters leave above it, the footer of a narrow one,
  // the smallest letters, the largest of a slide with little on it, how wide one is on a screen that is higher than wide: there it is as high as the screen.
  const FOOT = 60, SPARE = 6, NARROW_FOOT = 130, LEAST = 20, MOST = 38, NARROW = 640;
  const shape = () => {
    const isNarrow = innerWidth < NARROW && innerHeight > innerWidth && !isPrinted;
    const [width, height] = isNarrow ? [NARROW, Math.round((NARROW * innerHeight) / innerWidth)] : [1280, 720];
    page.classList.toggle("is-narrow", isNarrow);
    page.style.setProperty("--slide-height", `${height}px`);
    return { width, height };
  };
  window.deckShape = shape; // the page's own script begins with it
  const reshape = () => {
    const wanted = shape();
    if (Reveal.getConfig().width === wanted.width && Reveal.getConfig().height === wanted.height) return;
    Reveal.configure(wanted);
    document.querySelectorAll("[data-fits]").forEach((one) => { one.style.fontSize = ""; delete one.dataset.fits; });
    fitWhenSet(Reveal.getCurrentSlide());
  };
  const fit = (slide) => {
    const content = slide && slide.querySelector(":scope > .docutils");
    if (!content || content.dataset.fits) return;
    const scale = slide.getBoundingClientRect().height / slide.offsetHeight;
    const foot = page.classList.contains("is-narrow") ? NARROW_FOOT : FOOT;
    const low = () => (content.getBoundingClientRect().bottom - slide.getBoundingClientRect().top) / scale;
    const isCut = () => slide.scrollWidth > slide.clientWidth + 1
      || [...content.querySelectorAll("pre, table, .math")].some((one) => one.scrollWidth > content.clientWidth + 1);
    const usual = parseFloat(getComputedStyle(content).fontSize);
    const fits = (size) => {
      content.style.fontSize = `${size}px`;
      return low() <= slide.offsetHeight - foot - (size > usual ? SPARE : 0) && !isCut();
    };
    const most = content.querySelector("img, pre") ? usual : MOST;
    let size = most;
    while (!fits(size) && size > LEAST) size--;
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
    // The speaker's view, once the first slide is there: a reader does not wait for it.
    const loadNotes = () => {
      const script = document.createElement("script");
      script.src = `${folder}revealjs/plugin/notes/notes.js`;
      script.onload = () => Reveal.registerPlugin(RevealNotes);
      document.head.append(script);
    };
    const follow = () => page.classList.toggle("is-under-way", !Reveal.isFirstSlide());
    const begin = () => {
      follow();
      reshape();
      loadNotes();
      addEventListener("resize", reshape);
      Reveal.on("slidechanged", follow);
      fitWhenSet(Reveal.getCurrentSlide());
      Reveal.on("slidechanged", (event) => fitWhenSet(event.currentSlide));
    };
    if (Reveal.isReady()) begin(); else Reveal.on("ready", begin);
    Reveal.on("pdf-ready", () => document.querySelectorAll(".pdf-page section").forEach(fitWhenSet));
  });
})();
