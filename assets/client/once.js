import { createElement as h, useEffect, useRef, useState } from "react";

/** After so long without an outcome, such as a refusal that leaves the button where it is, it can be used again. */
const BUSY_MS = 4000;

/** A button for what must not happen twice: a second click does nothing while the first one is under way. */
export function OnceButton({ onClick, children, ...rest }) {
  const busy = useRef(false);
  const [shown, setShown] = useState(false);
  const set = (value) => {
    busy.current = value;
    setShown(value);
  };
  useEffect(() => {
    if (!shown) return undefined;
    const timer = setTimeout(() => set(false), BUSY_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  const onClickOnce = (event) => {
    if (busy.current) return;
    set(true);
    onClick(event);
  };
  return h("button", { type: "button", ...rest, "aria-busy": shown, "aria-disabled": shown, onClick: onClickOnce }, children);
}
