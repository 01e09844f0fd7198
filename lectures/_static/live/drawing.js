// Draws a moment of the flow on its canvas: `part`, from 0 to 1, of the way into its stage.
(function (live) {
  "use strict";

  const eased = (part) => part * part * (3 - 2 * part);
  const css = ([r, g, b], alpha) => `rgba(${r}, ${g}, ${b}, ${alpha})`;

  live.draw = function (flow, part, { HEIGHT, SEEN }) {
    const { place, colors, stages, at, result } = flow;
    const pen = flow.canvas.getContext("2d");
    pen.setTransform(place.ratio, 0, 0, place.ratio, 0, 0);
    pen.clearRect(0, 0, place.width, place.height);
    const stage = stages[at];
    vectors(pen, flow, "source", sourceRows(result, stage, eased(part)), HEIGHT);
    if (stage.lane === "target") vectors(pen, flow, "target", targetRows(result, stage, eased(part)), HEIGHT);
    if (flow.looked) {
      for (const arc of flow.arcs(flow.looked)) curve(pen, place, arc.from, arc.to, css(colors.heads[0], 0.25 + 0.75 * arc.weight), 1 + 4 * arc.weight, 1);
    } else if (stage.looks) {
      looks(pen, flow, stage, part, SEEN);
    } else if (at === stages.length - 1) {
      aligned(pen, flow);
    }
  };

  // At the end: what every word was written looking at.
  function aligned(pen, flow) {
    for (let row = 1; row < flow.result.read.length; row++)
      for (const { from, to, weight, kind } of flow.arcs({ lane: "target", row }))
        if (kind === "crossAttention") curve(pen, flow.place, from, to, css(flow.colors.heads[0], 0.6 * weight), 1 + 3 * weight, 1);
  }

  const mixed = (from, to, part) => to.map((value, i) => from[i] + (value - from[i]) * part);
  const zeros = (rows) => rows.map((row) => row.map(() => 0));

  function sourceRows({ streams: { encoder } }, stage, part) {
    if (stage.lane !== "source") return encoder[encoder.length - 1].rows;
    const before = stage.step ? encoder[stage.step - 1].rows : zeros(encoder[0].rows);
    return encoder[stage.step].rows.map((row, r) => mixed(before[r], row, part));
  }

  // Words already written have their last vectors; the one at work moves on.
  function targetRows({ streams: { decoder } }, stage, part) {
    const last = decoder[decoder.length - 1].rows;
    const rows = last.slice(0, stage.row);
    const now = decoder[stage.step].rows[stage.row];
    const before = stage.step ? decoder[stage.step - 1].rows[stage.row] : now.map(() => 0);
    return [...rows, stage.chosen ? now : mixed(before, now, part)];
  }

  // Vectors are painted small and drawn enlarged: a few calls a frame.
  function vectors(pen, { place, colors }, lane, rows, HEIGHT) {
    if (!rows.length) return;
    const sheet = (place.sheet ||= document.createElement("canvas"));
    const high = live.paint(sheet, rows, colors);
    pen.imageSmoothingEnabled = false;
    rows.forEach((_, r) => pen.drawImage(sheet, 0, r * high, sheet.width, high, place.strip[lane], place.rows[lane][r] - HEIGHT / 2, place.wide, HEIGHT));
  }

  // All arcs of an attention, a color a head, with dots that travel from what is looked at.
  function looks(pen, { place, colors, result }, { row, looks: { lane, layer, kind }, lane: own }, part, SEEN) {
    result.attention[kind][layer].forEach((weights, head) => {
      const color = colors.heads[head % colors.heads.length];
      const from = row < 0 ? weights.map((_, r) => r) : [row];
      for (const r of from)
        weights[r].forEach((weight, column) => {
          if (weight < 2 * SEEN) return;
          const ends = [{ lane: own, row: r }, { lane, row: column }];
          const path = curve(pen, place, ...ends, css(color, (0.15 + 0.6 * weight) * Math.min(1, 3 * part)), 1 + 3 * weight, head ? 1.25 : 1);
          if (part < 1) dot(pen, path, 1 - part, css(color, 0.9), 1.5 + 2.5 * weight);
        });
    });
  }

  // Between the lanes an S, within a lane a bow outside of its words; returns its four points.
  function curve(pen, place, from, to, color, width, bend) {
    const [y1, y2] = [place.rows[from.lane][from.row], place.rows[to.lane][to.row]];
    let points;
    if (from.lane === to.lane) {
      const side = from.lane === "source" ? -1 : 1;
      const x = place.edge[from.lane];
      const out = x + side * bend * Math.min(26, 6 + 2.2 * Math.sqrt(Math.abs(y2 - y1)));
      points = y1 === y2 ? [x, y1 - 4, out, y1 - 9, out, y1 + 9, x, y1 + 4] : [x, y1, out, y1, out, y2, x, y2];
    } else {
      const [x1, x2] = [from, to].map(({ lane }) => (lane === "source" ? place.strip.source + place.wide + 2 : place.strip.target - 2));
      const middle = (x1 + x2) / 2;
      points = [x1, y1, middle, y1, middle, y2, x2, y2];
    }
    pen.beginPath();
    pen.moveTo(points[0], points[1]);
    pen.bezierCurveTo(...points.slice(2));
    [pen.strokeStyle, pen.lineWidth] = [color, width];
    pen.stroke();
    return points;
  }

  function dot(pen, p, t, color, radius) {
    const at = (i) => (1 - t) ** 3 * p[i] + 3 * (1 - t) ** 2 * t * p[i + 2] + 3 * (1 - t) * t ** 2 * p[i + 4] + t ** 3 * p[i + 6];
    pen.beginPath();
    pen.arc(at(0), at(1), radius, 0, 2 * Math.PI);
    pen.fillStyle = color;
    pen.fill();
  }
})((globalThis.live = globalThis.live || {}));
