// Beam search as course_lib/decoding/search.py does it, for one sentence, keeping the whole tree.
(function (live) {
  "use strict";

  const factor = (length, alpha) => ((5 + length) / 6) ** alpha; // §6.1; Wu et al. 2016, Eq. 14

  // The `count` likeliest continuations of a beam, the best first: [{prefix, token, total}].
  function continuations(beam, next, count) {
    const best = [];
    for (const prefix of beam)
      next(prefix.ids).forEach((value, token) => {
        const total = prefix.total + value;
        if (best.length === count && total <= best[count - 1].total) return;
        let place = best.length;
        while (place > 0 && best[place - 1].total < total) place--;
        best.splice(place, 0, { prefix, token, total });
        if (best.length > count) best.pop();
      });
    return best;
  }

  // {hypotheses: [{ids, score, finished}], tree: [{id, parent, token, total, state}]}
  // `next(ids)` gives log probabilities. A node's state is "kept", "finished" or "dropped". With
  // `loops(ids)`, how many tokens a prefix repeats at its end, the search stops once its best does.
  live.beamSearch = function (next, { start, end, width, alpha, longest, loops = () => 0 }) {
    const tree = [{ id: 0, parent: null, token: start, total: 0, state: "kept" }];
    const found = [];
    let beam = [{ ids: [start], total: 0, node: 0 }];
    for (let length = 0; length < longest && beam.length; length++) {
      const best = continuations(beam, next, 2 * width);
      const kept = [];
      best.forEach((candidate, place) => {
        const { prefix, token, total } = candidate;
        const node = { id: tree.length, parent: prefix.node, token, total, state: "dropped" };
        if (token === end) {
          if (place >= width) return;
          node.state = "finished";
          const ids = prefix.ids.slice(1);
          found.push({ ids, score: total / factor(length, alpha), finished: true, node: node.id });
        } else if (kept.length < width) {
          node.state = "kept";
          kept.push({ ids: [...prefix.ids, token], total, node: node.id });
        }
        tree.push(node);
      });
      beam = kept;
      if (!beam.length || loops(beam[0].ids)) break;
      const bound = beam[0].total / factor(longest - 1, alpha);
      const top = Math.max(...found.map((one) => one.score));
      if (found.length >= width || (found.length && top >= bound)) beam = [];
    }
    for (const { ids, total, node } of beam) {
      const looped = loops(ids) > 0;
      const cut = looped ? ids.slice(0, -2 * loops(ids)) : ids; // what it repeats stays once
      found.push({ ids: cut.slice(1), score: total / factor(ids.length - 1, alpha), finished: false, looped, node });
    }
    found.sort((a, b) => b.finished - a.finished || b.score - a.score);
    return { hypotheses: found, tree };
  };
})((globalThis.live = globalThis.live || {}));
