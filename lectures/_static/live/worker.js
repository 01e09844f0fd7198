// Answers the page's questions in a Web Worker: arithmetic and search here, drawing there.
(function (live) {
  "use strict";

  const LONGEST = 40; // tokens of a translation
  const LIKELY = 8; // next tokens that are shown
  const SHOWN_DROPPED = 2; // candidates of a step that the beam did not keep
  const START_OF_SENTENCE = /^[\p{L}\p{N}]/u;

  const rows = ({ rows, columns, data }) =>
    Array.from({ length: rows }, (_, r) => Float32Array.from(data.subarray(r * columns, (r + 1) * columns)));

  // The likeliest tokens of log probabilities: [{token, probability}].
  function likely(words, logProbabilities, count) {
    const order = logProbabilities.map((_, token) => token).sort((a, b) => logProbabilities[b] - logProbabilities[a]);
    return order.slice(0, count).map((token) => ({ token: words.shown(token), probability: Math.exp(logProbabilities[token]) }));
  }

  // The longest stretch with which `ids` ends three times, or 0: then a search goes round in circles.
  live.loop = function (ids) {
    for (let size = Math.floor(ids.length / 3); size > 0; size--) {
      const tail = ids.slice(-3 * size);
      if (tail.every((id, i) => id === tail[i % size])) return size;
    }
    return 0;
  };

  // As all sentences of the training were: with a capital, and a mark at the end.
  live.asTrained = function (text) {
    const clean = text.trim().replace(/\s+/g, " ");
    if (!START_OF_SENTENCE.test(clean)) return clean;
    return clean[0].toUpperCase() + clean.slice(1) + (/[.?!]$/.test(clean) ? "" : ".");
  };

  // The words of a text that are not among the known ones, in lower case; `known`: Set or null.
  live.unknownWords = function (text, known) {
    const found = text.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) || [];
    return known ? [...new Set(found)].filter((word) => word !== "s" && !known.has(word)) : [];
  };

  live.Server = class {
    // One answer to each message; throws Error with a sentence for the reader.
    answer(message) {
      return this[message.ask](message);
    }

    // {layers, heads}: from now on, translations are by this model
    translator({ weights, config, tokenizer, known }) {
      const settings = config.model || {};
      const model = new live.Transformer(live.readTensors(weights), settings);
      const words = new live.Tokenizer(tokenizer);
      if (words.tokens.length > settings.vocab_size)
        throw new Error(`The tokenizer has ${words.tokens.length} tokens, the model ${settings.vocab_size}.`);
      const before = this.translating;
      this.translating = { model, words, alpha: config.measured?.length_penalty ?? 0.6, known: known ? new Set(known) : null };
      try {
        this.translate({ text: "a", width: 1, switches: live.SWITCHES, longest: 1 }); // every tensor is there
      } catch (error) {
        this.translating = before;
        throw error;
      }
      return { layers: settings.n_layers, heads: settings.n_heads, alpha: this.translating.alpha };
    }

    translate({ text, width, switches, longest = LONGEST }) {
      const { model, words, alpha, known } = this.translating;
      const used = { ...live.SWITCHES, ...switches, off: new Set(switches.off || []) };
      const sentence = known ? live.asTrained(text) : text.trim();
      const ids = words.encode(sentence);
      const encoded = model.encode(ids, used);
      const search = { start: words.start, end: words.end, width, alpha, longest, loops: live.loop };
      const { hypotheses, tree } = live.beamSearch((prefix) => model.next(prefix, encoded.memory, used), search);
      const best = hypotheses[0];
      const read = [words.start, ...best.ids];
      const decoded = model.decode(read, encoded.memory, used);
      const logits = rows(decoded.logits);
      const stream = (found) => found.map(({ name, x }) => ({ name, rows: rows(x) }));
      return {
        sentence, unknown: live.unknownWords(text, known), translation: words.decode(best.ids),
        causal: used.causal, score: best.score, finished: best.finished, looped: best.looped || false,
        source: ids.map((id) => words.shown(id)), read: read.map((id) => words.shown(id)),
        attention: { crossAttention: decoded.crossAttention, selfAttention: decoded.selfAttention, encoder: encoded.attention },
        streams: { encoder: stream(encoded.stream), decoder: stream(decoded.stream) },
        next: logits.map((row) => likely(words, live.arithmetic.logSoftmax(Array.from(row)), LIKELY)),
        tree: this._pruned(tree, best.node, words),
      };
    }

    // The nodes of the beam that are drawn; those of the best sentence say so.
    _pruned(tree, last, words) {
      const onBest = new Set();
      for (let at = last; at !== null; at = tree[at].parent) onBest.add(at);
      const dropped = new Map();
      return tree
        .filter(({ id, state, parent }) => {
          if (state !== "dropped" || onBest.has(id)) return true;
          dropped.set(parent, (dropped.get(parent) || 0) + 1);
          return dropped.get(parent) <= SHOWN_DROPPED;
        })
        .map((node) => ({ ...node, token: words.shown(node.token), best: onBest.has(node.id) }));
    }

    writer({ weights, config, tokenizer }) {
      this.writing = { model: new live.LanguageModel(live.readTensors(weights), config.model), words: new live.Tokenizer(tokenizer) };
      return {};
    }

    // The token after a text: what is likely as it is, what is left to draw from, what a place from
    // 0 to 1 draws. The end of a text is the token that it began with.
    write({ text, temperature, topK, topP, place, shown = 10 }) {
      const { model, words } = this.writing;
      const ids = text ? words.encode(text) : [];
      const logProbabilities = model.next([words.end, ...ids]);
      const left = live.samplingDistribution(logProbabilities, { temperature, topK, topP });
      const order = left.map((_, token) => token).sort((a, b) => logProbabilities[b] - logProbabilities[a]);
      const token = live.drawn(left, place);
      return {
        bars: order.slice(0, shown).map((one) => ({ token: words.shown(one), before: Math.exp(logProbabilities[one]), after: left[one] })),
        candidates: left.filter((value) => value > 0).length,
        end: token === words.end,
        text: token === words.end ? text : words.decode([...ids, token]),
      };
    }
  };

  // In a worker: questions come with a number, which the answer carries.
  if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
    const server = new live.Server();
    globalThis.onmessage = ({ data: { number, message } }) => {
      try {
        globalThis.postMessage({ number, answer: server.answer(message) });
      } catch (error) {
        globalThis.postMessage({ number, problem: error.message });
      }
    };
  }
})((globalThis.live = globalThis.live || {}));
