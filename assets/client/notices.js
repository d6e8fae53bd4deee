// Short messages in a corner of the page, the outcome of a sign-in or a connection, and whether the browser is online.
import { useEffect, useState, useSyncExternalStore } from "react";
import { listen, watch } from "./events.js";
import { attempt } from "./store.js";

/** The time for which the style sheet shows a notice (`controls.css`). */
const SHOWN_MS = 8000;
const SEEN = "leaf:notice";

/** The id of the last notice of this tab: the server still has it when the page is reloaded. */
let seen = "";

/** Open notices with an undo button: the next page shows them again. */
let offered = [];

/** Whether a notice is new to this tab; called once for each notice. */
function isNew(id) {
  // Without storage the id is remembered until the page is reloaded.
  const before = attempt(() => sessionStorage.getItem(SEEN)) ?? seen;
  attempt(() => sessionStorage.setItem(SEEN, id));
  seen = id;
  return id !== before;
}

/** The modal dialog in front, or null: elements behind it can be neither seen nor used. */
const dialogInFront = () => [...document.querySelectorAll("dialog:modal")].at(-1) ?? null;

/** The notices to show, each for some seconds (`shown`), and the dialog in `front` or null. `notice` is the last one of the server. */
export function useNotices(notice) {
  const [shown, setShown] = useState(() => offered.filter((item) => item.until > Date.now()));
  const close = (id) => {
    offered = offered.filter((item) => item.id !== id);
    setShown((all) => all.filter((item) => item.id !== id));
  };
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
    return watch(observer, [document.body], { subtree: true, childList: true, attributeFilter: ["open"] });
  }, [shown]);
  const drawn = (one) => ({ ...one, close: () => close(one.id), onAnimationEnd: ({ animationName }) => animationName === "leave" && close(one.id) });
  return { shown: shown.map(drawn), front };
}

const watchLine = (changed) => listen(window, { online: changed, offline: changed });

/** Whether the browser is online. */
export const useOnline = () => useSyncExternalStore(watchLine, () => navigator.onLine, () => true);

/**
 * The code of a problem that the server has put into the address to which it returns; calls `onConnected(provider)` for a
 * connection. Both are removed from the address, so that a reload does not show them again.
 */
export function useOutcome(onConnected) {
  const [code, setCode] = useState("");
  useEffect(() => {
    const address = new URL(window.location.href);
    const { problem, connected } = Object.fromEntries(address.searchParams);
    if (problem === undefined && connected === undefined) return;
    address.searchParams.delete("problem");
    address.searchParams.delete("connected");
    window.history.replaceState(window.history.state, "", address.pathname + address.search + address.hash);
    if (problem) setCode(problem);
    if (connected) onConnected?.(connected);
  }, []);
  return code;
}
