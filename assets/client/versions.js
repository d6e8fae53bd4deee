// Which of several versions of a message is shown, and the way to the others.
import { createElement as h, useEffect, useRef } from "react";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useTexts } from "./texts.js";

/** The version that somebody has gone to, and the button by which: it has the focus there, too. */
let wanted = { id: "", side: "" };

/** Props: `message` (its id), `shown` (`{at, of, before, after}`: a place, a count, and ids), `onChoose(id)`. */
export function Versions({ message, shown, onChoose }) {
  const t = useTexts();
  const group = useRef(null);

  useEffect(() => {
    if (wanted.id !== message) return;
    const { side } = wanted;
    wanted = { id: "", side: "" };
    const one = group.current?.querySelector(`[data-side="${side}"]:not(:disabled)`);
    (one ?? group.current?.querySelector("button:not(:disabled)"))?.focus({ preventScroll: true });
  }, [message, shown]);

  if (!shown) return null;
  const go = (side, to) => () => {
    wanted = { id: to, side };
    onChoose(to);
  };
  const button = (side, to, label, icon) =>
    h(
      "button",
      {
        type: "button",
        className: "icon-button small",
        "aria-label": label,
        title: label,
        disabled: !to,
        "data-side": side,
        onClick: go(side, to),
      },
      h(icon, { size: 15, "aria-hidden": true }),
    );
  return h(
    "div",
    { ref: group, className: "versions", role: "group", "aria-label": t("versions.versions"), "data-keeps-place": "true" },
    button("before", shown.before, t("versions.previous"), ChevronLeft),
    h("span", { className: "versions-at" }, h("span", { className: "unseen" }, t("versions.version")), `${shown.at}/${shown.of}`),
    button("after", shown.after, t("versions.next"), ChevronRight),
  );
}
