// Markdown trees as elements. What has not changed since the last time stays the same element.
import { h } from "./dom.js";
import { hostOf } from "./links.js";
import { blocksOf, mended } from "./markdown.js";

const drawnOf = (pieces) => pieces.map(pieceOf);

function pieceOf(piece) {
  switch (piece.kind) {
    case "strong":
      return h("strong", null, drawnOf(piece.children));
    case "emphasis":
      return h("em", null, drawnOf(piece.children));
    case "strike":
      return h("s", null, drawnOf(piece.children));
    case "code-span":
      return h("code", null, piece.text);
    case "break":
      return h("br");
    case "link":
      return linkOf(piece);
    case "span":
      return h("span", null, drawnOf(piece.children));
    case "image":
      return h("span", { class: "image" }, piece.text ? `[${piece.text}]` : "");
    default:
      return piece.text ?? "";
  }
}

/** A link with its host at the pointer and the focus, and in the text: the widget does not know what tools have found. */
function linkOf({ address, children }) {
  const host = hostOf(address);
  const rel = "noopener noreferrer nofollow ugc";
  const link = h("a", { href: address, class: "outside", "data-host": host, target: "_blank", rel }, drawnOf(children));
  return h("span", null, link, h("bdi", { class: "link-host", dir: "ltr" }, ` (${host})`));
}

function blockOf(block) {
  switch (block.kind) {
    case "heading":
      // The page has headings of its own: those of an answer stand below the panel's.
      return h(`h${Math.min(6, block.level + 2)}`, { dir: "auto" }, drawnOf(block.children));
    case "code":
      return h("pre", { tabindex: 0, dir: "ltr" }, h("code", null, block.text));
    case "quote":
      return h("blockquote", { dir: "auto" }, block.children.map(blockOf));
    case "list": {
      const items = block.children.map((children) => h("li", { dir: "auto" }, itemOf(children, block.loose)));
      return h(block.ordered ? "ol" : "ul", { start: block.start === 1 ? null : block.start }, items);
    }
    case "table":
      return tableOf(block);
    case "rule":
      return h("hr");
    default:
      return h("p", { dir: "auto" }, drawnOf(block.children));
  }
}

/** The text of a tight item stands in it without a paragraph. */
const itemOf = (children, loose) =>
  children.flatMap((child) => (child.kind === "paragraph" && !loose ? drawnOf(child.children) : [blockOf(child)]));

function tableOf({ head, rows, aligns }) {
  const cell = (name) => (pieces, column) => h(name, { class: aligns[column], dir: "auto", scope: name === "th" ? "col" : null }, drawnOf(pieces));
  const body = rows.map((row) => h("tr", null, row.map(cell("td"))));
  const table = h("table", null, h("thead", null, h("tr", null, head.map(cell("th")))), h("tbody", null, body));
  return h("div", { class: "table", tabindex: 0 }, table);
}

/** A text in an element that can be given a longer one. */
export class Drawn {
  #sources = [];
  constructor() {
    this.element = h("div", { class: "md" });
  }

  show(text, growing) {
    const blocks = blocksOf(growing ? mended(text) : text);
    let same = 0;
    while (same < blocks.length && this.#sources[same] === blocks[same].source) same += 1;
    while (this.element.childNodes.length > same) this.element.lastChild.remove();
    this.element.append(...blocks.slice(same).map(blockOf));
    this.#sources = blocks.map((block) => block.source);
  }
}
