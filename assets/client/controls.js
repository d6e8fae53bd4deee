// Controls that pages need in several places: a menu button, a modal dialog, a button that acts once, and forms in an answer.
import { createElement as h, useEffect, useId, useRef, useState } from "react";
import { after } from "./events.js";

/** Milliseconds after which a form without an outcome, such as after a refusal, can be sent again. */
const BUSY_MS = 4000;

/** A state that is true for a while after it was set. */
export function useBusy(milliseconds = BUSY_MS) {
  const [busy, setBusy] = useState(false);
  useEffect(() => (busy ? after(milliseconds, () => setBusy(false)) : undefined), [busy]);
  return [busy, setBusy];
}

const ITEMS = '[role^="menuitem"]';

/** A menu button and its menu, at which the style sheet places it: the properties of the `button` and of the `panel`, whose items have the role menuitem. */
export function useMenu() {
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
  return {
    button: { ref: button, "aria-expanded": open, popoverTarget: id },
    panel: { ref: panel, id, popover: "auto", onToggle, onKeyDown, onClick },
  };
}

/** The properties of a native modal dialog: focus stays inside, Esc and a click beside it close, and focus returns to where it was. */
export function useModal(open, onClose) {
  const dialog = useRef(null);
  useEffect(() => {
    if (open && !dialog.current.open) dialog.current.showModal();
    if (!open && dialog.current.open) dialog.current.close();
  }, [open]);
  const onCancel = (event) => {
    event.preventDefault();
    onClose();
  };
  return { ref: dialog, onCancel, onClick: (event) => event.target === dialog.current && onClose() };
}

/** A button that ignores a second click while the first one is under way. */
export function OnceButton({ onClick, children, ...rest }) {
  const [busy, setBusy] = useBusy();
  const onClickOnce = (event) => {
    // A second click may come before the button is drawn anew.
    if (event.currentTarget.ariaBusy === "true") return;
    event.currentTarget.ariaBusy = "true";
    setBusy(true);
    onClick(event);
  };
  return h("button", { type: "button", ...rest, "aria-busy": busy, "aria-disabled": busy, onClick: onClickOnce }, children);
}

/** Drafts by form: they outlive the elements in which they are written. */
const drafts = new Map();

/** The draft of a form, `{picked, text}`, whether it is being sent (`busy`), and the functions that change them. */
export function useForm(form) {
  const [draft, setDraft] = useState(() => drafts.get(form) ?? { picked: [], text: "" });
  const [busy, setBusy] = useBusy();
  const change = (values) => {
    drafts.set(form, { ...draft, ...values });
    setDraft(drafts.get(form));
  };
  const { picked } = draft;
  return {
    ...draft,
    busy,
    begin: () => setBusy(true),
    pick: (value) => change({ picked: [value] }),
    unpick: (value) => picked.includes(value) && change({ picked: [] }),
    toggle: (value) => change({ picked: picked.includes(value) ? picked.filter((one) => one !== value) : [...picked, value] }),
    write: (text) => change({ text }),
    labels: (options) => options.filter(({ id }) => picked.includes(id)).map(({ label }) => label).join(", "),
  };
}
