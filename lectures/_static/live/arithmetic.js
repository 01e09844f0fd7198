// What both models compute with. A matrix is {rows, columns, data}. Weights are read as 32-bit
// numbers and summed as 64-bit ones.
(function (live) {
  "use strict";

  const EPSILON = 1e-6; // of layer normalization, as in course_lib/normalization.py

  const matrix = (rows, columns) => ({ rows, columns, data: new Float64Array(rows * columns) });

  // x W^T + b, as torch's Linear
  function linear(x, weight, bias) {
    const [n, m] = weight.shape;
    const out = matrix(x.rows, n);
    for (let r = 0; r < x.rows; r++)
      for (let j = 0; j < n; j++) {
        let sum = bias ? bias.data[j] : 0;
        for (let i = 0; i < m; i++) sum += x.data[r * m + i] * weight.data[j * m + i];
        out.data[r * n + j] = sum;
      }
    return out;
  }

  function added(x, y) {
    const out = matrix(x.rows, x.columns);
    for (let i = 0; i < out.data.length; i++) out.data[i] = x.data[i] + y.data[i];
    return out;
  }

  function softmax(scores) {
    const largest = Math.max(...scores);
    if (largest === -Infinity) return scores.map(() => 0); // nothing may be attended to
    const powers = scores.map((score) => Math.exp(score - largest));
    const sum = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / sum);
  }

  function logSoftmax(scores) {
    const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
    const sum = scores.reduce((a, b) => a + Math.exp(b - largest), 0);
    return scores.map((score) => score - largest - Math.log(sum));
  }

  // Layer normalization of every row.
  function normalized(x, weight, bias) {
    const out = matrix(x.rows, x.columns);
    for (let r = 0; r < x.rows; r++) {
      const row = x.data.subarray(r * x.columns, (r + 1) * x.columns);
      const mean = row.reduce((a, b) => a + b, 0) / x.columns;
      const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / x.columns;
      const scale = 1 / Math.sqrt(variance + EPSILON);
      for (let i = 0; i < x.columns; i++)
        out.data[r * x.columns + i] = weight.data[i] * (row[i] - mean) * scale + bias.data[i];
    }
    return out;
  }

  live.arithmetic = { matrix, linear, added, softmax, logSoftmax, normalized };
})((globalThis.live = globalThis.live || {}));
