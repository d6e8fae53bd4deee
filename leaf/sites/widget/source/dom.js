// Elements without a parser of HTML: texts are texts, and nothing here needs an exception from a page's policy.

/** An element. `props` are its attributes, but for `on…`, which are listeners, and `false` or `null`, which are none. */
export function h(name, props, ...children) {
  const element = document.createElement(name);
  set(element, props ?? {});
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function set(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * Makes `parent` hold one child for each `[key, make]`, in this order. A child with the same key stays where it is, and
 * so do the focus on it and a click that has begun on it.
 */
export function keep(parent, wanted) {
  const before = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const children = wanted.map(([key, make]) => before.get(key) ?? keyed(make(), key));
  const stay = new Set(children);
  for (const child of before.values()) if (!stay.has(child)) child.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

function keyed(element, key) {
  element.dataset.key = key;
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  chat: ["M21 11.5a8.38 8.38 0 0 1-8.5 8.5 8.9 8.9 0 0 1-3.8-.85L3 21l1.85-5.7A8.38 8.38 0 0 1 4 11.5 8.5 8.5 0 0 1 12.500 3 8.380 8.380 0 0 1 21 11.500Z"],
  close: ["M18 6 6 18", "M6 6l12 12"],
  down: ["M6 9l6 6 6-6"],
  plus: ["M12 5v14", "M5 12h14"],
  list: ["M3 12a9 9 0 1 0 3-6.700L3 8", "M3 3v5h5", "M12 7v5l4 2"],
  back: ["M19 12H5", "M12 19l-7-7 7-7"],
  send: ["M12 19V5", "M5 12l7-7 7 7"],
  clip: ["M21 11.500 12.500 20a5.500 5.500 0 0 1-8-8L13 3.500a3.700 3.700 0 0 1 5.300 5.300L9.800 17.300a1.800 1.800 0 0 1-2.600-2.600L15 7"],
  stop: ["M7 7h10v10H7Z"],
  box: ["M3 4h18v5H3Z", "M5 9v11h14V9", "M10 13h4"],
  unbox: ["M3 4h18v5H3Z", "M5 9v11h14V9", "M12 18v-5", "M9.500 15.500 12 13l2.500 2.500"],
  bin: ["M4 7h16", "M10 11v6", "M14 11v6", "M6 7l1 13h10l1-13", "M9 7V4h6v3"],
  up: ["M7 10v11", "M15 5.900 14 10h5.800a2 2 0 0 1 2 2.600l-2.300 8a2 2 0 0 1-2 1.400H4a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h2.800l3.700-8A3.100 3.100 0 0 1 15 5.900Z"],
  unhappy: ["M17 14V3", "M9 18.100 10 14H4.200a2 2 0 0 1-2-2.600l2.300-8a2 2 0 0 1 2-1.400H20a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-2.800l-3.700 8A3.100 3.100 0 0 1 9 18.100Z"],
  copy: ["M9 9h11v11H9Z", "M5 15H4V4h11v1"],
  check: ["M5 13l4 4L19 7"],
  looked: ["M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Z", "M20 20l-4-4"],
};

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }))
    svg.setAttribute(key, value);
  for (const d of PATHS[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/** A button that shows a sign and is called by a name. */
export const signButton = (name, label, onClick, more = {}) =>
  h("button", { type: "button", class: "sign", "aria-label": label, title: label, onClick, ...more }, icon(name));
