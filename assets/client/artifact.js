// Large views at the side, of results of display tools and of changed files. The same elements are drawn in the answer
// and at the side, so both views show the same.
import { useEffect, useId, useState } from "react";
import { createPortal } from "react-dom";
import { listen } from "./events.js";
import { createStore } from "./store.js";

/** The place of the artifact that is open at the side; empty without one. */
const open = createStore("");

function closeForAnother(event) {
  const opener = event.target.closest("[data-opens-panel]");
  if (opener && !opener.hasAttribute("data-opens-artifact")) open.set("");
}

const isThere = (place) => document.querySelector(`[data-artifact="${CSS.escape(place)}"]`) !== null;

/** Closes the large view when its artifact has gone: while one moves, because its answer is done, it is gone for a moment. */
const closeIfGone = (place) => setTimeout(() => open.get() === place && !isThere(place) && open.set(""));

/** Draws its children in an element elsewhere on the page, or in their place without one. */
export const Portal = ({ into, children }) => (into ? createPortal(children, into) : children);

/** The artifact of a place: the element at the `side` while its large view is open, else null, and what opens and closes it. */
export function useArtifact(place) {
  const shown = open.use((at) => at === place);
  const [side, setSide] = useState(null);
  useEffect(() => () => closeIfGone(place), [place]);
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
