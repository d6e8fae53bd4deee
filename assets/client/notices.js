import { createElement as h, useCallback, useEffect, useState } from "react";
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { useTexts } from "./texts.js";

const SHOWN_MS = 8000;
const SEEN = "leaf:notice";

/** The last notice of this tab: the server still has it when the page is loaded again. */
let seen = "";

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
    h(
      "button",
      { type: "button", className: "icon-button small", "aria-label": t("common.dismiss"), onClick: onClose },
      h(X, { size: 15, "aria-hidden": true }),
    ),
  );
}

/** Shows each `notice` {id, tone, text} that the server sets, for some seconds; hovering or focus keeps it. */
export function Notices({ notice, onUndo }) {
  const [shown, setShown] = useState([]);
  const close = useCallback((id) => setShown((all) => all.filter((item) => item.id !== id)), []);
  useEffect(() => {
    if (!notice?.text || !isNew(notice.id)) return;
    setShown((all) => [...all.filter((item) => item.text !== notice.text || item.undo).slice(-2), notice]);
  }, [notice]);
  return h(
    "div",
    { className: "notices", "aria-live": "polite" },
    shown.map((item) => h(Notice, { key: item.id, notice: item, onClose: () => close(item.id), onUndo })),
  );
}
