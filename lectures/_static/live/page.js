// The page around the models: the sentence, the switches, and the pieces that show what is computed.
(function (live) {
  "use strict";

  const { element } = live;
  const SHOWN_FIRST = typeof location === "undefined" ? null : new URLSearchParams(location.search).get("show");
  const SWITCHES = [["scale", "divide the scores by √dₖ"], ["positions", "add the positions"], ["causal", "hide later words from the decoder"]];
  const WIDTH = 4; // of the beam
  const id = (name) => `live-${name}`;

  class Page {
    constructor(root, shipped) {
      this.root = root;
      this.shipped = shipped;
      this.engine = new live.Engine(shipped.worker);
      this.switches = { scale: true, positions: true, causal: true };
      this.flow = new live.Flow((row) => this._row(row));
      this.bars = new live.Bars();
      this.beam = new live.Beam();
      this.stream = new live.Stream();
      this.heads = new live.Heads(shipped.claims, () => this.translate(), (head) => { this.flow.head = head; this.flow._looked(); });
      this.writer = new live.WriterPanel(this.engine);
      this._build();
    }

    // Both models of the page are read; then the first sentence is translated.
    async start() {
      const { translator, language, words } = this.shipped;
      await this.engine.ask({ ask: "translator", ...parts(translator), known: words });
      await this.translate();
      await this.engine.ask({ ask: "writer", ...parts(language) });
      await this.writer.look();
    }

    _build() {
      const given = this.root.dataset;
      this.input = element("input", { id: id("text"), type: "text", maxlength: 160, autocomplete: "off", spellcheck: "false", value: given.sentence });
      this.examples = element("select", { id: id("example"), onchange: () => this.examples.value && this.try(this.examples.value) }, element("option", { value: "" }, "choose"),
        ...JSON.parse(given.examples).map((sentence) => element("option", {}, sentence)));
      this.width = element("select", { id: id("width"), onchange: () => this.translate() }, ...[1, 2, 3, 4, 5, 6].map((width) => element("option", { value: width, selected: width === WIDTH }, String(width))));
      const form = element("form", { class: "live-form", onsubmit: (event) => { event.preventDefault(); this.translate(); } },
        element("div", {}, element("label", { for: id("text") }, "English sentence "), this.input, " ", element("button", { type: "submit" }, "Translate")),
        element("div", {}, element("label", { for: id("example") }, "Example "), this.examples, " ", element("span", { class: "live-together" }, element("label", { for: id("width") }, "Beam width "), this.width)));
      const switches = element("fieldset", { class: "live-switches" }, element("legend", {}, "Switch something off, and see what breaks"),
        ...SWITCHES.map(([name, text]) => element("label", {}, element("input", { id: id(name), type: "checkbox", checked: true, onchange: (event) => { this.switches[name] = event.target.checked; this.translate(); } }), ` ${text}`)),
        element("button", { type: "button", onclick: () => this.allOn() }, "Everything on"));
      this.result = element("p", { class: "live-result", role: "status" });
      this.warning = element("p", { class: "live-warning" });
      const known = element("details", { class: "live-known" }, element("summary", {}, `The ${this.shipped.words.length} words it knows`), element("p", {}, this.shipped.words.join(", ")));
      this.problem = element("p", { class: "live-problem", role: "alert" });
      const files = element("input", { id: id("files"), type: "file", multiple: true, accept: ".safetensors,.json", onchange: (event) => this._load(event.target.files) });
      const own = element("div", { class: "live-own" }, element("label", { for: id("files") }, "Choose translation.safetensors, config.json and tokenizer.json of your submission folder. They stay in this browser. "), files, this.problem);
      const part = (title, ...children) => element("section", {}, element("h2", {}, title), ...children);
      this.root.replaceChildren(form, switches, this.result, this.warning, known,
        element("section", { "aria-label": "The sentence on its way" }, this.flow.whole, this.bars.whole),
        part("Every head of every layer", this.heads.whole),
        part("The residual stream", this.stream.whole),
        part("The beam", this.beam.whole), part("A language model beside it", element("p", {}, "It read English sentences of a grammar and knows nothing of French. It has no encoder: every word comes from those before it."), this.writer.whole),
        part("Your own translator", own));
    }

    // live.html?show=beam: another page says what to look at.
    look(name) {
      const place = document.getElementById(id(name));
      if (!place) return;
      if (place.type === "radio") place.click();
      const reached = place.matches("[tabindex], input") ? place : place.querySelector("[tabindex]") || place;
      reached.focus({ preventScroll: true });
      place.scrollIntoView({ block: place.matches("input") ? "center" : "start" });
    }

    // A sentence, perhaps with one thing switched off: a switch's name, "beam" or a head's place.
    try(sentence, off = "") {
      this.input.value = sentence;
      this.width.value = off === "beam" ? 1 : WIDTH;
      this.heads.off.clear();
      for (const [name] of SWITCHES) this._set(name, name !== off);
      if (off && off !== "beam" && !(off in this.switches)) this.heads.off.add(off);
      return this.translate();
    }

    allOn() {
      return this.try(this.input.value);
    }

    _set(name, on) {
      this.switches[name] = document.getElementById(id(name)).checked = on;
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
        await this.use({ config: await json("config.json"), tokenizer: await json("tokenizer.json"), weights: await find("translation.safetensors").arrayBuffer() });
        this.problem.textContent = "Loaded. The page now shows your model.";
      } catch (error) { this.problem.textContent = error.message; }
    }

    // Another translator, of which no words and no claims are known.
    async use(own) {
      await this.engine.ask({ ask: "translator", ...own });
      this.heads.claims = null;
      this.heads.off.clear();
      await this.translate();
    }

    async translate() {
      const turn = (this.turn = {});
      this.result.textContent = "computing …";
      const switches = { ...this.switches, off: [...this.heads.off] };
      try {
        const answer = await this.engine.ask({ ask: "translate", text: this.input.value, width: Number(this.width.value), switches });
        if (turn === this.turn) this._show(answer);
      } catch (error) { this.result.textContent = error.message; }
    }

    _show(answer) {
      this.shown = answer;
      this.row = null;
      const { translation, score, read, finished, looped, unknown, sentence } = answer;
      const end = looped ? ", cut off where it began to repeat itself" : finished ? "" : ", cut off";
      this.result.replaceChildren(element("strong", { lang: "fr" }, translation || "(nothing)"), element("small", {}, ` score ${live.signed(score)}, ${live.tokens(read.length - 1)}${end}`));
      const said = [];
      if (unknown.length) said.push(`It never learned ${unknown.map((word) => `“${word}”`).join(", ")}, so do not believe what it makes of ${unknown.length > 1 ? "them" : "it"}.`);
      if (sentence !== this.input.value.trim()) said.push(`Read as “${sentence}”, since every sentence it learned had a capital and a mark.`);
      this.warning.textContent = said.join(" ");
      this.beam.show(answer);
      this.heads.show(answer);
      this.stream.show(answer);
      this.flow.show(answer);
    }

    // Row -1: the encoder is at work.
    _row(row) {
      if (row === this.row) return;
      this.row = row;
      if (row < 0) this.bars.show("Nothing is written yet: the encoder reads.", []);
      else this.bars.showRow(this.shown, row);
      this.beam.upTo(row);
    }
  }

  const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
  const parts = ({ weights, config, tokenizer }) => ({ weights: bytes(weights), config, tokenizer });

  live.begin = async function (root) {
    try {
      live.page = new Page(root, live.shipped);
      await live.page.start();
    } catch (error) {
      root.replaceChildren(element("p", { role: "alert" }, `The model cannot run in this browser (${error.message}).`));
    }
  };

  // The models start when they are on the screen; where data is to be saved, when they are asked for.
  const root = typeof document === "undefined" ? null : document.getElementById("live-model");
  if (root) {
    const shipped = document.currentScript.src.replace("page.js", "shipped.js");
    const told = element("span", { class: "live-wait", role: "status" });
    let started = null;
    const start = () => (started ||= new Promise((done) => {
      button.disabled = true;
      told.textContent = " One moment …";
      const begin = () => done(live.begin(root));
      document.head.append(element("script", { src: shipped, onload: begin, onerror: begin }));
    }));
    const button = element("button", { type: "button", onclick: async () => { await start(); live.page.look("text"); } }, `Start the models in this page (${root.dataset.size})`);
    root.prepend(element("p", { class: "live-start" }, button, told));
    for (const link of document.querySelectorAll("button.live-try")) {
      link.disabled = false;
      link.addEventListener("click", async () => {
        await start();
        live.page.try(link.dataset.sentence, link.dataset.off);
        root.scrollIntoView();
      });
    }
    const onScreen = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) start(); });
    if (!navigator.connection?.saveData) onScreen.observe(root);
    if (SHOWN_FIRST) start().then(() => live.page.look(SHOWN_FIRST));
  }
})((globalThis.live = globalThis.live || {}));
