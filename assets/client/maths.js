// Loaded only where an answer holds a formula. KaTeX escapes what it is given, and `trust: false` keeps commands out
// that make links, load pictures or write attributes.
import katex from "katex";
import "katex/dist/katex.min.css";

const MOST_CHARACTERS = 4000;

/** A formula as HTML with MathML for screen readers; null where it cannot be drawn. */
export function draw(tex, display) {
  if (tex.length > MOST_CHARACTERS) return null;
  try {
    return katex.renderToString(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      maxSize: 20,
      maxExpand: 300,
    });
  } catch {
    return null; // Its source stays.
  }
}
