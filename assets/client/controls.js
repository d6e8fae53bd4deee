// Controls that a page needs in several places: a menu button, a modal dialog, and a button that acts once.
import { createElement as h, useEffect, useId, useRef, useState } from "react";
import { useBusy } from "./form.js";

const ITEMS = '[role^="menuitem"]';

/** A menu button, at which the style sheet places the menu. Props: `label`, `face` (the content of the button), `className`, `children` (elements with role menuitem). */
export function Menu({ label, face, className, children }) {
  const id = useId();
  const button = useRef(null);
  const panel = useRef(null);
  const [open, setOpen] = useState(false);

  const onToggle = (event) => {
    const opened = event.newState === "open";
    setOpen(opened);
    if (opened) panel.current.querySelector(ITEMS)?.focus();
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
    // A script may click an item of a closed menu: the focus stays where it is.
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

/** A native modal dialog: focus stays inside, Esc and a click beside it close, and focus returns to where it was. */
export function Modal({ open, label, onClose, children }) {
  const dialog = useRef(null);
  useEffect(() => {
    if (open && !dialog.current.open) dialog.current.showModal();
    if (!open && dialog.current.open) dialog.current.close();
  }, [open]);
  return h(
    "dialog",
    {
      ref: dialog,
      className: "modal",
      "aria-label": label,
      onCancel: (event) => {
        event.preventDefault();
        onClose();
      },
      onClick: (event) => event.target === dialog.current && onClose(),
    },
    open ? children : null,
  );
}

/** A button that ignores a second click while the first one is under way. */
export function OnceButton({ onClick, children, ...rest }) {
  const [busy, setBusy] = useBusy();
  const held = useRef(false);
  useEffect(() => {
    held.current = busy;
  }, [busy]);
  const onClickOnce = (event) => {
    if (held.current) return;
    held.current = true;
    setBusy(true);
    onClick(event);
  };
  return h("button", { type: "button", ...rest, "aria-busy": busy, "aria-disabled": busy, onClick: onClickOnce }, children);
}
