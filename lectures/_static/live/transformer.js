// The Transformer of course_lib/transformer.py, for one sentence, with everything that can be shown:
// the weights of every head and the residual stream after every sub-layer.
// A matrix is {rows, columns, data}. Weights are read as 32-bit numbers and summed as 64-bit ones.
(function (live) {
  "use strict";

  const LONGEST_WAVE = 10000; // §3.5
  const { matrix, linear, added, softmax, logSoftmax, normalized } = live.arithmetic;

  live.Transformer = class {
    // `settings`: the model's constructor arguments. Throws Error if a tensor is missing.
    constructor(tensors, settings) {
      this.tensors = tensors;
      this.ofMemory = new WeakMap(); // a memory's keys and values, the same for every prefix
      this.settings = { norm_first: false, position_scale: 1, ...settings };
      const { d_model, n_heads, n_layers, vocab_size } = this.settings;
      if (!(d_model > 0 && n_heads > 0 && n_layers > 0 && d_model % n_heads === 0))
        throw new Error("config.json gives no model: n_layers, d_model and n_heads are needed.");
      const shape = this._tensor("embedding.tokens.weight").shape;
      if (shape[0] !== vocab_size || shape[1] !== d_model)
        throw new Error(`The embeddings are ${shape.join(" × ")}, config.json says ${vocab_size} × ${d_model}.`);
    }

    _tensor(name) {
      const found = this.tensors[name];
      if (!found) throw new Error(`The file has no tensor ${name}: it is no translator of assignment 4.`);
      return found;
    }

    _linear(x, name) {
      return linear(x, this._tensor(`${name}.weight`), this._tensor(`${name}.bias`));
    }

    _normalized(x, name) {
      return normalized(x, this._tensor(`${name}.weight`), this._tensor(`${name}.bias`));
    }

    _embedded(ids, switches) {
      const { d_model, position_scale } = this.settings;
      const tokens = this._tensor("embedding.tokens.weight").data;
      const out = matrix(ids.length, d_model);
      ids.forEach((id, position) => {
        for (let i = 0; i < d_model; i++) {
          const angle = position / LONGEST_WAVE ** ((i - (i % 2)) / d_model);
          const wave = switches.positions ? position_scale * (i % 2 ? Math.cos(angle) : Math.sin(angle)) : 0;
          out.data[position * d_model + i] = tokens[id * d_model + i] * Math.sqrt(d_model) + wave;
        }
      });
      return out;
    }

    _keysAndValues(x, name) {
      return [this._linear(x, `${name}.w_k`), this._linear(x, `${name}.w_v`)];
    }

    _keysAndValuesOfMemory(memory, name) {
      if (!this.ofMemory.has(memory)) this.ofMemory.set(memory, new Map());
      const kept = this.ofMemory.get(memory);
      if (!kept.has(name)) kept.set(name, this._keysAndValues(memory, name));
      return kept.get(name);
    }

    // `place` is "encoder 0", "decoder 1 self" …; a head that is off gives zeros.
    _attention(name, place, query, [k, v], causal, switches) {
      const { d_model, n_heads } = this.settings;
      const size = d_model / n_heads;
      const q = this._linear(query, `${name}.w_q`);
      const heads = matrix(query.rows, d_model);
      const weights = [];
      for (let h = 0; h < n_heads; h++) {
        const off = switches.off.has(`${place} ${h}`);
        const rows = [];
        for (let r = 0; r < query.rows; r++) {
          const scores = [];
          for (let c = 0; c < k.rows; c++) {
            let dot = 0;
            for (let i = h * size; i < (h + 1) * size; i++) dot += q.data[r * d_model + i] * k.data[c * d_model + i];
            scores.push(causal && c > r ? -Infinity : dot / (switches.scale ? Math.sqrt(size) : 1));
          }
          const row = softmax(scores);
          rows.push(row);
          if (off) continue;
          for (let i = h * size; i < (h + 1) * size; i++) {
            let sum = 0;
            for (let c = 0; c < k.rows; c++) sum += row[c] * v.data[c * d_model + i];
            heads.data[r * d_model + i] = sum;
          }
        }
        weights.push(rows);
      }
      return { output: this._linear(heads, `${name}.w_o`), weights };
    }

    // One sub-layer in its residual connection, in the order that the model has.
    _residual(x, name, sublayer) {
      if (this.settings.norm_first) return added(x, sublayer(this._normalized(x, `${name}.norm`)));
      return this._normalized(added(x, sublayer(x)), `${name}.norm`);
    }

    _fed(x, name) {
      const inner = this._linear(x, `${name}.w_1`);
      inner.data.forEach((value, i) => (inner.data[i] = Math.max(0, value)));
      return this._linear(inner, `${name}.w_2`);
    }

    // {memory, attention: [layer][head][query][key], stream: [{name, x}]}
    encode(ids, switches = live.SWITCHES) {
      let x = this._embedded(ids, switches);
      const attention = [];
      const stream = [{ name: "embedding", x }];
      for (let layer = 0; layer < this.settings.n_layers; layer++) {
        const name = `encoder.layers.${layer}`;
        x = this._residual(x, `${name}.attention_residual`, (input) => {
          const looked = this._keysAndValues(input, `${name}.attention`);
          const found = this._attention(`${name}.attention`, `encoder ${layer}`, input, looked, false, switches);
          attention.push(found.weights);
          return found.output;
        });
        stream.push({ name: `layer ${layer} attention`, x });
        x = this._residual(x, `${name}.feed_forward_residual`, (input) => this._fed(input, `${name}.feed_forward`));
        stream.push({ name: `layer ${layer} feed-forward`, x });
      }
      if (this.settings.norm_first) x = this._normalized(x, "encoder.norm");
      return { memory: x, attention, stream };
    }

    // {logits, selfAttention, crossAttention, stream}: a row of logits for every prefix of `ids`, or
    // with `lastOnly` for the whole of it
    decode(ids, memory, switches = live.SWITCHES, lastOnly = false) {
      let x = this._embedded(ids, switches);
      const [selfAttention, crossAttention] = [[], []];
      const stream = [{ name: "embedding", x }];
      for (let layer = 0; layer < this.settings.n_layers; layer++) {
        const name = `decoder.layers.${layer}`;
        x = this._residual(x, `${name}.self_attention_residual`, (input) => {
          const place = `decoder ${layer} self`;
          const looked = this._keysAndValues(input, `${name}.self_attention`);
          const found = this._attention(`${name}.self_attention`, place, input, looked, switches.causal, switches);
          selfAttention.push(found.weights);
          return found.output;
        });
        stream.push({ name: `layer ${layer} self-attention`, x });
        x = this._residual(x, `${name}.cross_attention_residual`, (input) => {
          const place = `decoder ${layer} cross`;
          const looked = this._keysAndValuesOfMemory(memory, `${name}.cross_attention`);
          const found = this._attention(`${name}.cross_attention`, place, input, looked, false, switches);
          crossAttention.push(found.weights);
          return found.output;
        });
        stream.push({ name: `layer ${layer} cross-attention`, x });
        x = this._residual(x, `${name}.feed_forward_residual`, (input) => this._fed(input, `${name}.feed_forward`));
        stream.push({ name: `layer ${layer} feed-forward`, x });
      }
      if (this.settings.norm_first) x = this._normalized(x, "decoder.norm");
      const from = lastOnly ? x.rows - 1 : 0;
      x = { rows: x.rows - from, columns: x.columns, data: x.data.subarray(from * x.columns) };
      const logits = linear(x, this._tensor("embedding.tokens.weight"), null);
      return { logits, selfAttention, crossAttention, stream };
    }

    // The log probabilities of the token after a prefix, in nats.
    next(ids, memory, switches = live.SWITCHES) {
      return logSoftmax(Array.from(this.decode(ids, memory, switches, true).logits.data));
    }
  };

  // What a reader can switch off; `off` holds places of heads, such as "encoder 0 3".
  live.SWITCHES = Object.freeze({ scale: true, positions: true, causal: true, off: new Set() });
})((globalThis.live = globalThis.live || {}));
