// The numbers of citations in a text: a card with the quoted words at the pointer or the focus, and at a click the
// source itself. The card can be entered, stays until the pointer leaves it, and closes at Esc (WCAG 1.4.13).
import { createContext, createElement as h, Fragment, useContext, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { BadgeCheck, Calculator, Pencil, TriangleAlert } from "lucide-react";
import { useTexts } from "./texts.js";

/** The answer whose text is drawn: `{run, cites, hosts, asks, given, onCite}`. */
export const Answer = createContext({ run: "", cites: [], asks: "hosts", onCite: undefined });

const OPEN_MS = 120;
const CLOSE_MS = 220;

/** The browser shows one card at a time, in front of the page, and closes it at Esc. */
const show = (card) => card?.showPopover();

function Card({ cited: { name, place, quote, verified, status, call, moved, edited }, ...props }) {
  const holds = verified && !moved;
  return h(
    "div",
    { ...props, ref: show, popover: "auto", role: "tooltip", className: `cite-card${verified ? "" : " unverified"}${moved ? " moved" : ""}` },
    h("p", { className: "cite-card-name" }, name, place && h("span", null, `, ${place}`)),
    quote && h("blockquote", null, quote),
    h("p", { className: "cited-status" }, h(holds ? (call ? Calculator : BadgeCheck) : TriangleAlert, { size: 15, "aria-hidden": true }), h("span", null, status)),
    edited && h("p", { className: "cited-status" }, h(Pencil, { size: 15, "aria-hidden": true }), h("span", null, edited)),
  );
}

/** A number in the text; `label` is `2`, `2?` if the quote could not be verified, or `~1,250` for a figure of the model's own. */
export function Citation({ label }) {
  return label.startsWith("~") ? h(OwnFigure, null, label.slice(1)) : h(Numbered, { label });
}

/** A figure that is neither quoted nor computed. */
function OwnFigure({ children }) {
  return h("span", { className: "own-figure", title: useTexts()("messages.own_figure") }, children);
}

function Numbered({ label }) {
  const t = useTexts();
  const { cites, onCite } = useContext(Answer);
  const [open, setOpen] = useState(false);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const turn = (wanted, milliseconds = 0) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(wanted), milliseconds);
  };
  const id = useId();
  const number = label.replace("?", "");
  const unverified = label !== number;
  const cited = cites?.find((one) => String(one.n) === number);
  const className = unverified ? "cite unverified" : cited?.moved ? "cite moved" : "cite";
  const moved = cited?.moved && (cited.verified && !cited.unchecked ? "messages.source_moved" : "messages.source_told");
  const said = unverified ? "messages.source_unverified" : moved || "messages.source";
  // The narrow blank keeps "page 3" and a number behind it apart, also in a copied text.
  if (!cited) return h("sup", { className }, "\u202f", h("span", { className: "cite-chip" }, label));
  const chip = {
    type: "button",
    className: "cite-chip",
    "aria-label": t(said, { number, status: cited.status }),
    "aria-describedby": open ? id : undefined,
    "data-opens-panel": "true",
    // The card is positioned at it (`trust.css`).
    style: open ? { anchorName: "--cite" } : undefined,
    onMouseEnter: () => turn(true, OPEN_MS),
    onMouseLeave: () => turn(false, CLOSE_MS),
    onFocus: (event) => event.currentTarget.matches(":focus-visible") && turn(true),
    onBlur: () => turn(false),
    onClick: () => {
      turn(false);
      onCite?.(number);
    },
  };
  const onToggle = ({ newState }) => newState === "closed" && turn(false);
  const card = { id, cited, onToggle, onMouseEnter: () => turn(true), onMouseLeave: () => turn(false, CLOSE_MS) };
  return h(
    Fragment,
    null,
    h("sup", { className }, "\u202f", h("button", chip, label)),
    open && createPortal(h(Card, card), document.body),
  );
}
