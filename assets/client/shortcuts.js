// What can be done by a key, from everywhere: the keys, what they are called, and what they do. Without Ctrl or Cmd none
// of them acts while one types.
import { allShown } from "./chats.js";
import { toggleSidebar } from "./shell.js";

const apple = () => /Mac|iPhone|iPad/.test(navigator.platform);
const press = (selector) => document.querySelector(selector)?.click();
const last = (selector) => [...document.querySelectorAll(selector)].at(-1);

export const messageBox = () => document.querySelector('textarea[name="message"]');
export const copyLastAnswer = () => last('.message.answer button[data-copies="answer"]')?.click();
export const stopAnswer = () => press('.send-button.stop');
export const newChat = () => press("[data-new-chat]");
export const showHelp = () => press("[data-help]");

/** The link of the chat before or after the open one, as the list stands. */
function step(by, navigate, pathname) {
  const rows = allShown();
  const at = rows.findIndex((row) => pathname === `/chat/${row.id}`);
  const next = rows[at < 0 ? 0 : at + by];
  if (next) navigate(`/chat/${next.id}`);
}

/** `name` is the key of its text; `key` is as `KeyboardEvent.key` has it; `command` means Ctrl, or Cmd on a Mac. */
export const SHORTCUTS = [
  { name: "palette.search", command: true, key: "k", run: () => press("[data-palette]"), over: true },
  { name: "sidebar.new_chat", command: true, shift: true, key: "o", run: newChat },
  { name: "palette.previous", command: true, alt: true, key: "ArrowUp", run: ({ navigate, pathname }) => step(-1, navigate, pathname) },
  { name: "palette.next", command: true, alt: true, key: "ArrowDown", run: ({ navigate, pathname }) => step(1, navigate, pathname) },
  { name: "palette.toggle_sidebar", command: true, key: "b", run: toggleSidebar },
  { name: "palette.write", key: "/", run: () => messageBox()?.focus() },
  { name: "palette.stop", command: true, key: ".", run: stopAnswer },
  { name: "palette.copy_last", command: true, shift: true, key: "y", run: copyLastAnswer },
  { name: "palette.these", command: true, key: "/", run: showHelp },
  { name: "palette.these", key: "?", run: showHelp, again: true },
];

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable=true], dialog[open]");

/** The shortcut that a key means; none while one types, unless Ctrl or Cmd is held. */
export function shortcutOf(event) {
  const command = event.ctrlKey || event.metaKey;
  const dialog = document.querySelector("dialog[open]");
  return SHORTCUTS.find(
    (one) =>
      one.key.toLowerCase() === event.key.toLowerCase() &&
      Boolean(one.command) === command &&
      Boolean(one.alt) === event.altKey &&
      (one.key === "?" || one.key === "/" || Boolean(one.shift) === event.shiftKey) &&
      (one.command || !typing(event.target)) &&
      (!dialog || (one.over && dialog.dataset.dialog === "palette")),
  );
}

const SIGNS = { ArrowUp: "↑", ArrowDown: "↓" };

/** The keys of a shortcut, as they stand on the keyboard. */
export function keysOf({ command, shift, alt, key }) {
  const mac = apple();
  const name = SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key);
  return [command && (mac ? "⌘" : "Ctrl"), alt && (mac ? "⌥" : "Alt"), shift && (mac ? "⇧" : "Shift"), name].filter(Boolean);
}
