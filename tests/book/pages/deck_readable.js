// The narrow form on a phone: of each slide that is too small or too large, its title.
async (least) => {
    await formulas.all();
    const found = [];
    for (;;) {
        const slide = Reveal.getCurrentSlide(), content = slide.querySelector(":scope > .docutils");
        const others = slide.querySelectorAll("figcaption, pre, .deck-footer");
        const texts = [content || slide, ...others];
        const sizes = texts.map((one) => parseFloat(getComputedStyle(one).fontSize));
        const letters = Math.min(...sizes) * Reveal.getScale();
        const bottom = content ? content.getBoundingClientRect().bottom : 0;
        const wide = slide.scrollWidth > slide.clientWidth + 1;
        if (letters < least || bottom > innerHeight || wide) {
            found.push([slide.querySelector("h1, h2").textContent, letters, bottom, wide]);
        }
        if (Reveal.isLastSlide() && !Reveal.availableFragments().next) return found;
        Reveal.next();
    }
}
