// The way of a sentence through the model, as a list of stages: what changes, and what is looked at.
(function (live) {
  "use strict";

  // [{lane, row, step, name, looks: {lane, layer, kind} | null}]: encoder first, then, word by word,
  // the decoder. `lane` is "source" or "target"; `row` -1 stands for all words of the lane.
  live.stages = function (result) {
    const found = [];
    const encoder = result.streams.encoder;
    encoder.forEach(({ name }, step) => {
      const looks = name.endsWith("attention") ? { lane: "source", layer: layer(name), kind: "encoder" } : null;
      found.push({ lane: "source", row: -1, step, name: `Encoder, ${name}`, looks });
    });
    const written = result.read.length - (result.finished ? 0 : 1);
    for (let row = 0; row < written; row++) {
      result.streams.decoder.forEach(({ name }, step) => {
        const cross = name.includes("cross");
        const looks = name.endsWith("attention")
          ? { lane: cross ? "source" : "target", layer: layer(name), kind: cross ? "crossAttention" : "selfAttention" }
          : null;
        found.push({ lane: "target", row, step, name: `After “${live.word(result.read[row])}”, ${name}`, looks });
      });
      found.push({ lane: "target", row, step: result.streams.decoder.length - 1, chosen: true, looks: null,
        name: `After “${live.word(result.read[row])}”, the next word: “${live.word(result.read[row + 1] || "[SEP]")}”` });
    }
    return found;
  };

  const layer = (name) => Number(name.match(/\d+/)[0]);

  // One row of weights, the mean of the heads, or that of one head: {layer, head} or null for all.
  live.weightsOf = function (layers, row, chosen) {
    const heads = chosen ? [layers[chosen.layer][chosen.head]] : layers.flat();
    return heads[0][row].map((_, column) => heads.reduce((sum, head) => sum + head[row][column], 0) / heads.length);
  };
})((globalThis.live = globalThis.live || {}));
