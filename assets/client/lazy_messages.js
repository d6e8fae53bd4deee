// Messages far above the end of a long chat: their places are there at once, what stands in them follows when the
// browser has nothing else to do, or when somebody comes near.
import { createElement as h, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

const NEAR_PX = 1500;
/** Milliseconds of an idle period that are left for other work. */
const SPARE_MS = 6;

/** Functions that draw waiting messages, by element; in the order of the chat. */
const later = new Map();
const whenIdle = globalThis.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 12 }), 16));

/** The last ones first, because readers scroll to them first. One after the other, so that the measured time is right. */
function drawSome(idle) {
  for (const [element, draw] of [...later].reverse()) {
    later.delete(element);
    flushSync(draw);
    if (idle.timeRemaining() <= SPARE_MS) break;
  }
  if (later.size) whenIdle(drawSome);
}

let observer = null;

function watch(element) {
  const look = (entries) => entries.forEach(({ target, isIntersecting }) => isIntersecting && later.get(target)?.());
  observer ??= new IntersectionObserver(look, { root: element.closest(".thread"), rootMargin: `${NEAR_PX}px 0px` });
  observer.observe(element);
}

/** The place of a message. Props: `far` (whether its content may be drawn later), and those of the element. */
export function Far({ far, children, label, ...rest }) {
  const element = useRef(null);
  const [drawn, setDrawn] = useState(!far);
  useEffect(() => {
    if (drawn) return undefined;
    const place = element.current;
    if (!later.size) whenIdle(drawSome);
    later.set(place, () => setDrawn(true));
    watch(place);
    return () => {
      later.delete(place);
      observer.unobserve(place);
    };
  }, [drawn]);
  return h("div", { ...rest, ref: element, role: "article", "aria-label": label }, drawn ? children : null);
}
