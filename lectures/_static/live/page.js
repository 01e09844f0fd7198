// The page around the model: the sentence, the maps of the heads, the switches, the beam as a tree.
(function (live) {
  "use strict";

  const LONGEST = 40; // tokens of a translation in the page
  const SHOWN_CANDIDATES = 3; // dropped ones of a step in the tree
  const SHOWN_FIRST = typeof location === "undefined" ? null : new URLSearchParams(location.search).get("show");
  const VIEWS = [
    ["crossAttention", "Decoder to source (cross-attention)", "decoder", "cross"],
    ["selfAttention", "Decoder self-attention (masked)", "decoder", "self"],
    ["encoder", "Encoder self-attention", "encoder", ""],
  ];

  // element("p", {class: "x"}, "text", child …)
  function element(tag, attributes = {}, ...children) {
    const space = ["svg", "rect", "title", "path", "text", "g"].includes(tag) && tag !== "title";
    const made = space
      ? document.createElementNS("http://www.w3.org/2000/svg", tag)
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== false && value != null) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  class Page {
    constructor(root, parts) {
      this.root = root;
      this.use(parts);
      this.switches = { scale: true, positions: true, causal: true, off: new Set() };
      this.width = 4;
      this.chosen = { view: 0, layer: 0, head: 0, row: 0 };
      this._build();
    }

    use({ tensors, config, tokenizer }) {
      const settings = config.model || {};
      const model = new live.Transformer(tensors, settings);
      const words = new live.Tokenizer(tokenizer);
      if (words.tokens.length > settings.vocab_size)
        throw new Error(`The tokenizer has ${words.tokens.length} tokens, the model ${settings.vocab_size}.`);
      [this.model, this.words] = [model, words];
      this.alpha = config.measured?.length_penalty ?? 0.6;
    }

    _build() {
      const id = (name) => `live-${name}`;
      this.input = element("input", { id: id("text"), type: "text", maxlength: 120, autocomplete: "off", spellcheck: "false", value: this.root.dataset.sentence });
      this.examples = element("select", { id: id("example"), onchange: () => this._example() }, element("option", { value: "" }, "choose"));
      for (const sentence of JSON.parse(this.root.dataset.examples)) this.examples.append(element("option", {}, sentence));
      const widths = element("select", { id: id("width"), onchange: (event) => { this.width = Number(event.target.value); this.translate(); } });
      for (const width of [1, 2, 3, 4, 5, 6]) widths.append(element("option", { value: width, selected: width === this.width }, String(width)));
      const form = element("form", { class: "live-form", onsubmit: (event) => { event.preventDefault(); this.translate(); } },
        element("div", {}, element("label", { for: id("text") }, "English sentence "), this.input, " ", element("button", { type: "submit" }, "Translate")),
        element("div", {}, element("label", { for: id("example") }, "Example "), this.examples, " ", element("label", { for: id("width") }, "Beam width "), widths));
      const switches = element("fieldset", { class: "live-switches" }, element("legend", {}, "Switch something off, and see what breaks"));
      for (const [name, text] of [["scale", "divide the scores by √d_k"], ["positions", "add the positions"], ["causal", "hide later words from the decoder"]]) {
        const box = element("input", { id: id(name), type: "checkbox", checked: true, onchange: (event) => { this.switches[name] = event.target.checked; this.translate(); } });
        switches.append(element("label", {}, box, ` ${text}`));
      }
      switches.append(element("button", { type: "button", onclick: () => this._allHeads() }, "All heads on"));
      this.result = element("p", { class: "live-result", role: "status" });
      this.source = element("p", { class: "live-tokens" });
      this.maps = element("div", { class: "live-maps" });
      this.detail = element("div", { class: "live-detail" });
      this.stream = element("div", { id: id("stream"), class: "live-stream" });
      this.tree = element("div", { id: id("beam"), class: "live-tree", tabindex: 0, role: "group", "aria-label": "The beam as a tree" });
      const views = element("fieldset", { class: "live-views" }, element("legend", {}, "Attention of"));
      VIEWS.forEach(([, text, stack, kind], view) => {
        const radio = element("input", { id: id(kind || stack), type: "radio", name: id("view"), checked: view === 0, onchange: () => { this.chosen = { view, layer: 0, head: 0, row: 0 }; if (this.shown) this.show(); } });
        views.append(element("label", {}, radio, ` ${text}`));
      });
      this.problem = element("p", { class: "live-problem", role: "alert" });
      const files = element("input", { id: id("files"), type: "file", multiple: true, accept: ".safetensors,.json", onchange: (event) => this._load(event.target.files) });
      const own = element("div", { class: "live-own" }, element("label", { for: id("files") }, "Your own translator: choose translation.safetensors, config.json and tokenizer.json of your submission folder. They stay in this browser. "), files, this.problem);
      this.root.replaceChildren(form, switches, this.result, this.source, element("h2", {}, "Every head of every layer"), views, this.maps, this.detail,
        element("h2", {}, "The residual stream"), this.stream, element("h2", {}, "The beam"), this.tree, element("h2", {}, "Your own model"), own);
    }

    // live.html?show=beam: another page says what to look at.
    look(name) {
      const place = document.getElementById(`live-${name}`);
      if (!place) return;
      if (place.type === "radio") place.click();
      const reached = place.querySelector("[tabindex]") || place;
      reached.focus({ preventScroll: true });
      place.scrollIntoView({ block: place.matches("input") ? "center" : "start" });
    }

    _example() {
      if (!this.examples.value) return;
      this.input.value = this.examples.value;
      this.translate();
    }

    _allHeads() {
      this.switches.off.clear();
      this.translate();
    }

    async _load(files) {
      this.problem.textContent = "";
      try {
        const find = (name) => {
          const found = Array.from(files).find((file) => file.name === name);
          if (!found) throw new Error(`${name} is missing: choose all three files at once.`);
          return found;
        };
        const json = async (name) => {
          try { return JSON.parse(await find(name).text()); } catch (error) {
            throw error instanceof SyntaxError ? new Error(`${name} is not JSON.`) : error;
          }
        };
        const parts = { config: await json("config.json"), tokenizer: await json("tokenizer.json"), tensors: null };
        parts.tensors = live.readTensors(await find("translation.safetensors").arrayBuffer());
        const before = [this.model, this.words, this.alpha];
        this.use(parts);
        this.switches.off.clear();
        try { await this.translate(); } catch (error) { [this.model, this.words, this.alpha] = before; throw error; }
        this.problem.textContent = "Loaded. The page now shows your model.";
      } catch (error) { this.problem.textContent = error.message; }
    }

    // A large model takes seconds, in which the page does not answer: it says so first.
    async translate() {
      const turn = (this.turn = {});
      this.result.replaceChildren("computing …");
      await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
      if (turn === this.turn) this._translate();
    }

    _translate() {
      const { words, model, switches } = this;
      const text = this.input.value.trim();
      const ids = words.encode(text);
      const encoded = model.encode(ids, switches);
      const search = { start: words.start, end: words.end, width: this.width, alpha: this.alpha, longest: LONGEST };
      const { hypotheses, tree } = live.beamSearch((prefix) => model.next(prefix, encoded.memory, switches), search);
      const best = hypotheses[0];
      const read = [words.start, ...best.ids];
      const decoded = model.decode(read, encoded.memory, switches);
      this.shown = { ids, read, encoded, decoded, tree, best,
        attention: { crossAttention: decoded.crossAttention, selfAttention: decoded.selfAttention, encoder: encoded.attention } };
      this.result.replaceChildren(element("strong", {}, words.decode(best.ids) || "(nothing)"),
        ` — score ${best.score.toFixed(2)}, ${best.ids.length} tokens${best.finished ? "" : ", cut off"}`);
      this.source.replaceChildren("The encoder reads ", ...ids.flatMap((one) => [element("code", {}, words.shown(one)), " "]));
      this.show();
    }

    _labels() {
      const { ids, read } = this.shown;
      const name = (one) => this.words.shown(one);
      const rows = [read.map(name), read.map(name), ids.map(name)][this.chosen.view];
      const columns = [ids.map(name), read.map(name), ids.map(name)][this.chosen.view];
      return { rows, columns };
    }

    show() {
      const [key, title, stack, kind] = VIEWS[this.chosen.view];
      const layers = this.shown.attention[key];
      this.maps.replaceChildren();
      layers.forEach((heads, layer) => heads.forEach((rows, head) => {
        const place = [stack, layer, kind, head].filter((part) => part !== "").join(" ");
        const off = this.switches.off.has(place);
        const pressed = this.chosen.layer === layer && this.chosen.head === head;
        const button = element("button", { type: "button", "aria-pressed": String(pressed), class: off ? "off" : "", onclick: () => { Object.assign(this.chosen, { layer, head }); this.show(); },
          "aria-label": `Layer ${layer + 1}, head ${head + 1}${off ? ", off" : ""}` }, this._map(rows, 88));
        const box = element("input", { type: "checkbox", checked: !off, "data-place": place, onchange: async (event) => {
          this.switches.off[event.target.checked ? "delete" : "add"](place);
          await this.translate();
          this.maps.querySelector(`[data-place="${place}"]`).focus();
        } });
        this.maps.append(element("div", { class: "live-map" }, button, element("label", {}, box, ` layer ${layer + 1}, head ${head + 1}`)));
      }));
      this._showDetail(layers, title);
      this._showStream();
      this._showTree();
    }

    _map(rows, size) {
      const svg = element("svg", { viewBox: `0 0 ${rows[0].length} ${rows.length}`, width: size, height: size, preserveAspectRatio: "none", "aria-hidden": "true" });
      rows.forEach((row, r) => row.forEach((weight, c) => svg.append(
        element("rect", { x: c, y: r, width: 1, height: 1, class: "cell", "fill-opacity": weight.toFixed(3) }))));
      return svg;
    }

    _showDetail(layers, title) {
      const { layer, head } = this.chosen;
      const weights = layers[layer][head];
      const { rows, columns } = this._labels();
      const later = this.chosen.view === 1 && this.switches.causal;
      const table = element("table", {}, element("caption", {}, `${title}: layer ${layer + 1}, head ${head + 1}. A row is a word that looks, a column a word that is looked at; percent.`));
      table.append(element("tr", {}, element("td"), ...columns.map((word) => element("th", { scope: "col" }, word))));
      weights.forEach((row, r) => {
        const line = element("tr", {}, element("th", { scope: "row" }, rows[r]));
        row.forEach((weight, c) => {
          const masked = later && c > r;
          const said = masked ? "masked" : String(Math.round(100 * weight));
          line.append(element("td", { class: masked ? "masked" : weight > 0.5 ? "strong" : "", style: masked ? null : `--weight: ${weight.toFixed(3)}` }, masked ? "–" : said));
        });
        table.append(line);
      });
      this.detail.replaceChildren(element("div", { class: "live-scroll", tabindex: 0, role: "region", "aria-label": "Weights of the chosen head" }, table));
    }

    _showStream() {
      const { stream } = this.shown.decoded;
      const { read } = this.shown;
      const norms = stream.map(({ x }) => read.map((_, r) => Math.hypot(...x.data.subarray(r * x.columns, (r + 1) * x.columns))));
      const largest = Math.max(...norms.flat());
      const table = element("table", {}, element("caption", {}, "Length of each word's vector after every step of the decoder"));
      table.append(element("tr", {}, element("td"), ...read.map((one) => element("th", { scope: "col" }, this.words.shown(one)))));
      norms.forEach((row, step) => table.append(element("tr", {}, element("th", { scope: "row" }, stream[step].name),
        ...row.map((norm) => element("td", { style: `--weight: ${(norm / largest).toFixed(3)}`, class: norm / largest > 0.5 ? "strong" : "" }, norm.toFixed(1))))));
      this.stream.replaceChildren(element("div", { class: "live-scroll", tabindex: 0, role: "region", "aria-label": "The residual stream of the decoder" }, table));
    }

    // A node stands under its parent, a finished one is marked, the best path is bold.
    _showTree() {
      const { tree, best } = this.shown;
      const onBest = new Set();
      for (let at = best.node; at !== null; at = tree[at].parent) onBest.add(at);
      const children = new Map(tree.map((node) => [node.id, []]));
      for (const node of tree) if (node.parent !== null) children.get(node.parent).push(node);
      const list = (node) => {
        const below = children.get(node.id);
        let dropped = 0;
        const shown = below.filter((one) => one.state !== "dropped" || onBest.has(one.id) || dropped++ < SHOWN_CANDIDATES);
        const text = `${this.words.shown(node.token)} ${node.total.toFixed(2)}${node.state === "finished" ? " finished" : ""}`;
        const item = element("li", { class: `${node.state}${onBest.has(node.id) ? " best" : ""}` }, element("span", {}, text));
        if (shown.length) item.append(element("ul", {}, ...shown.map(list)));
        return item;
      };
      this.tree.replaceChildren(element("ul", {}, list(tree[0])));
    }
  }

  live.bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;

  live.begin = async function (root) {
    try {
      const { weights, config, tokenizer } = live.shipped;
      live.page = new Page(root, { tensors: live.readTensors(live.bytes(weights)), config, tokenizer });
      await live.page.translate();
      live.page.look(SHOWN_FIRST || "text");
    } catch (error) {
      (root.querySelector(".live-start") || root).replaceChildren(element("span", { role: "alert" }, `The model cannot run in this browser (${error.message}); the recorded pictures follow.`));
    }
  };

  // The model is a megabyte: it comes when it is asked for.
  const root = typeof document === "undefined" ? null : document.getElementById("live-model");
  if (root) {
    const shipped = document.currentScript.src.replace("page.js", "shipped.js");
    const told = element("span", { class: "live-wait", role: "status" });
    const button = element("button", {
      type: "button",
      onclick: () => {
        button.disabled = true;
        told.textContent = " One moment …";
        const begin = () => live.begin(root);
        document.head.append(element("script", { src: shipped, onload: begin, onerror: begin }));
      },
    }, "Start the model in this page (1 MB)");
    root.prepend(element("p", { class: "live-start" }, button, told));
    if (SHOWN_FIRST) button.click();
  }
})((globalThis.live = globalThis.live || {}));
