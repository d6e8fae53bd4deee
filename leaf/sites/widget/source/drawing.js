// Markdown trees as elements. What has not changed since the last time stays the same element.
import { h } from "./dom.js";
import { hostOf } from "./links.js";
import { blocksOf, mended } from "./markdown.js";

const drawnOf = (pieces, say) => pieces.map((piece) => pieceOf(piece, say));

function pieceOf(piece, say) {
  switch (piece.kind) {
    case "strong":
      return h("strong", null, drawnOf(piece.children, say));
    case "emphasis":
      return h("em", null, drawnOf(piece.children, say));
    case "strike":
      return h("s", null, drawnOf(piece.children, say));
    case "code-span":
      return h("code", null, piece.text);
    case "break":
      return h("br");
    case "mark":
      return markOf(piece.label);
    case "link":
      return linkOf(piece, say);
    case "span":
      return h("span", null, drawnOf(piece.children, say));
    case "image":
      return h("span", { class: "image" }, piece.text ? `[${piece.text}]` : "");
    default:
      return piece.text ?? "";
  }
}

/** The number of a footnote: drawn by the style, so that it is in no text that is selected or copied. */
const markOf = (label) => h("sup", { class: "mark", "data-label": label });

const isOfSite = (host) => host === location.host || host.endsWith(`.${location.host.replace(/^www\./, "")}`);
let questions = 0;

/**
 * A link with its host at the pointer and the focus, and in the text. The widget does not know what tools have found:
 * a link to another site asks before it opens, with the whole address, which may hold text that the agent has read.
 */
function linkOf({ address, children }, say) {
  const host = hostOf(address);
  const out = { href: address, target: "_blank", rel: "noopener noreferrer nofollow ugc" };
  const shown = h("bdi", { class: "link-host", dir: "ltr" }, ` (${host})`);
  const seen = { class: "outside", "data-host": host };
  if (isOfSite(host)) return h("span", null, h("a", { ...out, ...seen }, drawnOf(children, say)), shown);
  const id = `link-${(questions += 1)}`;
  const button = h("button", { ...seen, type: "button", class: "outside asked", popovertarget: id }, drawnOf(children, say));
  const question = h("span", { id, popover: "auto", role: "dialog", "aria-label": say("widget.link_asks"), class: "link-asks" },
    say("widget.link_asks"), h("bdi", { dir: "ltr" }, new URL(address).href), h("a", out, say("widget.link_open")));
  return h("span", null, button, shown, question);
}

function blockOf(block, say) {
  switch (block.kind) {
    case "heading":
      // The page has headings of its own: those of an answer stand below the panel's.
      return h(`h${Math.min(6, block.level + 2)}`, { dir: "auto" }, drawnOf(block.children, say));
    case "code":
      return h("pre", { tabindex: 0, dir: "ltr" }, h("code", null, block.text));
    case "quote":
      return h("blockquote", { dir: "auto" }, block.children.map((child) => blockOf(child, say)));
    case "list": {
      const items = block.children.map((children) => h("li", { dir: "auto" }, itemOf(children, block.loose, say)));
      return h(block.ordered ? "ol" : "ul", { start: block.start === 1 ? null : block.start }, items);
    }
    case "table":
      return tableOf(block, say);
    case "rule":
      return h("hr");
    case "note":
      return h("p", { class: "note", dir: "auto" }, markOf(block.label), " ", drawnOf(block.children, say));
    default:
      return h("p", { dir: "auto" }, drawnOf(block.children, say));
  }
}

/** The text of a tight item stands in it without a paragraph. */
const itemOf = (children, loose, say) =>
  children.flatMap((child) => (child.kind === "paragraph" && !loose ? drawnOf(child.children, say) : [blockOf(child, say)]));

function tableOf({ head, rows, aligns }, say) {
  const cell = (name) => (pieces, column) => h(name, { class: aligns[column], dir: "auto", scope: name === "th" ? "col" : null }, drawnOf(pieces, say));
  const body = rows.map((row) => h("tr", null, row.map(cell("td"))));
  const table = h("table", null, h("thead", null, h("tr", null, head.map(cell("th")))), h("tbody", null, body));
  return h("div", { class: "table", tabindex: 0 }, table);
}

/** A text in an element that can be given a longer one. */
export class Drawn {
  #sources = [];
  #say;
  constructor(say) {
    this.#say = say;
    this.element = h("div", { class: "md" });
  }

  show(text, growing) {
    const blocks = blocksOf(growing ? mended(text) : text);
    let same = 0;
    while (same < blocks.length && this.#sources[same] === blocks[same].source) same += 1;
    while (this.element.childNodes.length > same) this.element.lastChild.remove();
    this.element.append(...blocks.slice(same).map((block) => blockOf(block, this.#say)));
    this.#sources = blocks.map((block) => block.source);
  }
}
