// Large views at the side, of results of display tools and of changed files. The same elements are drawn in the answer
// and at the side, so both views show the same.
import { createElement as h, Fragment, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { Maximize2, X } from "lucide-react";
import { Panel } from "./panel.js";
import { createStore } from "./store.js";
import { useTexts } from "./texts.js";

/** The place of the artifact that is open at the side; empty without one. */
const open = createStore("");
/** The number of mounted artifacts by place: while an artifact moves, because its answer is done, it exists twice for a moment. */
const mounted = new Map();

function closeForAnother(event) {
  const opener = event.target.closest("[data-opens-panel]");
  if (opener && !opener.hasAttribute("data-opens-artifact")) open.set("");
}

/** Keeps the large view open for as long as its artifact is on the page. */
function useMounted(place) {
  useEffect(() => {
    if (!mounted.size) document.addEventListener("click", closeForAnother);
    mounted.set(place, (mounted.get(place) ?? 0) + 1);
    return () => {
      mounted.set(place, mounted.get(place) - 1);
      if (!mounted.get(place)) mounted.delete(place);
      if (!mounted.size) document.removeEventListener("click", closeForAnother);
      setTimeout(() => open.get() === place && !mounted.has(place) && open.set(""));
    };
  }, [place]);
}

function Button({ icon, label, title, ...props }) {
  return h("button", { type: "button", "aria-label": label, title, ...props }, h(icon, { size: icon === X ? 18 : 14, "aria-hidden": true }));
}

function LargeView({ place, title, children }) {
  const t = useTexts();
  const id = `artifact-title-${place}`;
  const label = t("common.close_panel");
  const close = { icon: X, label, title: label, className: "icon-button", autoFocus: true, "data-close-panel": "true", onClick: () => open.set("") };
  return h(
    Panel,
    { className: "panel artifact-panel", labelledby: id },
    h("div", { className: "panel-head" }, h("h2", { id }, title), h(Button, close)),
    h("div", { className: "artifact-body" }, children),
  );
}

/** Props: `bare` (no large view: only the children are drawn), `place` (its name on the page), `title`, `children`. */
export function Artifact({ bare, children, ...props }) {
  return bare ? children : h(Enlargeable, props, children);
}

function Enlargeable({ place, title, children }) {
  const t = useTexts();
  const shown = open.use((at) => at === place);
  const [side, setSide] = useState(null);
  useMounted(place);
  useEffect(() => setSide(shown ? document.getElementById("artifact") : null), [shown]);
  const onClick = () => {
    // There is room for one panel.
    document.querySelector(".panel:not(.artifact-panel) [data-close-panel]")?.click();
    open.set(place);
  };
  const enlarge = { icon: Maximize2, label: t("research.at_side_of", { title }), title: t("research.at_side"), className: "icon-button small artifact-open" };
  return h(
    Fragment,
    null,
    h(
      "div",
      { className: "artifact" },
      children,
      h(Button, { ...enlarge, "aria-expanded": shown, "data-opens-panel": "true", "data-opens-artifact": "true", onClick }),
    ),
    side && shown && createPortal(h(LargeView, { place, title }, children), side),
  );
}
