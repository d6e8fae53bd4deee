// Large views at the side, of results of display tools and of changed files. The same elements are drawn in the answer
// and at the side, so both views show the same.
import { useEffect, useId, useState } from "react";
import { createPortal } from "react-dom";
import { listen } from "./events.js";
import { createStore } from "./store.js";

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
    mounted.set(place, (mounted.get(place) ?? 0) + 1);
    return () => {
      mounted.set(place, mounted.get(place) - 1);
      if (!mounted.get(place)) mounted.delete(place);
      setTimeout(() => open.get() === place && !mounted.has(place) && open.set(""));
    };
  }, [place]);
}

/** Draws its children in an element elsewhere on the page, or in their place without one. */
export const Portal = ({ into, children }) => (into ? createPortal(children, into) : children);

/** The artifact of a place: the element at the `side` while its large view is open, else null, and what opens and closes it. */
export function useArtifact(place) {
  const shown = open.use((at) => at === place);
  const [side, setSide] = useState(null);
  useMounted(place);
  useEffect(() => {
    setSide(shown ? document.getElementById("artifact") : null);
    return shown ? listen(document, { click: closeForAnother }) : undefined;
  }, [shown]);
  const enlarge = () => {
    // There is room for one panel.
    document.querySelector(".panel:not(.artifact-panel) [data-close-panel]")?.click();
    open.set(place);
  };
  return { shown, side, heading: useId(), enlarge, close: () => open.set("") };
}
