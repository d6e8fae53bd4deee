// Keeps the keyboard focus when elements are replaced, and gives it back when the panel at the side is closed.
import { createElement as h, useEffect, useId, useLayoutEffect, useRef } from "react";

/** The id for a section, which receives the focus when its buttons are removed while one of them has it. */
export function useFocusKept(open) {
  const section = useId();
  const keep = () => document.activeElement === document.body && document.getElementById(section)?.focus();
  useEffect(() => (open ? keep : undefined), [open]);
  return section;
}

/** The message version that the reader is switching to, and the button used. */
let wanted = { message: "", side: "" };

/** `go(id, side)`: after the switch to version `id` of a message, its button of the same side receives the focus. */
export function useVersionFocus(message, at) {
  useEffect(() => {
    if (wanted.message !== message) return;
    const group = `#message-${message} .versions`;
    const button = document.querySelector(`${group} [data-side="${wanted.side}"]:not(:disabled)`) ?? document.querySelector(`${group} button:not(:disabled)`);
    wanted = { message: "", side: "" };
    button?.focus({ preventScroll: true });
  }, [message, at]);
  return { go: (id, side) => void (wanted = { message: id, side }) };
}

/** The control that opened the panel. */
let opener = null;

/** Remembers the control that was used last to open the panel; not every browser gives the focus to a clicked one. */
export function noteOpener(target) {
  const control = target.closest("[data-opens-panel]");
  const menu = control?.closest("[popover]");
  // An item of a closed menu is hidden; the button of the menu takes its place.
  opener = (menu && document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`)) ?? control ?? opener;
}

function giveBack() {
  const places = [opener, ...document.querySelectorAll("[data-opens-panel]"), document.querySelector('textarea[name="message"]')];
  places.find((place) => place?.checkVisibility())?.focus({ preventScroll: true });
}

/** Props: `labelledby` (the id of its heading), `passage` (the id of an element in it that is scrolled to, and a counter behind a blank), `children`. */
export function Panel({ className, labelledby, passage, children }) {
  const aside = useRef(null);
  useLayoutEffect(() => {
    const element = aside.current;
    return () => {
      if (element.contains(document.activeElement) || document.activeElement === document.body) giveBack();
    };
  }, []);
  useEffect(() => {
    const shown = passage && document.getElementById(passage.split(" ")[0]);
    if (!shown || !aside.current.contains(shown)) return;
    shown.scrollIntoView({ block: "center" });
    shown.focus({ preventScroll: true });
  }, [passage]);
  return h("aside", { ref: aside, className, "aria-labelledby": labelledby }, children);
}
