// Formulas in Markdown. They are taken out before the Markdown is read, so that their signs mean nothing in it, and put
// back in the places that stand for them. The library that draws them is loaded only where there is one.
import { findAndReplace } from "mdast-util-find-and-replace";
import { createElement as h, lazy, memo, Suspense } from "react";
import { visit } from "unist-util-visit";

const BEGIN = "\uE010";
const END = "\uE011";
const SIGN = /\uE010(\d+)\uE011/g;
/** Longer blocks are shown as source. */
const MOST_CHARACTERS = 20000;
const OWN = /[\uE010\uE011]/g;

// Code comes first and stays as it is. `$…$` is a formula only if it looks like one: prices do not. No `\[` or `\(` is
// searched beyond the next one: many without an end would take seconds.
const PIECES = new RegExp(
  [
    "(^ {0,3}(?=(`{3,}|~{3,}))\\2[^\\n]*\\n[\\s\\S]*?(?:^ {0,3}\\2[ \\t]*$|$(?![\\s\\S])))",
    "((?<!`)(`+)(?!`)[\\s\\S]{0,4000}?[^`]\\4(?!`))",
    "\\\\\\[((?:[^\\\\]|\\\\(?!\\[)[\\s\\S]){1,4000}?)\\\\\\]",
    "\\\\\\(((?:[^\\\\]|\\\\(?!\\()[\\s\\S]){1,4000}?)\\\\\\)",
    "(?<![\\\\$])\\$\\$(?!\\$)([\\s\\S]{1,4000}?)\\$\\$",
    "(?<![\\\\$\\w])\\$(?![\\s$])([^$\\n]{0,300}?[^$\\s\\\\])\\$(?![\\w$])",
  ].join("|"),
  "gm",
);
const COMMAND = /\\[a-zA-Z]/;
const WORD = /[a-zA-Z]{3,}/;
const SIGNS = /[\^_=<>{}]|^[a-zA-Z]$|^[a-zA-Z]\([a-zA-Z]\)$/;

/** Whether the text between two dollar signs is a formula, rather than amounts of money and words. */
const looksLikeOne = (tex) => COMMAND.test(tex) || (SIGNS.test(tex) && !WORD.test(tex) && !/^[\d.,]+\s/.test(tex));

const MATHS = /[\^_=<>{}+*/|]/;
const NOTE = /^\s*\d{1,4}\s*$/;

/** Whether `\[…\]` or `\(…\)` are escaped signs: around words or the number of a note, or before an address. */
function isEscaped(tex, after, isBracket) {
  if (isBracket && (/^\\?\(/.test(after) || tex.includes("](http"))) return true;
  if (COMMAND.test(tex) || MATHS.test(tex)) return false;
  return /\p{L}{3}/u.test(tex) || (isBracket && NOTE.test(tex));
}

const OPENS = /\\\[|\\\(|\$\$/;
const CLOSES = ["\\]", "\\)", "$$"];
const MOST_UNCLOSED = 2000;

/** A text without the formula at its end that is not closed; a longer one is not taken for a formula. */
function closed(text) {
  const last = Math.max(...CLOSES.map((sign) => text.lastIndexOf(sign)));
  const from = Math.max(0, last - 1, text.length - MOST_UNCLOSED - 2);
  const begun = text.slice(from).search(OPENS);
  return begun < 0 ? text : text.slice(0, from + begun);
}

/**
 * Takes the formulas out of a text. Returns the text with signs in their places, and the formulas:
 * `{tex, display, source}`. Of a text that grows, a formula at its end that is not closed is left out.
 */
export function extract(text, growing) {
  if (!/[$\\]/.test(text) || text.length > MOST_CHARACTERS) return [text.replace(OWN, ""), []];
  const formulas = [];
  let left = text.replace(OWN, "").replace(PIECES, (source, fence, _f, code, _c, bracket, round, double, single, at, whole) => {
    if (fence !== undefined || code !== undefined) return source;
    const tex = bracket ?? round ?? double ?? single;
    const after = at + source.length;
    if ((bracket ?? round) !== undefined && isEscaped(tex, whole.slice(after, after + 2), bracket !== undefined)) return source;
    if (!tex.trim() || (single !== undefined && !looksLikeOne(tex))) return source;
    formulas.push({ tex: tex.trim(), display: bracket !== undefined || double !== undefined, source });
    return `${BEGIN}${formulas.length - 1}${END}`;
  });
  if (growing && !/^ {0,3}(`{3,}|~{3,})/m.test(left)) left = closed(left);
  return [left, formulas];
}

/** A plugin for remark that puts formulas in the places of their signs; their source where formulas are impossible. */
export const remarkFormulas = ({ formulas }) => (tree) => {
  const back = (text) => text.replace(SIGN, (_, n) => formulas[n]?.source ?? "");
  const restore = (node) => {
    for (const key of ["value", "url", "alt", "title", "lang", "meta"]) {
      if (typeof node[key] === "string" && node.type !== "text") node[key] = back(node[key]);
    }
  };
  const formula = (_, n) => {
    const { tex = "", display } = formulas[n] ?? {};
    return { type: "formula", data: { hName: "tex-formula", hProperties: { tex, display: display ? "yes" : "" } }, children: [] };
  };
  visit(tree, restore);
  findAndReplace(tree, [[SIGN, formula]]);
};

const Drawn = lazy(() => import("./maths.js").catch(() => ({ default: ({ children }) => children })));

/** A formula; its source until it is drawn, or if it cannot be. */
export const Formula = memo(function Formula({ tex, display }) {
  const className = display ? "formula formula-display" : "formula";
  const source = h("code", { className }, tex);
  return h(Suspense, { fallback: source }, h(Drawn, { tex, display, className }, source));
});
