// Makes the regrade request: a text file with the reason below the lines of the chosen item.
"use strict";
const form = document.getElementById("regrade");
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const item = document.getElementById("item").selectedOptions[0];
  const link = document.createElement("a");
  const text = new Blob([item.value + document.getElementById("reason").value.trim() + "\n"], { type: "text/plain" });
  link.href = URL.createObjectURL(text);
  link.download = item.dataset.file;
  link.click();
  document.getElementById("saved").textContent =
    `Saved as ${link.download}, probably in your downloads. Hand this file in where you handed in your notebook, or as your instructor says.`;
});
