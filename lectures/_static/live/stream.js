// The residual stream of the decoder: every word's vector after every step, as colored cells.
(function (live) {
  "use strict";

  const { element } = live;
  const CELLS = 16; // in a row of a drawn vector
  const LARGE = 2.5; // a feature of this size has the full color

  // The two colors of features below and above zero, [r, g, b] each, in light or dark.
  live.featureColors = function (place) {
    const style = getComputedStyle(place);
    const color = (name) => style.getPropertyValue(name).trim().split(/\s+/).map(Number);
    return { below: color("--below"), above: color("--above") };
  };

  // Vectors one above the other on a small canvas, a pixel a feature; enlarged where they are shown.
  live.paint = function (canvas, rows, { below, above }) {
    const high = Math.ceil(rows[0].length / CELLS);
    const picture = new ImageData(CELLS, high * rows.length);
    rows.forEach((row, r) => row.forEach((value, i) => {
      const pixel = 4 * (r * high * CELLS + i);
      const color = value < 0 ? below : above;
      for (let part = 0; part < 3; part++) picture.data[pixel + part] = color[part];
      picture.data[pixel + 3] = 255 * Math.min(1, Math.abs(value) / LARGE);
    }));
    [canvas.width, canvas.height] = [CELLS, high * rows.length];
    canvas.getContext("2d").putImageData(picture, 0, 0);
    return high;
  };

  live.Stream = class {
    constructor() {
      this.drawing = element("div", {});
      this.table = element("div", {});
      this.whole = element("div", { id: "live-stream", tabindex: 0, role: "group", "aria-label": "The residual stream" }, this.drawing, live.numbers(this.table));
      new MutationObserver(() => this._draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    }

    show({ streams, read }) {
      [this.steps, this.words] = [streams.decoder, read.map(live.word)];
      const norms = this.steps.map(({ rows }) => rows.map((row) => Math.hypot(...row)));
      const largest = Math.max(...norms.flat());
      const cells = norms.map((row) => row.map((norm) => element("td", { style: `--weight: ${(norm / largest).toFixed(3)}` }, norm.toFixed(1))));
      this.table.replaceChildren(live.scrolled("Lengths of the vectors", this._table("How long every vector is", cells)));
      this._draw();
    }

    _draw() {
      if (!this.steps) return;
      const colors = live.featureColors(this.drawing);
      const cells = this.steps.map(({ rows }) => rows.map((row) => {
        const canvas = element("canvas", { class: "live-vector", "aria-hidden": "true" });
        live.paint(canvas, [row], colors);
        return element("td", {}, canvas);
      }));
      this.drawing.replaceChildren(live.scrolled("Vectors of the decoder", this._table("Every word’s vector after every step of the decoder: a cell a feature", cells)));
    }

    _table(caption, cells) {
      return element("table", {}, element("caption", {}, caption),
        element("tr", {}, element("td"), ...this.words.map((word) => element("th", { scope: "col" }, word))),
        ...cells.map((row, step) => element("tr", {}, element("th", { scope: "row" }, this.steps[step].name), ...row)));
    }
  };
})((globalThis.live = globalThis.live || {}));
