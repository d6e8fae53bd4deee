// Formulas, drawn by KaTeX. Loaded only if an answer contains one. KaTeX escapes its input, and `trust: false` keeps out
// commands that make links, load pictures or write attributes.
import katex from "katex";
import "katex/dist/katex.min.css";
import { createElement as h, useMemo } from "react";
import { attempt } from "./store.js";

const MOST_CHARACTERS = 4000;

/** A formula as HTML with MathML for screen readers; null if it cannot be drawn. */
function htmlOf(tex, displayMode) {
  const settings = { displayMode, throwOnError: true, trust: false, strict: "ignore", maxSize: 20, maxExpand: 300 };
  return tex.length > MOST_CHARACTERS ? null : attempt(() => katex.renderToString(tex, settings));
}

/** A formula; its source if it cannot be drawn. */
export default function Drawn({ tex, display, className, children }) {
  const html = useMemo(() => htmlOf(tex, Boolean(display)), [tex, display]);
  if (!html) return children;
  return h("span", { className, tabIndex: display ? 0 : undefined, dangerouslySetInnerHTML: { __html: html } });
}
