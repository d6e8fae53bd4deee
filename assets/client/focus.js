// The focus when elements replace one another.
import { useEffect, useId, useRef } from "react";

/** The id of a section. The section gets the focus when its buttons, one of which had it, have been removed. */
export function useFocusKept(open) {
  const section = useId();
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open && document.activeElement === document.body) document.getElementById(section)?.focus();
    wasOpen.current = open;
  }, [open]);
  return section;
}

/** The version of a message that the reader has selected, and the button used. */
let wanted = { message: "", side: "" };

/** Switching between versions of a message: `go(id, side)`, after which the same button of the other version has the focus. */
export function useVersionFocus(message, at) {
  useEffect(() => {
    if (wanted.message !== message) return;
    const group = `#message-${message} .versions`;
    const button = document.querySelector(`${group} [data-side="${wanted.side}"]:not(:disabled)`) ?? document.querySelector(`${group} button:not(:disabled)`);
    wanted = { message: "", side: "" };
    button?.focus({ preventScroll: true });
  }, [message, at]);
  return { go: (id, side) => void (wanted = { message: id, side }) };
}
