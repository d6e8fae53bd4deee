// What is said while the server cannot be reached, and at once when the browser knows that it is offline.
import { createElement as h, useSyncExternalStore } from "react";
import { useTexts } from "./texts.js";

function watchLine(changed) {
  for (const name of ["online", "offline"]) window.addEventListener(name, changed);
  return () => {
    for (const name of ["online", "offline"]) window.removeEventListener(name, changed);
  };
}

/** Props: `lost` (whether the socket has failed to come back). */
export function Connection({ lost }) {
  const t = useTexts();
  const online = useSyncExternalStore(watchLine, () => navigator.onLine, () => true);
  if (online && !lost) return null;
  const spinner = h("span", { className: "spinner", "aria-hidden": true });
  return h("div", { className: "reconnecting", role: "status" }, spinner, online ? t("common.reconnecting") : t("common.offline"));
}
