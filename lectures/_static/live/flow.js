// The sentence on its way: words as buttons in two lanes, their vectors as colored cells, and arcs
// of attention, drawn on one canvas that moves only while something changes.
(function (live) {
  "use strict";

  const { element } = live;
  const HEIGHT = 18; // of a drawn vector, in pixels
  const MOVES = 500; // milliseconds between two stages
  const SEEN = 0.08; // an arc of less weight is not drawn

  live.Flow = class {
    // `moved(row)`: the row of the decoder that is looked at
    constructor(moved) {
      this.moved = moved;
      this.held = this.hovered = this.head = null;
      this.canvas = element("canvas", { "aria-hidden": "true" });
      this.lanes = { source: element("ol", { class: "live-lane", "aria-label": "English words" }), target: element("ol", { class: "live-lane", "aria-label": "French words" }) };
      this.legend = element("p", { class: "live-legend" });
      this.told = element("p", { class: "live-told", role: "status" });
      const button = (text, label, action) => element("button", { type: "button", "aria-label": label, onclick: action }, text);
      this.player = button("▶ Play", "Play", () => this.play(!this.playing));
      this.slider = live.slider("Step", { min: 0, max: 0, step: 1, value: 0, said: (at) => (this.stages ? this.stages[at].name : ""), changed: (at) => { this.play(false); this.go(at); } });
      const controls = element("div", { class: "live-controls" }, this.player, button("◀", "One step back", () => this.step(-1)), button("▶", "One step on", () => this.step(1)), this.slider.whole);
      this.drawn = element("div", { class: "live-lanes" }, this.canvas, this.lanes.source, this.lanes.target);
      this.whole = element("div", { class: "live-flow" }, controls, this.legend, this.drawn, this.told);
      new ResizeObserver(() => this._measure()).observe(this.drawn);
      new MutationObserver(() => this._measure()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    }

    show(result) {
      this.play(false);
      this.result = result;
      this.stages = live.stages(result);
      this.held = this.hovered = null;
      for (const [name, tokens] of [["source", result.source], ["target", result.read]])
        this.lanes[name].replaceChildren(...tokens.map((token, row) => element("li", {}, this._word(name, row, token))));
      const color = (head) => element("span", { class: "live-dot", style: `background: rgb(var(--head-${1 + (head % 4)}))`, "aria-hidden": "true" });
      this.legend.replaceChildren("In a step of attention: ", ...result.attention.encoder[0].flatMap((_, head) => [color(head), ` head ${head} `]));
      this.slider.input.max = this.stages.length - 1;
      this.go(this.stages.length - 1, true);
      this._measure();
      this._tell();
    }

    _word(lane, row, token) {
      const at = { lane, row };
      const look = (to) => { this.hovered = to; this._looked(); };
      return element("button", { type: "button", class: "live-word", "aria-pressed": "false", "data-lane": lane, "data-row": row,
        onpointerenter: () => look(at), onpointerleave: () => look(null), onfocus: () => look(at), onblur: () => look(null),
        onclick: () => { this.held = this.held && this.held.lane === lane && this.held.row === row ? null : at; this._looked(); } }, live.word(token));
    }

    get looked() {
      return this.hovered || this.held;
    }

    _looked() {
      for (const button of this.drawn.querySelectorAll(".live-word")) {
        const { lane, row } = button.dataset;
        button.setAttribute("aria-pressed", String(Boolean(this.held && this.held.lane === lane && this.held.row === Number(row))));
      }
      const { looked } = this;
      if (looked && looked.lane === "target" && looked.row > 0) this.moved(looked.row - 1);
      this._tell();
      this._draw(1);
    }

    // [{from: {lane, row}, to: {lane, row}, weight}] of a word: what it looked at, who looked at it.
    arcs({ lane, row }) {
      const { attention, read } = this.result;
      const found = [];
      const add = (kind, at, to, from) => {
        const chosen = this.head && this.head.kind === kind ? this.head : null;
        live.weightsOf(attention[kind], at, chosen).forEach((weight, column) => found.push({ from, to: { lane: to, row: column }, weight, kind }));
      };
      if (lane === "target" && row > 0) {
        add("crossAttention", row - 1, "source", { lane, row });
        add("selfAttention", row - 1, "target", { lane, row });
      }
      if (lane === "source") {
        add("encoder", row, "source", { lane, row });
        for (let written = 1; written < read.length; written++) {
          const before = found.length;
          add("crossAttention", written - 1, "source", { lane: "target", row: written });
          found.push(...found.splice(before).filter((arc) => arc.to.row === row));
        }
      }
      return found.filter((arc) => arc.weight >= SEEN);
    }

    _tell() {
      const { looked, result } = this;
      if (!looked) {
        this.told.textContent = "Point at a word, tap it, or reach it by Tab: arcs show what it looked at.";
        return;
      }
      const name = ({ lane, row }) => `“${live.word((lane === "source" ? result.source : result.read)[row])}”`;
      const arcs = this.arcs(looked).sort((a, b) => b.weight - a.weight);
      const some = (kind, end) => arcs.filter((arc) => arc.kind === kind).slice(0, 3).map((arc) => `${name(arc[end])} ${live.percent(arc.weight)}`).join(", ");
      const parts = looked.lane === "source"
        ? [["reads", some("encoder", "to")], ["is looked at for", some("crossAttention", "from")]]
        : [["was written looking at", some("crossAttention", "to")], ["and, in the translation, at", some("selfAttention", "to")]];
      const said = parts.filter(([, words]) => words).map(([verb, words]) => `${verb} ${words}`).join("; ");
      this.told.textContent = said ? `${name(looked)} ${said}.` : `${name(looked)}: every translation begins after it.`;
    }

    step(by) {
      this.play(false);
      this.go(Math.min(this.stages.length - 1, Math.max(0, this.at + by)));
    }

    play(on) {
      this.playing = on;
      clearTimeout(this.timer);
      this.player.textContent = on ? "❚❚ Pause" : "▶ Play";
      this.player.setAttribute("aria-label", on ? "Pause" : "Play");
      if (!on) return;
      this.go(this.at === this.stages.length - 1 ? 0 : this.at);
      const next = () => {
        if (this.at === this.stages.length - 1) return this.play(false);
        this.go(this.at + 1);
        this.timer = setTimeout(next, live.still() ? 2 * MOVES : 1.3 * MOVES);
      };
      this.timer = setTimeout(next, MOVES);
    }

    // To a stage; its vectors change from what they were, unless motion is not wanted.
    go(at, atOnce = false) {
      this.at = at;
      const stage = this.stages[at];
      this.slider.input.value = at;
      this.slider.input.setAttribute("aria-valuetext", stage.name);
      this.slider.whole.querySelector("output").textContent = `${at + 1} of ${this.stages.length}: ${stage.name}`;
      const last = stage.lane === "source" ? -1 : stage.row + (stage.chosen ? 1 : 0);
      this.lanes.target.querySelectorAll(".live-word").forEach((word, row) => word.classList.toggle("later", row > last));
      this.moved(stage.lane === "target" ? stage.row : -1);
      this.began = performance.now();
      cancelAnimationFrame(this.frame);
      if (atOnce || live.still()) return this._draw(1);
      const frame = (now) => {
        const part = Math.min(1, Math.max(0, (now - this.began) / MOVES));
        this._draw(part);
        if (part < 1) this.frame = requestAnimationFrame(frame);
      };
      this.frame = requestAnimationFrame(frame);
    }

    _measure() {
      if (!this.result) return;
      const ratio = Math.min(2, devicePixelRatio || 1);
      const { clientWidth, clientHeight } = this.drawn;
      [this.canvas.width, this.canvas.height] = [clientWidth * ratio, clientHeight * ratio];
      const colors = getComputedStyle(this.drawn);
      const color = (name) => colors.getPropertyValue(name).trim().split(/\s+/).map(Number);
      const middle = (lane) => Array.from(this.lanes[lane].children, (item) => item.offsetTop + item.offsetHeight / 2);
      const [left, right] = [this.lanes.source, this.lanes.target];
      const wide = parseFloat(colors.getPropertyValue("--strip"));
      this.place = { ratio, width: clientWidth, wide, height: clientHeight, rows: { source: middle("source"), target: middle("target") },
        strip: { source: left.offsetLeft + left.offsetWidth + 4, target: right.offsetLeft - 4 - wide }, edge: { source: left.offsetLeft - 4, target: right.offsetLeft + right.offsetWidth + 4 } };
      this.colors = { ...live.featureColors(this.drawn), heads: ["--head-1", "--head-2", "--head-3", "--head-4"].map(color) };
      this._draw(1);
    }

    _draw(part) {
      if (this.place) live.draw(this, part, { HEIGHT, SEEN });
    }
  };
})((globalThis.live = globalThis.live || {}));
