// The small language model: what it would write next, and three sliders that decide what it may.
(function (live) {
  "use strict";

  const { element } = live;
  const LONGEST = 30; // tokens that are written at once
  const PAUSE = 120; // milliseconds between two of them

  live.WriterPanel = class {
    constructor(engine) {
      this.engine = engine;
      this.how = { temperature: 1, topK: 0, topP: 1 };
      const changed = (name, read = (value) => value) => (value) => { this.how[name] = read(value); this.look(); };
      this.sliders = [
        live.slider("Temperature", { min: 0.1, max: 2, step: 0.1, value: 1, said: (value) => value.toFixed(1), changed: changed("temperature") }),
        live.slider("Top-k", { min: 1, max: 51, step: 1, value: 51, said: (value) => (value > 50 ? "all tokens" : live.tokens(value)), changed: changed("topK", (value) => (value > 50 ? 0 : value)) }),
        live.slider("Top-p", { min: 0.05, max: 1, step: 0.05, value: 1, said: (value) => value.toFixed(2), changed: changed("topP") }),
      ];
      this.input = element("input", { id: "live-prompt", type: "text", maxlength: 300, autocomplete: "off", spellcheck: "false", value: "The king", oninput: () => { this.first = null; this.look(); } });
      const button = (text, action) => element("button", { type: "button", onclick: action }, text);
      this.bars = element("ol", { class: "live-bars live-writer-bars" });
      this.told = element("p", { class: "live-told" });
      this.problem = element("p", { role: "status" });
      this.runner = button("Write on", () => this.run(!this.running));
      this.whole = element("div", { class: "live-writer" },
        element("p", {}, element("label", { for: "live-prompt" }, "It goes on after "), this.input),
        element("div", { class: "live-sliders" }, ...this.sliders.map((slider) => slider.whole)),
        this.told, this.bars,
        element("p", { class: "live-buttons" }, button("One token", () => this.word()), " ", this.runner, " ", button("Begin again", () => { this.run(false); this.input.value = this.first || "The king"; this.look(); })),
        this.problem);
    }

    _ask(place) {
      return this.engine.ask({ ask: "write", text: this.input.value, place, ...this.how });
    }

    // Shows what may come next; of questions asked in a hurry only the last one is answered.
    async look() {
      const turn = (this.turn = {});
      await new Promise((done) => requestAnimationFrame(done));
      if (turn !== this.turn) return;
      const answer = await this._ask(0.5);
      if (turn === this.turn) this._show(answer);
    }

    _show({ bars, candidates }) {
      this.told.textContent = `${candidates === 1 ? "One token is" : `${candidates} tokens are`} left to draw from. Pale: what the model says; full: what is drawn from.`;
      while (this.bars.children.length < bars.length)
        this.bars.append(element("li", {}, element("span", { class: "live-bar-word" }), element("span", { class: "live-bar-room", "aria-hidden": "true" }, element("span", { class: "live-bar before" }), element("span", { class: "live-bar" })), element("span", { class: "live-bar-share" })));
      bars.forEach(({ token, before, after }, place) => {
        const [word, room, share] = this.bars.children[place].children;
        word.textContent = live.word(token);
        room.children[0].style.transform = `scaleX(${before})`;
        room.children[1].style.transform = `scaleX(${after})`;
        share.textContent = live.percent(after);
      });
    }

    async word() {
      if (!this.first) this.first = this.input.value;
      const answer = await this._ask(Math.random());
      this.problem.textContent = answer.end ? "It ended the text." : "";
      this.input.value = answer.text;
      await this.look();
      return !answer.end;
    }

    async run(on) {
      this.running = on;
      this.runner.textContent = on ? "Stop" : "Write on";
      for (let count = 0; this.running && count < LONGEST; count++) {
        if (!(await this.word())) break;
        await new Promise((done) => setTimeout(done, live.still() ? 0 : PAUSE));
      }
      if (on) this.run(false);
    }
  };
})((globalThis.live = globalThis.live || {}));
