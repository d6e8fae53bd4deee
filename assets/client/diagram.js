// Diagrams of Mermaid, drawn as pictures: in an `img` no script runs, no link leads anywhere and nothing is loaded. This
// module is loaded only where an answer holds a diagram.
import DOMPurify from "dompurify";
import mermaid from "mermaid";
import { createElement as h, useContext, useEffect, useState } from "react";
import { ColorModeContext } from "$/utils/context";
import { Part } from "./markdown.js";

const MOST_CHARACTERS = 8000;
const MOST_EDGES = 200;
/** A thousand nodes without an edge block the page for seconds, as do hundreds of messages or commits. */
const MOST_STATEMENTS = 250;
/** Directives would change the settings below. */
const DIRECTIVES = /%%\{[\s\S]*?\}%%|^---\n[\s\S]*?\n---\n/g;
/** Labels stand in the page while they are measured: of HTML only harmless tags are taken, as plain text. */
const PLAIN_TAGS = /<\/?(?:b|i|u|em|strong|small|code)>/gi;
/** Addresses in styles, which would be loaded while the diagram is measured, scripts, and all other HTML. */
const REFUSED = /url\s*\(|@import|javascript:|\bon[a-z]+\s*=|<\/?(?!br\b)[a-z][a-z0-9-]*(?:\s|\/|>(?!>))/i;
const FONT = "Arial, Helvetica, sans-serif";
const COLOURS = {
  light: { background: "#fdfdfb", primaryColor: "#e2f0e6", primaryTextColor: "#1b1f1a", primaryBorderColor: "#1f6b45", lineColor: "#565e52", secondaryColor: "#f3f4ef", tertiaryColor: "#fbf1dc" },
  dark: { background: "#161815", darkMode: true, primaryColor: "#20352a", primaryTextColor: "#ecefe8", primaryBorderColor: "#7fcf9f", lineColor: "#a9b1a4", secondaryColor: "#1d201c", tertiaryColor: "#372d18" },
};

/** What is active, leads or loads from elsewhere, besides what DOMPurify knows; styles with addresses are refused before. */
const FORBIDDEN = { FORBID_TAGS: ["image", "use", "animate", "set"], FORBID_ATTR: ["href", "xlink:href"] };

let count = 0;
let before = Promise.resolve();

function configure(night) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    maxTextSize: MOST_CHARACTERS,
    maxEdges: MOST_EDGES,
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    class: { htmlLabels: false },
    fontFamily: FONT,
    theme: "base",
    themeVariables: { fontFamily: FONT, ...COLOURS[night ? "dark" : "light"] },
  });
}

function pictureOf(drawing) {
  // A link becomes a group, for its place is that of the node in it.
  const bare = drawing.replace(/<(\/?)a(?=[\s>])/g, "<$1g");
  const drawn = DOMPurify.sanitize(bare, { USE_PROFILES: { svg: true, svgFilters: true }, ...FORBIDDEN, RETURN_DOM: true });
  const svg = drawn.querySelector("svg");
  const box = svg?.getAttribute("viewBox")?.split(/[\s,]+/).map(Number);
  if (!svg || box?.length !== 4 || !box.every(Number.isFinite)) return null;
  const [, , width, height] = box.map(Math.ceil);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.style.maxWidth = "";
  const texts = [...svg.querySelectorAll("text")].map((one) => one.textContent.trim()).filter(Boolean);
  const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  return { src, width, height, words: texts.join(", ").slice(0, 500) };
}

async function drawOne(code, night) {
  const bare = code.replace(DIRECTIVES, "").replace(PLAIN_TAGS, "");
  const statements = bare.split(/[\n;&]/).length;
  if (bare.length > MOST_CHARACTERS || statements > MOST_STATEMENTS || REFUSED.test(bare)) return null;
  configure(night);
  count += 1;
  const { svg } = await mermaid.render(`diagram-${count}`, bare);
  return pictureOf(svg);
}

/** A diagram as `{src, width, height, words}`; null if it cannot be drawn. One at a time: the settings are shared. */
function draw(code, night) {
  const drawn = before.then(() => drawOne(code, night));
  before = drawn.catch(() => {});
  return drawn;
}

/** A diagram as a picture; its `source` while it is drawn, or if it cannot be. */
export default function Diagram({ code, source }) {
  const night = useContext(ColorModeContext).resolvedColorMode === "dark";
  const [picture, setPicture] = useState(null);
  useEffect(() => {
    let mounted = true;
    const show = (drawn) => mounted && setPicture(drawn);
    draw(code, night).then(show, () => show(null));
    return () => {
      mounted = false;
    };
  }, [code, night]);
  return picture ? h(Part, { of: "diagram", picture, fails: () => setPicture(null) }, source) : source;
}
