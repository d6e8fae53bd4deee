// Folds: steps, thinking, and groups of them. The reader's choice is kept for as long as the page is open, whatever is
// drawn anew around it; until then a fold is open or closed as the answer says.
import { createElement as h, useEffect, useRef } from "react";
import { createStore } from "./store.js";

/** Whether a fold is open, by its place; only folds that the reader has used. */
const chosen = createStore({});
const choose = (place, open) => chosen.set({ ...chosen.get(), [place]: open });

/** Calls `onNear` once the element is about to become visible. */
function useNear(element, wanted, onNear) {
  useEffect(() => {
    if (!wanted) return undefined;
    const onChange = ([entry]) => {
      if (!entry.isIntersecting) return;
      observer.disconnect();
      onNear();
    };
    const observer = new IntersectionObserver(onChange, { rootMargin: "200px" });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [wanted]);
}

/**
 * Props: `bare` (there is nothing to fold: the children are drawn alone), `place` (its name on the page), `unfolded` (whether
 * it is open until the reader decides), `head`, `children` (drawn while it is open), `filled` (whether they are complete)
 * and `onFill()` (asks for them when it is open and in sight).
 */
export function Fold({ bare, ...props }) {
  return bare ? h("div", { className: `${props.className} single` }, props.children) : h(Folding, props);
}

function Folding({ place, unfolded, head, children, filled = true, onFill, className, headClass, state }) {
  const choice = chosen.use((all) => all[place]);
  const open = choice ?? Boolean(unfolded);
  const element = useRef(null);
  useNear(element, open && !filled, () => onFill?.());
  const onClick = (event) => {
    event.preventDefault();
    choose(place, !open);
  };
  // The browser opens a fold by itself where a search of the page finds something in it.
  const onToggle = ({ target, currentTarget }) => target === currentTarget && currentTarget.open !== open && choose(place, !open);
  return h(
    "details",
    { ref: element, className, open, onToggle },
    h("summary", { className: headClass, "data-state": state, onClick }, head),
    // Hidden children would count as moved where the fold closes by itself.
    open ? children : null,
  );
}
