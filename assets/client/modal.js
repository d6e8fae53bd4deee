import { createElement as h, useEffect, useRef } from "react";

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
