// A plot or drawing fills the screen when one asks for it: by its button, or by a click on it.
(() => {
  "use strict";
  const pictures = [...document.querySelectorAll(".bd-article figure img, .bd-article .cell_output img")];
  if (!pictures.length) return;

  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.innerHTML = '<form method="dialog"><button class="enlarged-close" aria-label="Close">×</button></form><div class="enlarged-picture" tabindex="0"></div>';
  document.body.append(dialog);
  const place = dialog.querySelector(".enlarged-picture");
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  const open = (picture) => {
    const shown = picture.cloneNode();
    shown.removeAttribute("width");
    shown.removeAttribute("style");
    dialog.setAttribute("aria-label", picture.alt || "Picture");
    place.replaceChildren(shown);
    dialog.showModal();
    place.scrollLeft = (place.scrollWidth - place.clientWidth) / 2;
  };
  const frames = new Set(pictures.filter((one) => !one.closest("a")).map((one) => one.parentElement));
  const shown = (frame) => [...frame.querySelectorAll(":scope > img")].find((one) => one.offsetWidth > 0);
  for (const frame of frames) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "enlarge";
    button.setAttribute("aria-label", "Enlarge the picture");
    button.textContent = "⤢";
    button.addEventListener("click", () => open(shown(frame)));
    frame.classList.add("can-enlarge");
    frame.prepend(button);
    frame.querySelectorAll(":scope > img").forEach((one) => one.addEventListener("click", () => open(one)));
  }
})();
