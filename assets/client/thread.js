// The column of messages: it follows the newest line only while the reader is at the bottom.
import { createElement as h, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ArrowDown } from "lucide-react";

const NEAR_PX = 24;
const BUSY = '[aria-busy="true"]';

/** Props: `chat` (id: another chat starts at its end) and `turn` (changes when a message was sent: jump to it). */
export function Thread({ chat, turn, children }) {
  const frame = useRef(null);
  const content = useRef(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);

  const toEnd = (behavior = "instant") => {
    const element = frame.current;
    if (!element) return;
    follows.current = true;
    setAway(false);
    element.scrollTo({ top: element.scrollHeight, behavior });
  };

  // While an answer grows, what folds in it leaves its room to the text that follows: nothing on the page moves.
  const letGo = () => {
    content.current.style.minHeight = "";
  };

  useLayoutEffect(() => {
    letGo();
    toEnd();
  }, [chat, turn]);

  useEffect(() => {
    let width = frame.current.clientWidth;
    const observer = new ResizeObserver(() => {
      if (frame.current.clientWidth !== width) letGo();
      else if (follows.current && content.current.querySelector(BUSY)) content.current.style.minHeight = `${content.current.offsetHeight}px`;
      width = frame.current.clientWidth;
      if (follows.current) toEnd();
    });
    observer.observe(content.current);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = frame.current;
    const distance = scrollHeight - scrollTop - clientHeight;
    if (distance < NEAR_PX) follows.current = true;
    else if (scrollTop < lastTop.current) {
      follows.current = false;
      if (!content.current.querySelector(BUSY)) letGo();
    }
    lastTop.current = scrollTop;
    setAway(distance > 160 && !follows.current);
  };

  return h(
    "div",
    { className: "thread-frame" },
    h(
      "div",
      { className: "thread", ref: frame, onScroll, tabIndex: -1, id: "thread" },
      h("div", { className: "thread-content", ref: content }, children),
    ),
    away &&
      h(
        "button",
        { type: "button", className: "jump", "aria-label": "Jump to latest", onClick: () => toEnd("smooth") },
        h(ArrowDown, { size: 16, "aria-hidden": true }),
      ),
  );
}
