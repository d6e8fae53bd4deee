// A whole page of the app: keys, the sidebar that collapses to a rail, the drawer on phones, and the density.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { useLocation, useNavigate } from "react-router";
import { allShown } from "./chats.js";
import { listen, watch } from "./events.js";
import { noteOpener } from "./focus.js";

const RAIL = "leaf:rail";
/** Two clicks that are nearer to each other are one. */
const TWICE_MS = 600;
const PHONE = "(max-width: 767px)";
const root = () => document.documentElement;

/** The ref of an element that stays in the middle of its parent, which scrolls sideways, at every width. */
export function inMiddle(element) {
  const row = element?.parentElement;
  if (!row) return undefined;
  const centre = () => {
    row.scrollLeft = element.offsetLeft - row.offsetLeft - (row.clientWidth - element.clientWidth) / 2;
  };
  // The row has its width before the texts of another language have theirs.
  return watch(new ResizeObserver(centre), [row, ...row.children]);
}

/** Uses the last control that a selector finds: a text box gets the focus, another one is clicked. */
export function press(selector) {
  const control = [...document.querySelectorAll(selector)].at(-1);
  if (control?.matches("textarea")) control.focus({ preventScroll: true });
  else control?.click();
}

/** Opens or closes the drawer; while it is open nothing behind it can be reached. */
function setDrawer(open) {
  if (open === (root().dataset.drawer === "open")) return;
  if (open) root().dataset.drawer = "open";
  else delete root().dataset.drawer;
  const main = document.getElementById("main");
  if (main) main.inert = open;
  // A frame later, for a control that is still hidden cannot take the focus.
  const place = open ? "#sidebar [data-toggle-sidebar]" : "#main [data-toggle-sidebar]";
  setTimeout(() => document.querySelector(place)?.focus(), 60);
}

function toggleSidebar() {
  if (window.matchMedia(PHONE).matches) {
    setDrawer(root().dataset.drawer !== "open");
    return;
  }
  const rail = root().dataset.rail !== "true";
  root().dataset.rail = String(rail);
  localStorage.setItem(RAIL, String(rail));
}

/** Whether the sidebar shows its words: the drawer of a phone is open, or it is no rail. */
const isExpanded = () => (window.matchMedia(PHONE).matches ? root().dataset.drawer === "open" : root().dataset.rail !== "true");

function watchSidebar(onChange) {
  const ends = [
    watch(new MutationObserver(onChange), [root()], { attributeFilter: ["data-drawer", "data-rail"] }),
    listen(window.matchMedia(PHONE), { change: onChange }),
  ];
  return () => ends.forEach((end) => end());
}

/** The properties of a button that folds or opens the sidebar. */
export function useSidebarToggle() {
  const expanded = useSyncExternalStore(watchSidebar, isExpanded, () => true);
  return { button: { "aria-expanded": expanded, "aria-controls": "sidebar", "data-toggle-sidebar": "true" } };
}

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable=true], dialog[open]");

/** The shortcut of a key (`leaf/components/shortcuts.py`); undefined while typing, unless Ctrl or Cmd is held. */
function shortcutOf(event, shortcuts) {
  const command = event.ctrlKey || event.metaKey;
  const dialog = document.querySelector("dialog[open]");
  return shortcuts.find(
    (one) =>
      one.key.toLowerCase() === event.key.toLowerCase() &&
      one.command === command &&
      one.alt === event.altKey &&
      (one.key === "?" || one.key === "/" || one.shift === event.shiftKey) &&
      (one.command || !typing(event.target)) &&
      (!dialog || (one.press === "[data-palette]" && dialog.dataset.dialog === "palette")),
  );
}

/** Follows the link of the chat before or after the open one, in the order of the list. */
function step(by, { navigate, pathname }) {
  const rows = allShown();
  const at = rows.findIndex((row) => pathname === `/chat/${row.id}`);
  const next = rows[at < 0 ? 0 : at + by];
  if (next) navigate(`/chat/${next.id}`);
}

function onKeyDown(event, page) {
  const shortcut = event.defaultPrevented ? null : shortcutOf(event, page.shortcuts);
  if (shortcut) {
    event.preventDefault();
    if (shortcut.press) press(shortcut.press);
    else step(shortcut.step, page);
  } else if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open], :popover-open")) {
    if (root().dataset.drawer === "open") setDrawer(false);
    else (document.querySelector("[data-on-escape]") ?? document.querySelector("[data-close-panel]"))?.click();
  }
}

function onClick({ target, pointerType }) {
  noteOpener(target);
  // The button goes away with the answer that it retries; on a phone the keyboard would come up.
  if (target.closest("[data-retry]") && pointerType !== "touch") press('textarea[name="message"]');
  if (target.closest("[data-toggle-sidebar]")) toggleSidebar();
  else if (target.closest("[data-scrim]")) setDrawer(false);
  // A click outside a dialog is a click on the dialog itself.
  else if (target.matches("dialog[data-closes]")) target.close();
}

/** When a form was submitted last. */
const submitted = new WeakMap();

/** A double click or a second Enter submits a form once, unless something was typed into it in between. */
function onSubmit(event) {
  const before = submitted.get(event.target) ?? -TWICE_MS;
  submitted.set(event.target, event.timeStamp);
  if (event.timeStamp - before >= TWICE_MS) return;
  event.preventDefault();
  event.stopPropagation();
}

/** A browser lets a tab be that shows by 32 pixels; who goes there by the keyboard wants to read it. */
const onFocusIn = ({ target }) => target.closest?.(".tab")?.scrollIntoView({ block: "nearest", inline: "nearest" });

/** Draws nothing; it listens while a page of the app is shown. Props: `shortcuts`, and the chosen `density`. */
export function Behaviour({ shortcuts, density }) {
  const { pathname } = useLocation();
  const page = { navigate: useNavigate(), pathname, shortcuts };
  const keydown = useEffectEvent((event) => onKeyDown(event, page));
  useEffect(() => {
    const wide = window.matchMedia(PHONE);
    const ends = [
      listen(document, { keydown, click: onClick, focusin: onFocusIn }),
      listen(document, { submit: onSubmit, input: ({ target }) => submitted.delete(target.form) }, true),
      listen(wide, { change: () => setDrawer(false) }),
    ];
    return () => {
      for (const end of ends) end();
      setDrawer(false);
    };
  }, []);
  useEffect(() => {
    // The script in the head has applied what was chosen before.
    if (density) root().dataset.density = density;
  }, [density]);
  useEffect(() => setDrawer(false), [pathname]);
  return null;
}
