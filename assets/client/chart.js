// Charts: the shapes that Leaf has drawn (leaf/charts) as elements of the page, so that they follow its theme.
import { createElement as h } from "react";

const SHAPES = new Set(["svg", "rect", "line", "path", "circle", "text", "title"]);

/** The name of an attribute as React has it. */
const named = (name) => (name === "class" ? "className" : name.startsWith("aria-") ? name : name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()));

function element([tag, attributes, text, children], key) {
  if (!SHAPES.has(tag)) return null;
  const props = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [named(name), value]));
  return h(tag, { ...props, key }, text || null, ...children.map(element));
}

/** A picture: `[tag, attributes, text, children]`. */
export function Picture({ shapes }) {
  return shapes ? element(shapes) : null;
}
