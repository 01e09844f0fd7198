// Runs the page's models outside a page: questions in, all that they computed out, as JSON.
const fs = require("fs");
const [folder, scripts] = process.argv.slice(2);
for (const name of ["arithmetic", "safetensors", "tokenizer", "transformer", "search", "language", "worker"])
  (0, eval)(fs.readFileSync(`${scripts}/${name}.js`, "utf8"));

const json = (path) => JSON.parse(fs.readFileSync(path, "utf8"));
const parts = (place, weights) => {
  const bytes = fs.readFileSync(`${place}/${weights}`);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return { weights: buffer, config: json(`${place}/config.json`), tokenizer: json(`${place}/tokenizer.json`) };
};

// Every sentence by the model itself, with all of its numbers.
function computed({ sentences, switches, alpha }) {
  const { weights, config, tokenizer } = parts(folder, "translation.safetensors");
  const words = new live.Tokenizer(tokenizer);
  const model = new live.Transformer(live.readTensors(weights), config.model);
  let projections = 0; // of a memory to keys and values
  const plain = model._keysAndValues;
  model._keysAndValues = function (x, name) {
    projections += name.endsWith("cross_attention");
    return plain.call(this, x, name);
  };
  const used = { ...live.SWITCHES, ...switches, off: new Set(switches.off || []) };
  const search = { start: words.start, end: words.end, width: 4, alpha, longest: 40 };
  return sentences.map((sentence) => {
    projections = 0;
    const source = words.encode(sentence);
    const { memory, attention } = model.encode(source, used);
    const { hypotheses, tree } = live.beamSearch((ids) => model.next(ids, memory, used), search);
    const best = hypotheses[0];
    const { logits, crossAttention, selfAttention } = model.decode([words.start, ...best.ids], memory, used);
    return {
      source, best: best.ids, score: best.score, text: words.decode(best.ids), nodes: tree.length,
      logits: Array.from(logits.data), encoder: attention, cross: crossAttention, self: selfAttention, projections,
    };
  });
}

// What the worker answers to the page's messages.
function answered(messages) {
  const server = new live.Server();
  server.translator({ ...parts(folder, "translation.safetensors"), known: json(`${folder}/words.json`) });
  server.writer(parts(`${folder}/language`, "language_model.safetensors"));
  return messages.map((message) => server.answer(message));
}

// Logits of the language model, and distributions of its sampling.
function language({ texts, how }) {
  const { weights, config, tokenizer } = parts(`${folder}/language`, "language_model.safetensors");
  const words = new live.Tokenizer(tokenizer);
  const model = new live.LanguageModel(live.readTensors(weights), config.model);
  return texts.map((text) => {
    const ids = [words.end, ...words.encode(text)];
    return { ids, logits: Array.from(model.logits(ids).data), drawn: how.map((one) => live.samplingDistribution(model.next(ids), one)) };
  });
}

const given = JSON.parse(fs.readFileSync(0, "utf8"));
const found = { computed: () => computed(given), answered: () => answered(given.messages), language: () => language(given) };
console.log(JSON.stringify(found[given.ask]()));
