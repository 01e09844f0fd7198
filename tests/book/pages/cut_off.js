// What is wider than its place, or has letters too small to read: its kind and its beginning.
(least) => {
    const found = [], page = document.documentElement.clientWidth;
    const told = (kind, one) => found.push(`${kind}: ${one.textContent.slice(0, 60) || one.alt}`);
    for (const one of document.querySelectorAll(".bd-article .math mjx-container")) {
        const box = one.querySelector("mjx-math")?.getBoundingClientRect();
        const place = one.closest("p, li, td, th, dd, div, figcaption").getBoundingClientRect();
        const right = Math.min(place.right, page);
        if (!box?.width) continue;
        if (box.right > right + 2 || box.left < place.left - 2) told("equation", one);
        if (parseFloat(getComputedStyle(one).fontSize) < least) told("small", one);
    }
    for (const one of document.querySelectorAll(".bd-article :is(table, figure img, svg)")) {
        const box = one.getBoundingClientRect();
        if (one.closest(".code-drawing")) continue;  // its boxes are links: it keeps its size
        const scrolls = getComputedStyle(one.parentElement).overflowX === "auto";
        if (one.tagName === "TABLE" && scrolls) {
            if (box.width > one.parentElement.clientWidth + 1) told("a table that scrolls", one);
            continue;
        }
        if (box.width && (box.right > page + 1 || box.left < -1)) told(one.tagName, one);
    }
    for (const one of document.querySelectorAll(".bd-article :is(th, td, h1, h2, h3, button)")) {
        const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
        for (let text; (text = texts.nextNode()); ) {
            if (text.parentElement.closest(".math")) continue;
            for (const word of text.data.matchAll(/[\p{L}\p{N}]+/gu)) {
                const range = document.createRange();
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                const tops = [...range.getClientRects()].map((box) => Math.round(box.top));
                if (new Set(tops).size > 1) told(`broken word ${word[0]}`, one);
            }
        }
    }
    for (const one of document.querySelectorAll(".bd-article td mjx-container.may-break")) {
        told("a formula that breaks in a table", one);
    }
    for (const one of page > 600 ? [] : document.querySelectorAll(".enlarge")) {
        const picture = one.parentElement.querySelector(":scope > img").getBoundingClientRect();
        const button = one.getBoundingClientRect();
        if (picture.width && button.bottom > picture.top + 2) told("a button on its picture", one);
    }
    for (const one of document.querySelectorAll(".movable-controls output")) {
        const slider = one.previousElementSibling.getBoundingClientRect();
        if (one.getBoundingClientRect().top > slider.bottom) told("a value below its slider", one);
    }
    for (const one of document.querySelectorAll("figure.movable")) {
        const edge = one.getBoundingClientRect().left + 4;
        for (const label of one.querySelectorAll("label")) {
            if (label.getBoundingClientRect().left < edge) told("a label at its frame", label);
        }
        for (const frame of one.querySelectorAll("svg")) {
            const hidden = frame.hasAttribute("hidden"), wide = frame.viewBox.baseVal.width;
            frame.removeAttribute("hidden");
            const scale = frame.getBoundingClientRect().width / wide;
            for (const text of frame.querySelectorAll("text")) {
                const {x, width} = text.getBBox();
                const letters = parseFloat(getComputedStyle(text).fontSize) * scale;
                if (x < 0 || x + width > wide) told("a cut text", text);
                if (scale && Math.round(letters) < least) told(`letters of ${letters}`, text);
            }
            frame.toggleAttribute("hidden", hidden);
        }
    }
    for (const one of document.querySelectorAll(".bd-article p span.math")) {
        const next = one.nextSibling, isText = next?.nodeType === 3;
        const at = isText ? next.data.search(/[.,;:!?)]/) : -1;
        if (at !== 0) continue;
        const range = document.createRange();
        range.setStart(next, at);
        range.setEnd(next, at + 1);
        const mark = range.getBoundingClientRect(), end = [...one.getClientRects()].at(-1);
        if (mark.width && mark.left < end.right - 2) told("a line begins with a mark", one);
    }
    return found;
}
