// Every head of every layer as a small map, with a switch, what it does, and its numbers.
(function (live) {
  "use strict";

  const { element } = live;
  const VIEWS = [
    ["crossAttention", "Decoder to source (cross-attention)", "decoder", "cross"],
    ["selfAttention", "Decoder self-attention (masked)", "decoder", "self"],
    ["encoder", "Encoder self-attention", "encoder", ""],
  ];

  live.Heads = class {
    // `switched(place, on)`: a head was switched; `picked({kind, layer, head})`: one was chosen.
    constructor(claims, switched, picked) {
      Object.assign(this, { claims, switched, picked });
      this.off = new Set();
      this.chosen = { view: 0, layer: 0, head: 0 };
      this.views = element("fieldset", { class: "live-views" }, element("legend", {}, "Attention of"));
      VIEWS.forEach(([, text, stack, kind], view) => {
        const radio = element("input", { id: `live-${kind || stack}`, type: "radio", name: "live-view", checked: view === 0, onchange: () => this.view(view) });
        this.views.append(element("label", {}, radio, ` ${text}`));
      });
      this.maps = element("div", { class: "live-maps" });
      this.table = element("div", {});
      this.whole = element("div", {}, this.views, this.maps, live.numbers(this.table));
    }

    view(view) {
      this.chosen = { view, layer: 0, head: 0 };
      this.picked(null);
      if (this.result) this._draw();
    }

    show(result) {
      this.result = result;
      this._draw();
    }

    _draw() {
      const [key, , stack, kind] = VIEWS[this.chosen.view];
      const layers = this.result.attention[key];
      this.maps.replaceChildren(...layers.flatMap((heads, layer) => heads.map((rows, head) => {
        const place = [stack, layer, kind, head].filter((part) => part !== "").join(" ");
        const name = `layer ${layer}, head ${head}`;
        const off = this.off.has(place);
        const pressed = this.chosen.layer === layer && this.chosen.head === head;
        const button = element("button", { type: "button", "aria-pressed": String(pressed), class: off ? "off" : "", "aria-label": `Show ${name}${off ? ", off" : ""}`,
          onclick: () => this._pick(layer, head) }, this._map(rows));
        const box = element("input", { type: "checkbox", checked: !off, "data-place": place, onchange: async (event) => {
          this.off[event.target.checked ? "delete" : "add"](place);
          await this.switched();
          this.maps.querySelector(`[data-place="${place}"]`).focus();
        } });
        const claim = this.claims && this.claims.heads[place];
        return element("div", { class: "live-map" }, button, element("label", {}, box, ` ${name}`), claim ? element("p", {}, claim.said) : "");
      })));
      this._numbers(layers);
    }

    _pick(layer, head) {
      Object.assign(this.chosen, { layer, head });
      this.picked({ kind: VIEWS[this.chosen.view][0], layer, head });
      this._draw();
      this.maps.querySelector("[aria-pressed=true]").focus();
    }

    _map(rows) {
      const svg = element("svg", { viewBox: `0 0 ${rows[0].length} ${rows.length}`, width: 88, height: 88, preserveAspectRatio: "none", "aria-hidden": "true" });
      rows.forEach((row, r) => row.forEach((weight, c) => {
        if (weight > 0.02) svg.append(element("rect", { x: c, y: r, width: 1, height: 1, class: "cell", "fill-opacity": weight.toFixed(3) }));
      }));
      return svg;
    }

    _numbers(layers) {
      const { view, layer, head } = this.chosen;
      const { source, read } = this.result;
      const [rows, columns] = [[read, read, source][view], [source, read, source][view]].map((tokens) => tokens.map(live.word));
      const masked = view === 1 && this.result.causal;
      const table = element("table", {}, element("caption", {}, `${VIEWS[view][1]}: layer ${layer}, head ${head}. A row is a word that looks, a column a word that is looked at; percent.`));
      table.append(element("tr", {}, element("td"), ...columns.map((word) => element("th", { scope: "col" }, word))));
      layers[layer][head].forEach((weights, r) => table.append(element("tr", {}, element("th", { scope: "row" }, rows[r]), ...weights.map((weight, c) =>
        masked && c > r ? element("td", { class: "masked" }, "–") : element("td", { style: `--weight: ${weight.toFixed(3)}` }, String(Math.round(100 * weight)))))));
      this.table.replaceChildren(live.scrolled("Weights of the chosen head", table));
    }
  };
})((globalThis.live = globalThis.live || {}));
