import { createElement as h, useId, useRef, useState } from "react";

const GAP_PX = 6;
const ITEMS = '[role^="menuitem"]';

/** Places the open panel under its button, or above where there is more room. */
function place(panel, button) {
  const at = button.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const below = at.bottom + GAP_PX + height < window.innerHeight;
  panel.style.top = `${below ? at.bottom + GAP_PX : Math.max(8, at.top - GAP_PX - height)}px`;
  panel.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - width - 8))}px`;
}

/** A menu button. Props: `label`, `face` (what the button shows), `className`, `children` (elements with role menuitem). */
export function Menu({ label, face, className, children }) {
  const id = useId();
  const button = useRef(null);
  const panel = useRef(null);
  const [open, setOpen] = useState(false);

  const onToggle = (event) => {
    const opened = event.newState === "open";
    setOpen(opened);
    if (opened) {
      place(panel.current, button.current);
      panel.current.querySelector(ITEMS)?.focus();
    }
  };
  const onKeyDown = (event) => {
    const items = [...panel.current.querySelectorAll(ITEMS)];
    const at = items.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      items.at(next % items.length)?.focus();
    } else if (event.key === "Tab") {
      panel.current.hidePopover();
    }
  };
  const onClick = (event) => {
    // Another place may press an item of a menu that is closed: the focus stays there.
    if (!event.target.closest(ITEMS) || !panel.current.matches(":popover-open")) return;
    panel.current.hidePopover();
    button.current.focus();
  };

  return [
    h(
      "button",
      {
        key: "button",
        ref: button,
        type: "button",
        className,
        "aria-label": label,
        title: label,
        "aria-haspopup": "menu",
        "aria-expanded": open,
        popoverTarget: id,
      },
      face,
    ),
    h("div", { key: "panel", ref: panel, id, popover: "auto", role: "menu", "aria-label": label, className: "menu", onToggle, onKeyDown, onClick }, children),
  ];
}
