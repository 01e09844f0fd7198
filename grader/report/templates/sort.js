// Sorting and filtering of the students' tables. Everything can be read without it.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const students = () => { // each with the rows below that say more of them
    const found = [];
    for (const row of body.rows)
      if (row.classList.contains("more")) found.at(-1).push(row); else found.push([row]);
    return found;
  };
  const value = ([row], column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return text === "" || Number.isNaN(Number(text)) ? text : Number(text);
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (one, two) => {
        const a = value(one, column), b = value(two, column);
        const numbers = typeof a === "number" && typeof b === "number";
        const compared = numbers ? a - b : `${a}`.localeCompare(`${b}`, "en", { numeric: true });
        return down ? -compared : compared;
      };
      body.append(...students().sort(order).flat());
    });
  });
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.type = "search";
  label.className = "filter";
  label.append("Show only rows with ", input);
  table.parentElement.before(label);
  input.addEventListener("input", () => {
    const query = input.value.toLowerCase();
    for (const rows of students()) {
      const found = rows.some((row) => row.textContent.toLowerCase().includes(query));
      for (const row of rows) row.hidden = !found;
    }
  });
}
