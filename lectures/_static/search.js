// The lines of text below a result: the page's own text, with no formula as it is written in TeX.
// A plain formula, n - 1, stays; another becomes an ellipsis. Contents at the page's side and code cells are left out.
(() => {
  "use strict";
  const PLAIN = /^\\\(([\w\s=+<>,.()-]*)\\\)$/;
  const readable = (html) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    for (const one of page.querySelectorAll(".bd-sidebar-secondary, .bd-header-article, #print-main-content, .other-forms, .prev-next-footer, .cell_input, .cell summary")) one.remove();
    for (const one of page.querySelectorAll(".math")) {
      const [, plain = "_"] = PLAIN.exec(one.textContent.trim()) ?? [];
      one.textContent = plain.includes("_") ? "…" : plain;
    }
    for (const one of page.querySelectorAll("dt, dd, td, th, li, p, pre, h1, h2, h3, summary")) one.append(" ");
    return page.documentElement.outerHTML;
  };
  document.addEventListener("DOMContentLoaded", () => {
    const { htmlToText } = Search;
    Search.htmlToText = (html, anchor) => htmlToText(readable(html), anchor);
  });
})();
