// The language model of course_lib/families/language_model.py with rotary positions, for one text,
// and the distribution that course_lib/decoding/sampling.py draws from.
(function (live) {
  "use strict";

  const { matrix, linear, added, softmax, logSoftmax, normalized } = live.arithmetic;
  const SLOWEST = 10000; // of the frequencies of rotary positions

  // GPT-2's GELU, by tanh
  const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

  live.LanguageModel = class {
    // Throws Error if a tensor is missing, or positions are of another kind.
    constructor(tensors, settings) {
      [this.tensors, this.settings] = [tensors, settings];
      if (settings.positions !== "rotary") throw new Error("The page reads models with rotary positions.");
      this._tensor("tokens.weight");
    }

    _tensor(name) {
      const found = this.tensors[name];
      if (!found) throw new Error(`The file has no tensor ${name}: it is no language model.`);
      return found;
    }

    _linear(x, name) {
      return linear(x, this._tensor(`${name}.weight`), this._tensor(`${name}.bias`));
    }

    _normalized(x, name) {
      return normalized(x, this._tensor(`${name}.weight`), this._tensor(`${name}.bias`));
    }

    // Turns every head's pairs of features (i, i + d_k / 2) by their position, in place.
    _turned(x) {
      const size = this.settings.d_model / this.settings.n_heads;
      const half = size / 2;
      for (let r = 0; r < x.rows; r++)
        for (let at = r * x.columns; at < (r + 1) * x.columns; at += size)
          for (let i = 0; i < half; i++) {
            const angle = r * SLOWEST ** (-i / half);
            const [a, b] = [x.data[at + i], x.data[at + half + i]];
            x.data[at + i] = a * Math.cos(angle) - b * Math.sin(angle);
            x.data[at + half + i] = b * Math.cos(angle) + a * Math.sin(angle);
          }
      return x;
    }

    _attention(x, name) {
      const { d_model, n_heads } = this.settings;
      const size = d_model / n_heads;
      const q = this._turned(this._linear(x, `${name}.w_q`));
      const k = this._turned(this._linear(x, `${name}.w_k`));
      const v = this._linear(x, `${name}.w_v`);
      const heads = matrix(x.rows, d_model);
      for (let first = 0; first < d_model; first += size)
        for (let r = 0; r < x.rows; r++) {
          const scores = [];
          for (let c = 0; c <= r; c++) {
            let dot = 0;
            for (let i = first; i < first + size; i++) dot += q.data[r * d_model + i] * k.data[c * d_model + i];
            scores.push(dot / Math.sqrt(size));
          }
          softmax(scores).forEach((weight, c) => {
            for (let i = first; i < first + size; i++) heads.data[r * d_model + i] += weight * v.data[c * d_model + i];
          });
        }
      return this._linear(heads, `${name}.w_o`);
    }

    // A row of logits for the token after every prefix of `ids`; the norm comes first.
    logits(ids) {
      const { d_model, n_layers } = this.settings;
      const tokens = this._tensor("tokens.weight");
      let x = matrix(ids.length, d_model);
      ids.forEach((id, r) => x.data.set(tokens.data.subarray(id * d_model, (id + 1) * d_model), r * d_model));
      for (let layer = 0; layer < n_layers; layer++) {
        const name = `blocks.${layer}`;
        x = added(x, this._attention(this._normalized(x, `${name}.attention_residual.norm`), `${name}.attention`));
        const inner = this._linear(this._normalized(x, `${name}.feed_forward_residual.norm`), `${name}.feed_forward.w_1`);
        inner.data = inner.data.map(gelu);
        x = added(x, this._linear(inner, `${name}.feed_forward.w_2`));
      }
      return linear(this._normalized(x, "norm"), tokens, null);
    }

    // The log probabilities of the token after `ids`, in nats.
    next(ids) {
      const { data, columns } = this.logits(ids);
      return logSoftmax(Array.from(data.subarray(data.length - columns)));
    }
  };

  // `sampling_distribution`: temperature, then top-k, then top-p. `topK` 0: all.
  live.samplingDistribution = function (logProbabilities, { temperature, topK, topP }) {
    const order = logProbabilities.map((_, token) => token).sort((a, b) => logProbabilities[b] - logProbabilities[a]);
    const kept = topK ? order.slice(0, topK) : order;
    const ordered = softmax(kept.map((token) => logProbabilities[token] / temperature));
    const found = logProbabilities.map(() => 0);
    let before = 0; // of all more likely tokens
    let sum = 0;
    for (let i = 0; i < kept.length && (i === 0 || topP >= 1 || before < topP); i++) {
      found[kept[i]] = ordered[i];
      before += ordered[i];
      sum += ordered[i];
    }
    return found.map((probability) => probability / sum);
  };

  // The token at a place from 0 to 1 of the distribution.
  live.drawn = function (distribution, place) {
    let passed = 0;
    for (let token = 0; token < distribution.length; token++) {
      passed += distribution[token];
      if (place < passed) return token;
    }
    return distribution.reduce((best, value, token) => (value > distribution[best] ? token : best), 0);
  };
})((globalThis.live = globalThis.live || {}));
