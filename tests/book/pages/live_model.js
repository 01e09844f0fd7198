// Runs the page's model outside a page: sentences in, all that it computed out, as JSON.
const fs = require("fs");
const [folder, scripts] = process.argv.slice(2);
for (const name of ["safetensors", "tokenizer", "transformer", "search"])
  (0, eval)(fs.readFileSync(`${scripts}/${name}.js`, "utf8"));

const bytes = fs.readFileSync(`${folder}/translation.safetensors`);
const tensors = live.readTensors(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const config = JSON.parse(fs.readFileSync(`${folder}/config.json`, "utf8"));
const words = new live.Tokenizer(JSON.parse(fs.readFileSync(`${folder}/tokenizer.json`, "utf8")));
const model = new live.Transformer(tensors, config.model);

let projections = 0; // of a memory to keys and values
const plain = model._keysAndValues;
model._keysAndValues = function (x, name) {
  projections += name.endsWith("cross_attention");
  return plain.call(this, x, name);
};

const { sentences, switches, alpha } = JSON.parse(fs.readFileSync(0, "utf8"));
const used = { ...live.SWITCHES, ...switches, off: new Set(switches.off || []) };
const search = { start: words.start, end: words.end, width: 4, alpha, longest: 40 };
const answers = sentences.map((sentence) => {
  projections = 0;
  const source = words.encode(sentence);
  const { memory, attention } = model.encode(source, used);
  const { hypotheses, tree } = live.beamSearch((ids) => model.next(ids, memory, used), search);
  const best = hypotheses[0];
  const { logits, crossAttention } = model.decode([words.start, ...best.ids], memory, used);
  return {
    source, best: best.ids, score: best.score, text: words.decode(best.ids), nodes: tree.length,
    logits: Array.from(logits.data), encoder: attention, cross: crossAttention, projections,
  };
});
console.log(JSON.stringify(answers));
