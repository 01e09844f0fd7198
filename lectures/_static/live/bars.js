// The likeliest next words as bars, after any word of the translation.
(function (live) {
  "use strict";

  const { element } = live;
  const SHOWN = 6;

  live.Bars = class {
    constructor() {
      this.title = element("p", { class: "live-bars-title" });
      this.list = element("ol", { class: "live-bars" });
      this.lines = [];
      this.whole = element("div", {}, this.title, this.list);
    }

    // [{token, probability, chosen}] for a sentence of its own about them
    show(title, bars) {
      this.title.textContent = title;
      this.list.hidden = !bars.length;
      while (this.lines.length < Math.min(SHOWN, bars.length)) {
        const [word, bar, share] = [element("span", { class: "live-bar-word" }), element("span", { class: "live-bar" }), element("span", { class: "live-bar-share" })];
        const line = element("li", {}, word, element("span", { class: "live-bar-room", "aria-hidden": "true" }, bar), share);
        this.lines.push({ line, word, bar, share });
        this.list.append(line);
      }
      this.lines.forEach(({ line, word, bar, share }, place) => {
        const { token, probability, chosen } = bars[place] || { token: "", probability: 0 };
        word.textContent = live.word(token);
        share.textContent = live.percent(probability);
        bar.style.transform = `scaleX(${probability})`;
        line.classList.toggle("chosen", Boolean(chosen));
      });
    }

    // The words after row `row` of a translation.
    showRow({ read, next }, row) {
      const written = read.slice(1, row + 1).map(live.word).join(" ");
      const chosen = read[row + 1] || "[SEP]";
      this.show(written ? `After “${written}” come next:` : "The translation begins with:", next[row].map((one) => ({ ...one, chosen: one.token === chosen })));
    }
  };
})((globalThis.live = globalThis.live || {}));
