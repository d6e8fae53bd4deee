// What can be looked at in a large view at the side: what display tools show, and changes of files. It is drawn twice
// from the same elements, so both views are always of the same.
import { createElement as h, Fragment, useEffect, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { Maximize2, X } from "lucide-react";
import { Panel } from "./panel.js";
import { useTexts } from "./texts.js";

/** The place of the one that is open at the side; empty where none is. */
let open = "";
const readers = new Set();
/** How many of them are on the page, by place. One that moves, because its answer is done, is there twice for a moment. */
const mounted = new Map();

const subscribe = (reader) => {
  readers.add(reader);
  return () => readers.delete(reader);
};

function show(place) {
  open = place;
  for (const reader of readers) reader();
}

const opensAnother = (event) => {
  const opener = event.target.closest("[data-opens-panel]");
  if (opener && !opener.hasAttribute("data-opens-artifact")) show("");
};

function openHere(place) {
  // There is room for one panel.
  document.querySelector(".panel:not(.artifact-panel) [data-close-panel]")?.click();
  show(place);
}

function useKept(place) {
  useEffect(() => {
    if (!mounted.size) document.addEventListener("click", opensAnother);
    mounted.set(place, (mounted.get(place) ?? 0) + 1);
    return () => {
      const left = mounted.get(place) - 1;
      if (left) mounted.set(place, left);
      else mounted.delete(place);
      if (!mounted.size) document.removeEventListener("click", opensAnother);
      setTimeout(() => open === place && !mounted.has(place) && show(""));
    };
  }, [place]);
}

function AtTheSide({ place, title, children }) {
  const t = useTexts();
  const id = `artifact-title-${place}`;
  return h(
    Panel,
    { className: "panel artifact-panel", labelledby: id },
    h(
      "div",
      { className: "panel-head" },
      h("h2", { id }, title),
      h(
        "button",
        {
          type: "button",
          className: "icon-button",
          "aria-label": t("common.close_panel"),
          title: t("common.close_panel"),
          autoFocus: true,
          "data-close-panel": "true",
          onClick: () => show(""),
        },
        h(X, { size: 18, "aria-hidden": true }),
      ),
    ),
    h("div", { className: "artifact-body" }, children),
  );
}

/** Props: `place` (its name on the page), `title`, `children`. */
export function Artifact({ place, title, children }) {
  const t = useTexts();
  const shown = useSyncExternalStore(subscribe, () => open === place);
  const [side, setSide] = useState(null);
  useKept(place);
  useEffect(() => setSide(shown ? document.getElementById("artifact") : null), [shown]);
  return h(
    Fragment,
    null,
    h(
      "div",
      { className: "artifact" },
      children,
      h(
        "button",
        {
          type: "button",
          className: "icon-button small artifact-open",
          "aria-label": t("research.at_side_of", { title }),
          title: t("research.at_side"),
          "aria-expanded": shown,
          "data-opens-panel": "true",
          "data-opens-artifact": "true",
          onClick: () => openHere(place),
        },
        h(Maximize2, { size: 14, "aria-hidden": true }),
      ),
    ),
    side && shown && createPortal(h(AtTheSide, { place, title }, children), side),
  );
}
