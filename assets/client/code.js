// Code in colours. The text is there at once, the colours come when the highlighter has been loaded.
import { createElement as h, lazy, Suspense } from "react";

// It can be read without colours.
const Coloured = lazy(() => import("./highlighter.js").catch(() => ({ default: ({ text }) => text })));

/** A text, in the colours of its language once they are there; `waits` while it grows. */
export const coloured = (text, language, waits) => (waits || !language ? text : h(Suspense, { fallback: text }, h(Coloured, { text, language })));
