// The column of messages: it follows the newest line only while the reader is at the bottom.
import { createElement as h, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { ArrowDown } from "lucide-react";
import { useTexts } from "./texts.js";

const NEAR_PX = 24;
const SETTLED_MS = 1500;
/** After so long what is there has been painted, where a browser does not say when it is idle. */
const PAINTED_MS = 150;
/** So much of the height has to show the answer when something in it has folded; else it is scrolled to. */
const SEEN = 0.3;
const BUSY = '[aria-busy="true"]';
const gently = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth");

/** Where the last message ends, in the content: what is below it may be room that was left. */
function endOf(content) {
  const last = content.lastElementChild;
  if (!last) return 0;
  return last.getBoundingClientRect().bottom - content.getBoundingClientRect().top + parseFloat(getComputedStyle(content).paddingBottom);
}

/**
 * Props: `chat` (id: another chat starts at its end) and `turn` (changes when a message was sent: jump to it), `whole` (false
 * while messages above those that are there have yet to come), `onDrawn()` (asks for these, when the others have been
 * painted). Where the address names a message (`#message-<id>`), the thread starts there instead.
 */
export function Thread({ chat, turn, whole = true, onDrawn, children }) {
  const t = useTexts();
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
    // An empty chat has its heading first.
    const top = content.current.querySelector(".welcome") ? 0 : endOf(content.current) - element.clientHeight;
    element.scrollTo({ top: Math.max(0, top), behavior });
  };

  const { hash } = useLocation();
  const sought = useRef("");
  const kept = useRef({ element: null, until: 0 });
  /** Shows the message that is sought, if it is there. */
  const seek = () => {
    const element = sought.current && document.getElementById(sought.current);
    if (!element) return false;
    sought.current = "";
    follows.current = false;
    kept.current = { element, until: Date.now() + SETTLED_MS };
    element.scrollIntoView({ block: "start" });
    element.classList.remove("sought");
    requestAnimationFrame(() => element.classList.add("sought"));
    return true;
  };
  const letGo = () => {
    content.current.style.minHeight = "";
  };
  /** While an answer grows, what folds in it leaves its room to the text that follows: nothing moves, as long as enough of the answer is in sight. */
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

  useLayoutEffect(() => {
    sought.current = hash.startsWith("#message-") ? hash.slice(1) : "";
    seek();
  }, [chat, hash]);
  useLayoutEffect(() => {
    if (whole) seek();
  }, [whole]);
  useEffect(() => {
    if (whole || !chat) return undefined;
    if (!globalThis.requestIdleCallback) {
      const timer = setTimeout(onDrawn, PAINTED_MS);
      return () => clearTimeout(timer);
    }
    const waiting = requestIdleCallback(() => onDrawn(), { timeout: 4 * PAINTED_MS });
    return () => cancelIdleCallback(waiting);
  }, [chat, whole]);
  useLayoutEffect(() => {
    letGo();
    if (!seek()) toEnd();
  }, [chat, turn]);

  useEffect(() => {
    let { clientWidth: width, clientHeight: height } = frame.current;
    const onResize = () => {
      // A page that is being left has no size any more.
      if (!frame.current) return;
      // What grows below, such as a queue, takes its room from the thread: what was kept free would be a hole in it.
      if (frame.current.clientWidth !== width || frame.current.clientHeight < height) letGo();
      ({ clientWidth: width, clientHeight: height } = frame.current);
      const { element, until } = kept.current;
      if (follows.current) follow();
      // What stands above is drawn later, and moves it.
      else if (Date.now() < until) element.scrollIntoView({ block: "start" });
    };
    const observer = new ResizeObserver(onResize);
    observer.observe(content.current);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);

  // Going to another version of a message leaves the reader where they are; so does opening something, which would be
  // pushed out of sight by what it shows.
  const onClickCapture = (event) => {
    const opens = event.target.closest("summary") && !content.current.querySelector(BUSY);
    if (opens || event.target.closest("[data-keeps-place]")) follows.current = false;
  };
  const onScroll = () => {
    const { scrollTop, clientHeight } = frame.current;
    const distance = endOf(content.current) - scrollTop - clientHeight;
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
      { className: "thread", ref: frame, onScroll, onClickCapture, tabIndex: -1, id: "thread" },
      h("div", { className: "thread-content", ref: content }, children),
    ),
    away &&
      h(
        "button",
        { type: "button", className: "jump", "aria-label": t("common.jump"), onClick: () => toEnd(gently()) },
        h(ArrowDown, { size: 16, "aria-hidden": true }),
      ),
  );
}
