// The beam as a drawing: a column for every step, the likeliest prefix on top, its path in bold.
(function (live) {
  "use strict";

  const { element } = live;
  const [WIDE, HIGH, BOX, TALL] = [92, 30, 78, 22]; // of a place, and of its box, in pixels

  live.Beam = class {
    constructor() {
      this.drawing = element("div", { class: "live-beam-drawing" });
      this.room = element("div", { id: "live-beam", class: "live-beam live-scroll", tabindex: 0, role: "region", "aria-label": "The beam, step by step" }, this.drawing);
      this.table = element("div", { class: "live-tree", tabindex: 0, role: "group", "aria-label": "The beam as a list" });
      this.whole = element("div", {}, this.room, live.numbers(this.table));
    }

    show({ tree }) {
      const nodes = new Map(tree.map((node) => [node.id, { ...node, children: [] }]));
      const steps = [];
      for (const node of nodes.values()) {
        const parent = nodes.get(node.parent);
        node.step = parent ? parent.step + 1 : 0;
        if (parent) parent.children.push(node);
        (steps[node.step] ||= []).push(node);
      }
      steps.forEach((step) => step.sort((a, b) => b.total - a.total).forEach((node, place) => Object.assign(node, { x: node.step * WIDE, y: place * HIGH })));
      const highest = Math.max(...steps.map((step) => step.length));
      const svg = element("svg", { width: steps.length * WIDE, height: highest * HIGH, role: "img", "aria-label": `${steps.length - 1} steps of the search; the numbers below say the same as a list` });
      for (const node of nodes.values()) if (node.parent !== null) svg.append(this._line(nodes.get(node.parent), node));
      for (const node of nodes.values()) svg.append(this._box(node));
      this.drawing.replaceChildren(svg);
      this.table.replaceChildren(element("ul", {}, this._item(nodes.get(0))));
    }

    _line(from, to) {
      const [x1, y1, x2, y2] = [from.x + BOX, from.y + TALL / 2, to.x, to.y + TALL / 2];
      const middle = (x1 + x2) / 2;
      return element("path", { d: `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`, class: `${to.state}${to.best ? " best" : ""}`, "data-step": to.step });
    }

    _box({ x, y, token, state, best, step }) {
      const word = live.word(token);
      return element("g", { class: `${state}${best ? " best" : ""}`, "data-step": step, transform: `translate(${x} ${y})` },
        element("rect", { width: BOX, height: TALL, rx: 5 }),
        element("text", { x: BOX / 2, y: 15, "text-anchor": "middle" }, word.length > 11 ? `${word.slice(0, 10)}…` : word));
    }

    // Up to the step after row `row` of the translation; what comes later is pale.
    upTo(row) {
      for (const part of this.drawing.querySelectorAll("[data-step]")) part.classList.toggle("later", Number(part.dataset.step) > row + 1);
      this.room.scrollLeft = (row + 2) * WIDE - this.room.clientWidth / 2;
    }

    _item(node) {
      const text = `${live.word(node.token)} ${live.signed(node.total)}${node.state === "kept" ? "" : `, ${node.state}`}`;
      const item = element("li", { class: `${node.state}${node.best ? " best" : ""}` }, element("span", {}, text));
      if (node.children.length) item.append(element("ul", {}, ...node.children.map((one) => this._item(one))));
      return item;
    }
  };
})((globalThis.live = globalThis.live || {}));
