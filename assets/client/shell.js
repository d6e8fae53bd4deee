// What belongs to the whole window: keyboard shortcuts, the sidebar that collapses to a rail, and the drawer on phones.
import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { noteOpener } from "./panel.js";
import { messageBox, shortcutOf } from "./shortcuts.js";

const RAIL = "leaf:rail";
const PHONE = "(max-width: 767px)";
const root = () => document.documentElement;

const phone = () => window.matchMedia(PHONE).matches;

/** Opens or closes the drawer; while it is open nothing behind it can be reached. */
function setDrawer(open) {
  const was = root().dataset.drawer === "open";
  if (open === was) return;
  if (open) root().dataset.drawer = "open";
  else delete root().dataset.drawer;
  const main = document.getElementById("main");
  if (main) main.inert = open;
  // A frame later, for what is still hidden cannot take the focus.
  const place = open ? "#sidebar [data-toggle-sidebar]" : "#main [data-toggle-sidebar]";
  setTimeout(() => document.querySelector(place)?.focus(), 60);
}

export function toggleSidebar() {
  if (phone()) {
    setDrawer(root().dataset.drawer !== "open");
    return;
  }
  const rail = root().dataset.rail !== "true";
  root().dataset.rail = String(rail);
  localStorage.setItem(RAIL, String(rail));
}

function onKeyDown(event, page) {
  const shortcut = event.defaultPrevented ? null : shortcutOf(event);
  if (shortcut) {
    event.preventDefault();
    shortcut.run(page);
  } else if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open], :popover-open")) {
    if (root().dataset.drawer === "open") setDrawer(false);
    else (document.querySelector("[data-on-escape]") ?? document.querySelector("[data-close-panel]"))?.click();
  }
}

function onClick(event) {
  noteOpener(event.target);
  // The button goes away with what it retries; on a phone the keyboard would come up.
  if (event.target.closest("[data-retry]") && event.pointerType !== "touch") messageBox()?.focus({ preventScroll: true });
  if (event.target.closest("[data-toggle-sidebar]")) toggleSidebar();
  else if (event.target.closest("[data-scrim]")) setDrawer(false);
}

/** A browser lets a tab be that shows by 32 pixels; who goes there by the keyboard wants to read it. */
const onFocusIn = ({ target }) => target.closest?.(".tab")?.scrollIntoView({ block: "nearest", inline: "nearest" });

/** Draws nothing; it listens while a page of the app is shown. */
export function Behaviour() {
  const { pathname } = useLocation();
  const page = useRef({});
  page.current = { navigate: useNavigate(), pathname };
  useEffect(() => {
    const onKey = (event) => onKeyDown(event, page.current);
    const wide = window.matchMedia(PHONE);
    const onWidth = () => setDrawer(false);
    document.addEventListener("keydown", onKey);
    document.addEventListener("click", onClick);
    document.addEventListener("focusin", onFocusIn);
    wide.addEventListener("change", onWidth);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("click", onClick);
      document.removeEventListener("focusin", onFocusIn);
      wide.removeEventListener("change", onWidth);
      setDrawer(false);
    };
  }, []);
  useEffect(() => {
    setDrawer(false);
    // Where large letters make the tabs wider than the page, the one that is open is in sight.
    document.querySelector('.tab[aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [pathname]);
  return null;
}
