// Keeps the keyboard focus when elements are replaced.
import { useEffect, useId, useRef } from "react";

/** The id for a section, which receives the focus when its buttons are removed while one of them has it. */
export function useFocusKept(open) {
  const section = useId();
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current && !open && document.activeElement === document.body) document.getElementById(section)?.focus();
    wasOpen.current = open;
  }, [open]);
  return section;
}

/** The message version that the reader is switching to, and the button used. */
let wanted = { message: "", side: "" };

/** `go(id, side)`: after the switch to version `id` of a message, its button of the same side receives the focus. */
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
