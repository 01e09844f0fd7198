// Byte-pair encoding as the course's reversible tokenizer does it (course_lib/data/tokenization.py).
(function (live) {
  "use strict";

  const WORD_START = "▁";
  const WORD = "\\p{L}\\p{M}\\p{N}\\p{Pc}";
  // The same pieces as REVERSIBLE_PIECES; JavaScript's \w knows only ASCII letters.
  const PIECES = new RegExp(
    `${WORD_START}?(?:[qQ][uU]|[cdjlmnstCDJLMNST])'(?=[${WORD}])` +
      `|'(?:s|re|ve|ll|m|d|t)(?![${WORD}])` +
      `|${WORD_START}?[${WORD}]+|${WORD_START}?[^${WORD}${WORD_START}]|${WORD_START}`,
    "gu",
  );

  live.Tokenizer = class {
    // `settings`: the parsed tokenizer.json. Throws Error for another kind of tokenizer.
    constructor(settings) {
      const model = settings && settings.model;
      if (!model || model.type !== "BPE" || !model.merges)
        throw new Error("The tokenizer is not the byte-pair tokenizer of assignment 4.");
      this.ids = new Map(Object.entries(model.vocab));
      this.tokens = [];
      for (const [token, id] of this.ids) this.tokens[id] = token;
      const pair = (merge) => (typeof merge === "string" ? merge : merge.join(" "));
      this.ranks = new Map(model.merges.map((merge, rank) => [pair(merge), rank]));
      this.unknown = this.ids.get(model.unk_token);
      this.start = this.ids.get("[CLS]");
      this.end = this.ids.get("[SEP]");
    }

    encode(text) {
      const normal = WORD_START + text.normalize("NFC").replaceAll(" ", WORD_START);
      const ids = text === "" ? [] : (normal.match(PIECES) || []).flatMap((piece) => this._merged(piece));
      return ids.length ? ids : [this.unknown];
    }

    // The ids of one piece: the pair that was learned first is merged first.
    _merged(piece) {
      let parts = Array.from(piece);
      for (;;) {
        let best = Infinity;
        let at = -1;
        for (let i = 0; i + 1 < parts.length; i++) {
          const rank = this.ranks.get(`${parts[i]} ${parts[i + 1]}`);
          if (rank !== undefined && rank < best) [best, at] = [rank, i];
        }
        if (at < 0) break;
        const pair = [parts[at], parts[at + 1]];
        const merged = [];
        for (let i = 0; i < parts.length; i++) {
          if (parts[i] === pair[0] && parts[i + 1] === pair[1]) {
            merged.push(pair[0] + pair[1]);
            i++;
          } else merged.push(parts[i]);
        }
        parts = merged;
      }
      const ids = [];
      for (const part of parts) {
        const id = this.ids.has(part) ? this.ids.get(part) : this.unknown;
        if (id !== this.unknown || ids[ids.length - 1] !== id) ids.push(id); // unknown ones are one
      }
      return ids;
    }

    decode(ids) {
      const text = ids.filter((id) => id > 4).map((id) => this.tokens[id]).join("");
      return text.replaceAll(WORD_START, " ").replace(/^ /, "");
    }

    // A token as it is shown: with a visible space.
    shown(id) {
      return this.tokens[id].replaceAll(WORD_START, "␣");
    }
  };
})((globalThis.live = globalThis.live || {}));
