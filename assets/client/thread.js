// The column of messages. It follows the newest line only while the reader is at the bottom.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { watch } from "./events.js";

const NEAR_PX = 24;
const SETTLED_MS = 1500;
/** The share of the height that must show the answer when something in it has folded; with less the thread scrolls to it. */
const SEEN = 0.3;
const BUSY = '[aria-busy="true"]';
const gently = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth");

/** The end of the last message within the content; the room below it may have been left by a fold. */
function endOf(content) {
  const last = content.lastElementChild;
  if (!last) return 0;
  return last.getBoundingClientRect().bottom - content.getBoundingClientRect().top + parseFloat(getComputedStyle(content).paddingBottom);
}

/**
 * The thread as it is drawn. Another `chat` starts at its end, or at the message that the address names (`#message-<id>`);
 * `turn` changes when a message was sent, and the thread goes there. While earlier messages are missing it is not `whole`.
 */
export function useThread({ chat, turn, whole = true }) {
  const frame = useRef(null);
  const content = useRef(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);

  const kept = useRef({ element: null, until: 0 });
  const release = () => {
    kept.current = { element: null, until: 0 };
  };
  const toEnd = (behavior = "instant") => {
    const element = frame.current;
    if (!element) return;
    release();
    follows.current = true;
    setAway(false);
    // An empty chat starts with its heading.
    const top = content.current.querySelector(".welcome") ? 0 : endOf(content.current) - element.clientHeight;
    element.scrollTo({ top: Math.max(0, top), behavior });
  };

  const { hash } = useLocation();
  const sought = useRef("");
  /** Keeps the message that was sought at the top while others are drawn above it, until nothing has moved for a while. */
  const keep = () => {
    const { element, until } = kept.current;
    if (!element || Date.now() > until) return false;
    kept.current.until = Date.now() + SETTLED_MS;
    element.scrollIntoView({ block: "start" });
    return true;
  };
  /** Scrolls to the sought message, if it is there. */
  const seek = () => {
    const element = sought.current && document.getElementById(sought.current);
    if (!element) return false;
    sought.current = "";
    follows.current = false;
    // Until earlier messages are there, it may stand at the end.
    kept.current = { element, until: whole ? Date.now() + SETTLED_MS : Infinity };
    element.scrollIntoView({ block: "start" });
    element.classList.remove("sought");
    requestAnimationFrame(() => element.classList.add("sought"));
    return true;
  };
  const letGo = () => {
    content.current.style.minHeight = "";
  };
  /** While an answer grows, a fold leaves its room to the text that follows: nothing moves as long as enough of the answer is in sight. */
  const follow = () => {
    const { scrollTop, clientHeight } = frame.current;
    const below = endOf(content.current) - scrollTop;
    const folded = below < clientHeight && below > clientHeight * SEEN && scrollTop > 0;
    if (folded && content.current.querySelector(BUSY)) {
      content.current.style.minHeight = `${scrollTop + clientHeight}px`;
    } else {
      letGo();
      toEnd();
    }
  };

  // The order matters: a chat that is there at once goes to its end first, and then to the message that is sought.
  useLayoutEffect(() => {
    letGo();
    if (!seek()) toEnd();
  }, [chat, turn]);
  useLayoutEffect(() => {
    sought.current = hash.startsWith("#message-") ? hash.slice(1) : "";
    seek();
  }, [chat, hash]);
  useLayoutEffect(() => {
    if (whole && !seek()) keep();
  }, [whole]);

  useEffect(() => {
    let { clientWidth: width, clientHeight: height } = frame.current;
    const onResize = () => {
      // A page that is being left has no size.
      if (!frame.current) return;
      // A queue that grows below takes its room from the thread, in which the room left by a fold would be a hole.
      if (frame.current.clientWidth !== width || frame.current.clientHeight < height) letGo();
      ({ clientWidth: width, clientHeight: height } = frame.current);
      if (!keep() && follows.current) follow();
    };
    return watch(new ResizeObserver(onResize), [content.current, frame.current]);
  }, []);

  // Another version of a message leaves the reader in place; so does a fold that opens, whose head would else be pushed
  // out of sight.
  const onClickCapture = (event) => {
    const opens = event.target.closest("summary") && !content.current.querySelector(BUSY);
    if (opens || event.target.closest("[data-keeps-place]")) follows.current = false;
  };
  const onScroll = () => {
    const { scrollTop, clientHeight } = frame.current;
    const distance = endOf(content.current) - scrollTop - clientHeight;
    if (distance < NEAR_PX) follows.current = Date.now() > kept.current.until;
    else if (scrollTop < lastTop.current) {
      follows.current = false;
      if (!content.current.querySelector(BUSY)) letGo();
    }
    lastTop.current = scrollTop;
    setAway(distance > 160 && !follows.current);
  };

  const own = { onWheel: release, onTouchMove: release, onPointerDown: release, onKeyDown: release };
  return { frame: { ref: frame, onScroll, onClickCapture, ...own }, content, away, jump: () => toEnd(gently()) };
}
