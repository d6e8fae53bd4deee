// Answers as Markdown. The text of a model is untrusted: raw HTML stays text, images are never fetched, and only harmless
// addresses become links.
import { createElement as h, lazy, memo, Suspense, useContext, useMemo } from "react";
import { findAndReplace } from "mdast-util-find-and-replace";
import { ErrorBoundary } from "react-error-boundary";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { visit } from "unist-util-visit";
import { visitParents } from "unist-util-visit-parents";
import { Answer } from "./citations.js";
import { extract, Formula, remarkFormulas } from "./formulas.js";
import { saysOf } from "./external_links.js";

/** Keeps http, https, mailto, addresses within Leaf and anchors; everything else is dropped. */
function safeUrl(url) {
  const address = String(url ?? "").trim();
  return /^(https?:\/\/|mailto:|\/(?![/\\])|#)/i.test(address) ? address : "";
}

/** Levels of lists, quotes and other blocks within each other; a list in a list has two. */
const MOST_DEPTH = 250;

/** More marks in one line than people write: pairing them would block the page for many seconds. */
const CROWDED = /(?:[*_~[\]|$][^\n*_~[\]|$]*){600}/;
/** One sign repeated at the start of a line is no list; the server has flattened others (`leaf/parts/nesting.py`). */
const REPEATED = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){201}/m;
const FENCE = /^ {0,3}(?:```|~~~)/;
const tooMuch = (text) => text.length > 200 && !FENCE.test(text) && (CROWDED.test(text) || REPEATED.test(text));

/** Refuses text with nesting thousands deep, which no browser draws: a model may repeat one sign without end. */
const remarkShallow = () => (tree) =>
  visitParents(tree, (_, ancestors) => {
    if (ancestors.length > MOST_DEPTH) throw new RangeError("depth");
  });

/** Models write <br> in table cells; this tag is a line break, all other HTML is shown as source. */
const remarkLineBreaks = () => (tree) =>
  visit(tree, "html", (node) => {
    if (/^<br\s*\/?>$/i.test(node.value)) Object.assign(node, { type: "break", value: undefined });
  });

/** Each block runs in the direction of its own script; so does each cell. Code does not. */
const rehypeDirections = () => (tree) =>
  visit(tree, "element", (node, _, parent) => {
    const isCell = node.tagName === "td" || node.tagName === "th";
    if (isCell || (parent === tree && !["table", "pre"].includes(node.tagName))) node.properties.dir = "auto";
  });
const rehypePlugins = [rehypeDirections];

const citation = (label) => ({ type: "citation", data: { hName: "cite-mark", hProperties: { label } }, children: [] });

/** The places in a text at which `[^` is a mark: its source has no backslash there, as in the escaped name of a file. */
function marksIn(text, source) {
  const written = [...source.matchAll(/(\\*)\[(\\?)\^/g)].map(([, before, within]) => before.length % 2 === 0 && !within);
  const places = [...text.matchAll(/\[\^/g)].map((one) => one.index);
  return new Set(places.filter((_, at) => written[at]));
}

/** `[^2]` is the number of a citation, and `[^2?]` that of an unverified one; code is left as it is. */
const remarkCitations = () => (tree, file) => {
  const known = new Map();
  const mark = (_, label, { index, input, stack }) => {
    const { start, end } = stack.at(-1).position ?? {};
    if (!end || end.offset - start.offset === input.length) return citation(label);
    if (!known.has(start.offset)) known.set(start.offset, marksIn(input, String(file).slice(start.offset, end.offset)));
    return known.get(start.offset).has(index) && citation(label);
  };
  findAndReplace(tree, [[/\[\^([^\]\s[^]{1,40})\]/g, mark]]);
};

/**
 * Closes the open marks at the end of a text that still grows, so that they do not flash: emphasis, inline code, a link
 * whose address has yet to come. Fenced code is left as it is.
 */
function mend(text) {
  if (/^ {0,3}(```|~~~)/.test(text)) return text;
  let mended = text.replace(/\[\^[^\]\s]{0,40}$/, "").replace(/!?\[([^\]\n]*)(?:\]\([^)\n]*)?$/, "$1").replace(/(?<![ \t])[ \t]*(?<![*`])[*`]+$/, "");
  const outsideCode = mended.replace(/`[^`\n]*`/g, "");
  if (outsideCode.includes("`")) return `${mended}\``;
  if ((outsideCode.match(/\*\*/g) ?? []).length % 2) mended += "**";
  else if ((outsideCode.replace(/\*\*/g, "").match(/(?<![\s*])\*|\*(?![\s*])/g) ?? []).length % 2) mended += "*";
  return mended;
}

/** An element that `leaf/components/markdown.py` draws. */
export const Part = ({ of, ...props }) => h(useContext(Answer).parts[of], props);

/** A number in the text, or `~1,250` for a figure that is neither quoted nor computed. */
const Citation = ({ label }) => (label.startsWith("~") ? h(Part, { of: "figure" }, label.slice(1)) : h(Part, { of: "citation", label }));

const Anchor = ({ href, node, children }) => h(Part, { of: "link", href: href ?? "", says: saysOf(node) }, children);

const Picture = ({ alt }) => (alt ? h(Part, { of: "picture", alt }) : null);

const Diagram = lazy(() => import("./diagram.js").catch(() => ({ default: ({ source }) => source })));

// Code can be read without colours.
const Coloured = lazy(() => import("./highlighter.js").catch(() => ({ default: ({ text }) => text })));

/** A text, in the colours of its language once they are there; `waits` while it grows. */
export const coloured = (text, language, waits) => (waits || !language ? text : h(Suspense, { fallback: text }, h(Coloured, { text, language })));

const table = (growing) => ({ children }) => h(Part, { of: "table", growing }, children);

function preformatted(growing) {
  return function Preformatted({ children }) {
    const { className, children: code } = children?.props ?? {};
    const text = String(Array.isArray(code) ? code.join("") : (code ?? "")).replace(/\n$/, "");
    const language = /language-([\w+#-]+)/.exec(className ?? "")?.[1]?.toLowerCase();
    const source = h(Part, { of: "code", text, language, growing });
    return language === "mermaid" && !growing ? h(Suspense, { fallback: source }, h(Diagram, { code: text, source })) : source;
  };
}

const shared = { a: Anchor, img: Picture, "cite-mark": Citation, "tex-formula": Formula };
const settledComponents = { ...shared, pre: preformatted(false), table: table(false) };
const growingComponents = { ...shared, pre: preformatted(true), table: table(true) };
const plugins = [remarkGfm, remarkShallow, remarkLineBreaks, remarkCitations];

/** One block of an answer; `growing` while more of it may come. */
export const Markdown = memo(function Markdown({ text, growing }) {
  const crowded = useMemo(() => tooMuch(text ?? ""), [text]);
  const [bare, formulas] = useMemo(() => extract(crowded ? "" : (text ?? ""), growing), [text, crowded, growing]);
  const undrawn = h("p", { className: "md-undrawn" }, text);
  return h(
    "div",
    { className: growing ? "md md-growing" : "md" },
    h(
      ErrorBoundary,
      { fallback: undrawn, resetKeys: [text] },
      crowded ? undrawn : h(
        ReactMarkdown,
        {
          remarkPlugins: formulas.length ? [...plugins, [remarkFormulas, { formulas }]] : plugins,
          rehypePlugins,
          urlTransform: safeUrl,
          components: growing ? growingComponents : settledComponents,
        },
        growing ? mend(bare) : bare,
      ),
    ),
  );
});
