// Messages far above the end of a long chat: their places are there at once, what stands in them follows when the
// browser has nothing else to do, or when somebody comes near.
import { createElement as h, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { whenNear } from "./events.js";

const NEAR = "1500px 0px";
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

/** The place of a message. Props: `far` (whether its content may be drawn later), and those of the element. */
export function Far({ far, children, label, ...rest }) {
  const element = useRef(null);
  const [drawn, setDrawn] = useState(!far);
  useEffect(() => {
    if (drawn) return undefined;
    const place = element.current;
    if (!later.size) whenIdle(drawSome);
    const draw = () => setDrawn(true);
    later.set(place, draw);
    const end = whenNear(place, NEAR, draw);
    return () => {
      later.delete(place);
      end();
    };
  }, [drawn]);
  return h("div", { ...rest, ref: element, role: "article", "aria-label": label }, drawn ? children : null);
}
