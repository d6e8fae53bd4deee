// The outcome of a sign-in or a connection, which the server puts into the address of the page to which it returns.
import { createElement as h, useEffect, useState } from "react";
import { CircleAlert } from "lucide-react";

/**
 * Reads `problem` and `connected` from the address once and removes them, so that a reload does not show them again.
 * Props: `problems` (words by code), `otherwise` (words for every other code, may be empty),
 * `onConnected(provider)`.
 */
export function Outcome({ problems, otherwise, onConnected }) {
  const [code, setCode] = useState("");
  useEffect(() => {
    const address = new URL(window.location.href);
    const found = address.searchParams.get("problem");
    const provider = address.searchParams.get("connected");
    if (found === null && provider === null) return;
    address.searchParams.delete("problem");
    address.searchParams.delete("connected");
    window.history.replaceState(window.history.state, "", address.pathname + address.search + address.hash);
    if (found) setCode(found);
    if (provider) onConnected?.(provider);
  }, []);
  const problem = Object.hasOwn(problems, code) ? problems[code] : otherwise;
  if (!code || !problem) return null;
  return h(
    "div",
    { className: "banner error", role: "alert" },
    h(CircleAlert, { size: 18, "aria-hidden": true }),
    h("div", { className: "banner-text" }, problem),
  );
}
