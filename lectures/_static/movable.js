// Movable figures: a slider or a list for each control, and the frame that belongs to its setting.
// The frames are in the page (see book/movable); nothing is computed or animated here.
(() => {
  "use strict";

  const slider = (control, changed) => {
    const input = document.createElement("input");
    const shown = document.createElement("output");
    Object.assign(input, { type: "range", min: 0, max: control.values.length - 1, step: 1 });
    input.value = control.start;
    const say = () => {
      shown.textContent = control.values[input.value];
      input.setAttribute("aria-valuetext", control.values[input.value]);
    };
    input.addEventListener("input", () => { say(); changed(); });
    say();
    return { place: () => Number(input.value), parts: [input, shown] };
  };

  const list = (control, changed) => {
    const select = document.createElement("select");
    control.values.forEach((value) => select.add(new Option(value)));
    select.selectedIndex = control.start;
    select.addEventListener("change", changed);
    return { place: () => select.selectedIndex, parts: [select] };
  };

  for (const figure of document.querySelectorAll("figure.movable")) {
    const controls = JSON.parse(figure.dataset.controls);
    const frames = [...figure.querySelectorAll("svg")];
    const panel = document.createElement("div");
    panel.className = "movable-controls";
    const show = () => {
      const number = made.reduce(
        (sum, one, index) => sum * controls[index].values.length + one.place(), 0);
      frames.forEach((frame, index) => frame.toggleAttribute("hidden", index !== number));
      spoken.textContent = frames[number].getAttribute("aria-label");
    };
    const made = controls.map((control) => (control.ordered ? slider : list)(control, show));
    made.forEach((one, index) => {
      const label = document.createElement("label");
      label.append(`${controls[index].label} `, ...one.parts);
      panel.append(label);
    });
    const spoken = document.createElement("span");
    spoken.className = "movable-spoken";
    spoken.setAttribute("role", "status");
    figure.querySelector(".movable-set").remove();
    figure.prepend(panel);
    figure.append(spoken);
  }
})();
