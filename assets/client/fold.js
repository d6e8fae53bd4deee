// What opens and closes: steps, thinking, groups of them. What the reader has chosen is kept here for as long as the
// page is open, whatever is drawn anew around it; until then it is as the answer says.
import { createElement as h, useEffect, useRef, useSyncExternalStore } from "react";

/** Whether it is open, by the place of a fold; only of those that the reader has touched. */
const chosen = new Map();
const readers = new Set();

const subscribe = (reader) => {
  readers.add(reader);
  return () => readers.delete(reader);
};

function choose(place, open) {
  chosen.set(place, open);
  for (const reader of readers) reader();
}

/** Calls `onNear` once the element is about to be in sight. */
function useNear(element, wanted, onNear) {
  useEffect(() => {
    if (!wanted) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry.isIntersecting) return;
        observer.disconnect();
        onNear();
      },
      { rootMargin: "200px" },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [wanted]);
}

/**
 * Props: `bare` (whether there is nothing to fold: the children alone are drawn), `place` (its name on the page), `unfolded` (whether it is open until the reader says otherwise), `head`,
 * `children` (drawn while it is open), `filled` (whether what it shows is there) and `onFill` (asks for that, when it is
 * open and in sight).
 */
export function Fold({ bare, ...props }) {
  return bare ? h("div", { className: `${props.className} single` }, props.children) : h(Folding, props);
}

function Folding({ place, unfolded, head, children, filled = true, onFill, className, headClass, state }) {
  const choice = useSyncExternalStore(subscribe, () => chosen.get(place));
  const open = choice ?? Boolean(unfolded);
  const element = useRef(null);
  useNear(element, open && !filled, () => onFill?.());
  return h(
    "details",
    {
      ref: element,
      className,
      open,
      // The browser opens one by itself where a search of the page finds something in it.
      onToggle: (event) => event.target === event.currentTarget && event.currentTarget.open !== open && choose(place, !open),
    },
    h(
      "summary",
      {
        className: headClass,
        "data-state": state,
        onClick: (event) => {
          event.preventDefault();
          choose(place, !open);
        },
      },
      head,
    ),
    // What is only hidden counts as moved where it folds by itself.
    open ? children : null,
  );
}
