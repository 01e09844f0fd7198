// Goes through a deck by its own key and returns how many slides there were; of each that is too
// large, or has letters too small: title, pixels too wide and too high, whether some is cut off.
async (foot) => {
    if (window.formulas) await formulas.all();
    await document.fonts.ready;
    const {width, height} = Reveal.getConfig(), scale = Reveal.getScale(), found = [];
    const seen = new Set();
    await new Promise((go) => setTimeout(go));  // the deck sets its first slide
    for (;;) {
        const slide = Reveal.getCurrentSlide();
        const own = ".deck-footer, aside.notes, mjx-assistive-mml, svg *";
        seen.add(slide);
        const {left, top} = document.querySelector(".slides").getBoundingClientRect();
        const shown = [...slide.querySelectorAll("*")].filter((one) => !one.closest(own));
        const boxes = shown.map((one) => one.getBoundingClientRect()).filter((box) => box.width);
        const last = (edge) => Math.max(0, ...boxes.map((box) => box[edge]));
        const low = slide.querySelector(".deck-footer") ? foot : 0;
        const tooWide = (last("right") - left) / scale - width;
        const tooHigh = (last("bottom") - top) / scale - (height - low);
        const scrolled = shown.some((one) => one.scrollWidth > one.clientWidth + 1
            && ["auto", "scroll", "hidden"].includes(getComputedStyle(one).overflowX));
        const content = slide.querySelector(":scope > .docutils") || slide;
        const small = parseFloat(getComputedStyle(content).fontSize) < 22;
        if (small || tooWide > 1 || tooHigh > 1 || scrolled) {
            const title = slide.querySelector("h1, h2").textContent;
            found.push([title, Math.round(tooWide), Math.round(tooHigh), scrolled]);
        }
        if (Reveal.isLastSlide() && !Reveal.availableFragments().next) return [seen.size, found];
        Reveal.next();
    }
}
