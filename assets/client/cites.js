// The numbers of citations in a text: a card with the quoted words at the pointer or the focus, and at a click the
// source itself. The card can be entered, stays until one leaves, and goes at Esc (WCAG 1.4.13).
import { createContext, createElement as h, Fragment, useCallback, useContext, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { BadgeCheck, TriangleAlert } from "lucide-react";
import { useTexts } from "./texts.js";

/** The answer whose text is drawn: `{run, cites, onCite}`. */
export const Answer = createContext({ run: "", cites: [], onCite: undefined });

const OPEN_MS = 120;
const CLOSE_MS = 220;
const EDGE_PX = 8;

/** Closes the card that is open: there is never more than one. */
let closeOpen = null;

function Card({ id, chip, cited, onEnter, onLeave }) {
  const card = useRef(null);
  const [place, setPlace] = useState(null);
  const put = useCallback(() => {
    const at = chip.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = card.current;
    const left = Math.min(Math.max(EDGE_PX, at.left + at.width / 2 - width / 2), window.innerWidth - width - EDGE_PX);
    const below = at.bottom + height + EDGE_PX < window.innerHeight;
    setPlace({ left, top: below ? at.bottom + 4 : Math.max(EDGE_PX, at.top - height - 4) });
  }, [chip]);
  useLayoutEffect(() => {
    put();
    window.addEventListener("scroll", put, true);
    window.addEventListener("resize", put);
    return () => {
      window.removeEventListener("scroll", put, true);
      window.removeEventListener("resize", put);
    };
  }, [put]);
  const { name, place: where, quote, verified, status } = cited;
  return h(
    "div",
    {
      ref: card,
      id,
      role: "tooltip",
      className: verified ? "cite-card" : "cite-card unverified",
      style: place ?? { visibility: "hidden" },
      onMouseEnter: onEnter,
      onMouseLeave: onLeave,
    },
    h("p", { className: "cite-card-name" }, name, where && h("span", null, `, ${where}`)),
    quote && h("blockquote", null, quote),
    h("p", { className: "cited-status" }, h(verified ? BadgeCheck : TriangleAlert, { size: 15, "aria-hidden": true }), h("span", null, status)),
  );
}

function useCard() {
  const [open, setOpen] = useState(false);
  const timer = useRef(0);
  const close = useCallback(() => {
    clearTimeout(timer.current);
    setOpen(false);
  }, []);
  const later = (wanted, milliseconds) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(wanted), milliseconds);
  };
  useEffect(() => {
    if (!open) return undefined;
    if (closeOpen && closeOpen !== close) closeOpen();
    closeOpen = close;
    const onKeyDown = (event) => {
      if (event.key !== "Escape") return;
      // The panel behind it stays.
      event.preventDefault();
      event.stopPropagation();
      close();
    };
    document.addEventListener("keydown", onKeyDown, true);
    return () => {
      document.removeEventListener("keydown", onKeyDown, true);
      if (closeOpen === close) closeOpen = null;
    };
  }, [open, close]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { open, close, later };
}

/** A number in the text; `label` is `2`, or `2?` where the quote could not be verified. */
export function Citation({ label }) {
  const t = useTexts();
  const { cites, onCite } = useContext(Answer);
  const { open, close, later } = useCard();
  const chip = useRef(null);
  const id = useId();
  const unverified = label.endsWith("?");
  const n = unverified ? label.slice(0, -1) : label;
  const cited = cites?.find((one) => String(one.n) === n);
  const className = unverified ? "cite unverified" : "cite";
  // The narrow blank keeps "page 3" and a number behind it apart, also where somebody copies the text.
  if (!cited) return h("sup", { className }, "\u202f", h("span", { className: "cite-chip" }, label));
  const enter = (delay) => later(true, delay);
  const leave = () => later(false, CLOSE_MS);
  return h(
    Fragment,
    null,
    h(
      "sup",
      { className },
      "\u202f",
      h(
        "button",
        {
          ref: chip,
          type: "button",
          className: "cite-chip",
          "aria-label": unverified ? t("messages.source_unverified", { number: n }) : t("messages.source", { number: n }),
          "aria-describedby": open ? id : undefined,
          "data-opens-panel": "true",
          onMouseEnter: () => enter(OPEN_MS),
          onMouseLeave: leave,
          onFocus: (event) => event.currentTarget.matches(":focus-visible") && enter(0),
          onBlur: close,
          onClick: () => {
            close();
            onCite?.(n);
          },
        },
        label,
      ),
    ),
    open && createPortal(h(Card, { id, chip: chip.current, cited, onEnter: () => enter(0), onLeave: leave }), document.body),
  );
}
