// Short messages in a corner of the page, and the line that says that the server cannot be reached.
import { createElement as h, useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { Link } from "react-router";
import { useTexts } from "./texts.js";

const SHOWN_MS = 8000;
const SEEN = "leaf:notice";

/** The id of the last notice of this tab: the server still has it when the page is reloaded. */
let seen = "";

/** Open notices with an undo button: the next page shows them again. */
let offered = [];

/** Whether a notice is new to this tab; called once for each notice. */
function isNew(id) {
  try {
    seen = sessionStorage.getItem(SEEN) ?? seen;
    sessionStorage.setItem(SEEN, id);
  } catch {
    // Without storage the id is remembered until the page is reloaded.
  }
  const fresh = id !== seen;
  seen = id;
  return fresh;
}

/** The next step after a failure: a link to a page that helps, or a button that loads this page again. */
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

/** The modal dialog in front, or null: elements behind it can be neither seen nor used. */
const dialogInFront = () => [...document.querySelectorAll("dialog:modal")].at(-1) ?? null;

/** Shows each `notice` {id, tone, text, undo, next, path} of the server for some seconds; pointing at it or focus keeps it. */
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

function watchLine(changed) {
  for (const name of ["online", "offline"]) window.addEventListener(name, changed);
  return () => {
    for (const name of ["online", "offline"]) window.removeEventListener(name, changed);
  };
}

/** Props: `lost` (whether the socket has failed to reconnect). */
export function Connection({ lost }) {
  const t = useTexts();
  const online = useSyncExternalStore(watchLine, () => navigator.onLine, () => true);
  if (online && !lost) return null;
  const spinner = h("span", { className: "spinner", "aria-hidden": true });
  return h("div", { className: "reconnecting", role: "status" }, spinner, online ? t("common.reconnecting") : t("common.offline"));
}
