// Asks the Web Worker. Its script comes as text, because a page from a disk may load no other.
(function (live) {
  "use strict";

  live.Engine = class {
    constructor(script) {
      this.asked = new Map();
      this.count = 0;
      try {
        const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
        this.worker = new Worker(address);
        this.worker.onmessage = ({ data }) => this._answered(data);
        this.worker.onerror = (event) => this._broken(event.message);
      } catch {
        document.head.append(live.element("script", {}, script)); // no workers: it runs in the page
        this.server = new live.Server();
      }
    }

    // A promise of the answer to {ask: "translate", …}.
    ask(message) {
      if (this.server) return new Promise((done) => setTimeout(done)).then(() => this.server.answer(message));
      return new Promise((done, failed) => {
        this.asked.set(++this.count, { done, failed });
        this.worker.postMessage({ number: this.count, message });
      });
    }

    _answered({ number, answer, problem }) {
      const { done, failed } = this.asked.get(number);
      this.asked.delete(number);
      if (problem === undefined) done(answer);
      else failed(new Error(problem));
    }

    _broken(reason) {
      for (const { failed } of this.asked.values()) failed(new Error(reason || "the worker stopped"));
      this.asked.clear();
    }
  };
})((globalThis.live = globalThis.live || {}));
