// The panel at the side. Whoever closes it goes on where they opened it.
import { createElement as h, useEffect, useLayoutEffect, useRef } from "react";

let opener = null;

/** Remembers the control that was used last to open the panel; not every browser gives the focus to a clicked one. */
export function noteOpener(target) {
  const control = target.closest("[data-opens-panel]");
  const menu = control?.closest("[popover]");
  // An item of a menu is out of sight afterwards: its button is not.
  opener = (menu && document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`)) ?? control ?? opener;
}

function giveBack() {
  const places = [opener, ...document.querySelectorAll("[data-opens-panel]"), document.querySelector('textarea[name="message"]')];
  places.find((place) => place?.checkVisibility())?.focus({ preventScroll: true });
}

/** Props: `labelledby` (the id of its heading), `passage` (the id of what to show in it, and a sign that changes), `children`. */
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
