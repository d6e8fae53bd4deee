// The numbers of citations in a text: a card with the quoted words at the pointer or the focus, and at a click the
// source itself. The card can be entered, stays until the pointer leaves it, and closes at Esc (WCAG 1.4.13).
import { createContext, useContext, useEffect, useId, useRef, useState } from "react";

/** The answer whose text is drawn: `{run, cites, hosts, asks, given, onCite, parts}`. */
export const Answer = createContext({ run: "", cites: [], asks: "hosts", onCite: undefined, parts: {} });

const OPEN_MS = 120;
const CLOSE_MS = 220;

/** The browser shows one card at a time, in front of the page, and closes it at Esc. */
const show = (card) => card?.showPopover();

/** A number in the text, with the source that is `cited` (null before that is known). `label` is `2`, or `2?` without a verified quote. */
export function useCitation(label) {
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
  const onMouseLeave = () => turn(false, CLOSE_MS);
  const chip = {
    "aria-describedby": open ? id : undefined,
    // The card is positioned at it (`trust.css`).
    style: open ? { anchorName: "--cite" } : undefined,
    onMouseEnter: () => turn(true, OPEN_MS),
    onMouseLeave,
    onFocus: (event) => event.currentTarget.matches(":focus-visible") && turn(true),
    onBlur: () => turn(false),
    onClick: () => {
      turn(false);
      onCite?.(number);
    },
  };
  const onToggle = ({ newState }) => newState === "closed" && turn(false);
  const card = { id, ref: show, onToggle, onMouseEnter: () => turn(true), onMouseLeave };
  const cited = cites?.find((one) => String(one.n) === number) ?? null;
  return { number, cited, unverified: label !== number, open: open && cited !== null, chip, card };
}
