import { createElement as h, useCallback, useEffect, useRef, useState } from "react";
import { CircleAlert, CircleCheck, X } from "lucide-react";

const SHOWN_MS = 7000;

function Notice({ notice, onClose }) {
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
    h(
      "button",
      { type: "button", className: "icon-button small", "aria-label": "Dismiss", onClick: onClose },
      h(X, { size: 15, "aria-hidden": true }),
    ),
  );
}

/** Shows each `notice` {number, tone, text} that the server sets, for some seconds; hovering or focus keeps it. */
export function Notices({ notice }) {
  const [shown, setShown] = useState([]);
  const last = useRef(null);
  const close = useCallback((number) => setShown((all) => all.filter((item) => item.number !== number)), []);
  useEffect(() => {
    if (!notice?.text || notice.number === last.current) return;
    last.current = notice.number;
    setShown((all) => [...all.filter((item) => item.text !== notice.text).slice(-2), notice]);
  }, [notice]);
  return h(
    "div",
    { className: "notices", "aria-live": "polite" },
    shown.map((item) => h(Notice, { key: item.number, notice: item, onClose: () => close(item.number) })),
  );
}
