// The list at the caret of a message that is being written: Drive files after `@`, and commands after `/` at its beginning.
// Only commands that the page offers at that moment are listed; a text that begins with `/` and is no command is a message
// like any other.
// The focus stays in the text, which a phone's keyboard depends on.
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { listen } from "./events.js";
import { useOnline } from "./notices.js";
import { matches } from "./texts.js";

const MOST_CHARACTERS = 60;
const BEGUN = /(?:^|[\s([{"'„“«])@([^\s@][^\n@]*|)$/;

/**
 * The beginning of a file's name before the caret, `{from, query}`, or null. Names have blanks, so it may be several words; a
 * name that was chosen already does not count.
 */
function nameAt(text, caret, mentions) {
  const before = text.slice(0, caret);
  const match = BEGUN.exec(before);
  if (!match || match[1].length > MOST_CHARACTERS || /\s\s$/.test(match[1])) return null;
  const from = caret - match[1].length - 1;
  if (mentions.some((one) => before.slice(from + 1).startsWith(one.name))) return null;
  return { kind: "name", from, query: match[1] };
}

const NONE = Object.freeze({ state: "idle", files: [], more: false });

/** The files for a query: idle (nothing typed), searching, or as the server has found them; earlier ones stay until then. */
function useNames(query, { found, onFind } = {}) {
  const online = useOnline();
  const wanted = (query ?? "").trim();
  useEffect(() => {
    if (wanted) onFind(wanted);
  }, [wanted]);
  if (!wanted) return NONE;
  if (found.query === wanted) return found;
  return online ? { ...found, state: "searching" } : { ...NONE, state: "failed" };
}

const controlOf = ({ press }) => document.querySelector(`${press}:not(:disabled)`);

/** The command that is being typed, `{from, query}`, or null: the message is `/` and letters, up to the caret. */
function commandAt(text, caret) {
  const match = /^\/(\p{L}*)$/u.exec(text.slice(0, caret));
  return match && !/\S/.test(text.slice(caret)) ? { kind: "command", from: 0, query: match[1] } : null;
}

/** The offered commands that match. */
const commandsFor = (query, commands) => commands.filter((one) => controlOf(one) && (matches(one.word, query) || matches(one.name, query)));

/** A ref of the list, which is shown in front of the page; the style sheet places it at the box that it belongs to. */
function useShown(open, around, current) {
  const panel = useRef(null);
  useLayoutEffect(() => {
    if (open && !panel.current.matches(":popover-open")) panel.current.showPopover({ source: around.current });
  });
  useLayoutEffect(() => {
    panel.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return panel;
}

/**
 * The list at the caret. `box` is a ref of the text area, `around` of what the list is placed at; `mentions` were chosen
 * before; `names` is `{found, onFind}` (`leaf/state/file_mentions.py`) where files are listed; `commands` are those that exist,
 * `[{word, name, icon, press}]`. `look()` is called after whatever moves the caret, `onKeyDown()` is true for a key that the list takes.
 */
export function useChoices({ box, around, mentions, names: named, commands, onName, onCommand }) {
  const id = useId();
  /** What is being typed, `{kind, from, query}`, the `current` option, and whether Esc has `dismissed` the list; null without any. */
  const [menu, setMenu] = useState(null);
  const names = useNames(menu?.kind === "name" ? menu.query : null, named);

  const look = () => {
    const { value, selectionStart, selectionEnd } = box.current;
    const caret = selectionStart === selectionEnd && document.activeElement === box.current;
    const found = caret ? (commands.length ? commandAt(value, selectionStart) : null) ?? (named ? nameAt(value, selectionStart, mentions) : null) : null;
    if (found?.kind === menu?.kind && found?.from === menu?.from && found?.query === menu?.query) return;
    setMenu(found && { ...found, current: 0, dismissed: found.from === menu?.from && menu.dismissed });
  };

  const ofCommand = (one) => ({ key: one.word, icon: one.icon, name: one.name, note: `/${one.word}`, take: () => onCommand(one) });
  const ofFile = (one) => ({ ...one, key: one.id, icon: one.kind, lined: true, take: () => onName(menu, one) });
  const options = menu?.kind === "command" ? commandsFor(menu.query, commands).map(ofCommand) : names.files.map(ofFile);
  // No list is shown for a text that only looks like a name or a command.
  const silent = !options.length && (menu?.kind === "command" || (names.state === "found" && menu.query.includes(" ")));
  const open = menu !== null && !menu.dismissed && !silent;
  const at = Math.min(menu?.current ?? 0, options.length - 1);
  const panel = useShown(open, around, at);

  useEffect(() => {
    if (!open) return undefined;
    const pointerdown = ({ target }) => target.closest?.(".choices") || target === box.current || setMenu(null);
    return listen(document, { pointerdown });
  }, [open]);

  const pick = ({ take }) => {
    setMenu(null);
    take();
  };
  const onKeyDown = (event) => {
    if (!open || event.nativeEvent.isComposing) return false;
    if (event.key === "Escape") {
      setMenu({ ...menu, dismissed: true });
    } else if (!options.length) {
      return false;
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      setMenu({ ...menu, current: (at + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length });
    } else if ((event.key === "Enter" && !event.shiftKey) || (event.key === "Tab" && !event.shiftKey)) {
      if (!event.repeat) pick(options[at]);
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const drawn = ({ take, ...one }, place) => ({
    ...one,
    props: {
      id: `${id}-${place}`,
      "aria-selected": place === at,
      onPointerDown: (event) => event.preventDefault(),
      onPointerMove: () => setMenu({ ...menu, current: place }),
      onClick: () => pick({ take }),
    },
  });
  const list = {
    open,
    id,
    panel,
    commands: menu?.kind === "command",
    typed: menu?.query.trim() ?? "",
    options: options.map(drawn),
    state: menu?.kind === "command" ? "found" : names.state,
    more: names.more,
  };
  const attributes = {
    "aria-autocomplete": "list",
    "aria-haspopup": "listbox",
    "aria-controls": open ? id : undefined,
    "aria-activedescendant": open && options.length ? `${id}-${at}` : undefined,
  };
  return { look, onKeyDown, attributes, list };
}
