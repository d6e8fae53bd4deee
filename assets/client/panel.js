// The panel at the side. The focus returns to the control that opened it.
import { createElement as h, useEffect, useLayoutEffect, useRef } from "react";

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
