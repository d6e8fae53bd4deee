import { createElement as h, useCallback, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { Link } from "react-router";
import { useTexts } from "./texts.js";

const SHOWN_MS = 8000;
const SEEN = "leaf:notice";

/** The last notice of this tab: the server still has it when the page is loaded again. */
let seen = "";

/** What offers to take something back and was not closed: another page of Leaf's goes on offering it. */
let offered = [];

/** Whether a notice is new to this tab; asked once for each. */
function isNew(id) {
  try {
    seen = sessionStorage.getItem(SEEN) ?? seen;
    sessionStorage.setItem(SEEN, id);
  } catch {
    // Storage is refused; the script remembers it until the page is loaded again.
  }
  const fresh = id !== seen;
  seen = id;
  return fresh;
}

/** What can be done about a failure: a page that helps, or this one once more. */
function Next({ notice, onClose }) {
  if (!notice.next) return null;
  if (notice.path) return h(Link, { to: notice.path, className: "notice-undo", onClick: onClose }, notice.next);
  return h("button", { type: "button", className: "notice-undo", onClick: () => window.location.reload() }, notice.next);
}

function Notice({ notice, onClose, onUndo }) {
  const t = useTexts();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(onClose, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [held, onClose]);
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return h(
    "div",
    {
      className: `notice ${notice.tone}`,
      role: notice.tone === "error" ? "alert" : "status",
      onMouseEnter: hold,
      onMouseLeave: release,
      onFocus: hold,
      onBlur: release,
    },
    h(notice.tone === "error" ? CircleAlert : CircleCheck, { size: 18, "aria-hidden": true }),
    h("p", null, notice.text),
    notice.undo &&
      h(
        "button",
        {
          type: "button",
          className: "notice-undo",
          onClick: () => {
            onUndo(notice.undo);
            onClose();
          },
        },
        t("common.undo"),
      ),
    h(Next, { notice, onClose }),
    h(
      "button",
      { type: "button", className: "icon-button small", "aria-label": t("common.dismiss"), onClick: onClose },
      h(X, { size: 15, "aria-hidden": true }),
    ),
  );
}

/** The open dialog, if there is one: what stands behind it is neither seen nor heard. */
const dialogInFront = () => [...document.querySelectorAll("dialog:modal")].at(-1) ?? null;

/** Shows each `notice` {id, tone, text, undo, next, path} that the server sets, for some seconds; hovering or focus keeps it. */
export function Notices({ notice, onUndo }) {
  const [shown, setShown] = useState(() => offered.filter((item) => item.until > Date.now()));
  const close = useCallback((id) => {
    offered = offered.filter((item) => item.id !== id);
    setShown((all) => all.filter((item) => item.id !== id));
  }, []);
  useEffect(() => {
    if (!notice?.text || !isNew(notice.id)) return;
    if (notice.undo) offered = [...offered, { ...notice, until: Date.now() + SHOWN_MS }].slice(-3);
    setShown((all) => [...all.filter((item) => item.text !== notice.text || item.undo).slice(-2), notice]);
  }, [notice]);
  const [front, setFront] = useState(null);
  useEffect(() => {
    setFront(dialogInFront());
    if (!shown.length) return undefined;
    // Dialogs open and close while a notice is shown, and it goes with neither.
    const observer = new MutationObserver(() => setFront(dialogInFront()));
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ["open"] });
    return () => observer.disconnect();
  }, [shown]);
  const list = h(
    "div",
    { className: "notices", "aria-live": "polite" },
    shown.map((item) => h(Notice, { key: item.id, notice: item, onClose: () => close(item.id), onUndo })),
  );
  return front ? createPortal(list, front) : list;
}
