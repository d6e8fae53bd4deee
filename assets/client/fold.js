// Folds: steps, thinking, and groups of them. The reader's choice is kept for as long as the page is open, whatever is
// drawn anew around it; until then a fold is open or closed as the answer says.
import { useEffect, useRef } from "react";
import { watch } from "./events.js";
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
    return watch(observer, [element.current]);
  }, [wanted]);
}

/** A fold as it is drawn. `onFill()` asks for what is in it once it is open and in sight, if it is not `filled`. */
export function useFold({ place, unfolded, filled, onFill }) {
  const choice = chosen.use((all) => all[place]);
  const open = choice ?? Boolean(unfolded);
  const element = useRef(null);
  useNear(element, open && !filled, onFill);
  const onClick = (event) => {
    event.preventDefault();
    choose(place, !open);
  };
  // The browser opens a fold by itself where a search of the page finds something in it.
  const onToggle = ({ target, currentTarget }) => target === currentTarget && currentTarget.open !== open && choose(place, !open);
  return { open, frame: { ref: element, open, onToggle }, head: { onClick } };
}
