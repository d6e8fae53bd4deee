// The list at the caret of a message that is being written: Drive files after `@`, and commands after `/` at its beginning.
// Only commands that the page offers at that moment are listed; a text that begins with `/` and is no command is a message
// like any other.
import { createElement as h, useEffect, useId, useState } from "react";
import { BookOpen, Files, Gauge, Gem, Keyboard, Search, Share2, Square, SquarePen, Telescope, Zap } from "lucide-react";
import { signOf } from "./attached.js";
import { Suggestions } from "./suggestions.js";
import { useTexts } from "./texts.js";

const PAUSE_MS = 180;
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

const NONE = Object.freeze({ query: null, state: "idle", files: [], more: false });

async function ask(address, signal) {
  const answer = await fetch(address, { signal, credentials: "include" });
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return { state: "found", files: body.files, more: body.more };
  const code = body.error?.code;
  if (code === "drive_not_connected" || code === "drive_revoked") return { state: "unconnected", files: [], more: false };
  return { state: code === "rate_limited" ? "often" : "failed", files: [], more: false };
}

/**
 * The files for a query, `{state, files, more}`: idle (nothing typed), searching, found, unconnected, often or failed. Files of
 * an earlier query stay until newer ones come; an outdated request is cancelled.
 */
function useNames(query, origin) {
  const [found, setFound] = useState(NONE);
  const wanted = (query ?? "").trim();
  useEffect(() => {
    if (!wanted) {
      setFound(NONE);
      return undefined;
    }
    const asking = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const answer = await ask(`${origin}/api/drive/names?begun=${encodeURIComponent(wanted)}`, asking.signal);
        if (!asking.signal.aborted) setFound({ query: wanted, ...answer });
      } catch {
        if (!asking.signal.aborted) setFound({ query: wanted, state: "failed", files: [], more: false });
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [wanted, origin]);
  if (!wanted) return NONE;
  return found.query === wanted ? found : { ...found, state: "searching" };
}

/** The commands: `word` (to type) and `name` (of the effect) are keys of texts, `press` selects the control to click. */
const COMMANDS = [
  { word: "commands.new", name: "sidebar.new_chat", icon: SquarePen, press: "[data-new-chat]" },
  { word: "commands.stop", name: "palette.stop", icon: Square, press: ".send-button.stop" },
  { word: "commands.quick", name: "commands.quick_name", icon: Zap, press: '[data-chooses="quick"]' },
  { word: "commands.adaptive", name: "commands.adaptive_name", icon: Telescope, press: '[data-chooses="adaptive"]' },
  { word: "commands.speed", name: "commands.speed_name", icon: Gauge, press: '[data-chooses="speed"]' },
  { word: "commands.quality", name: "commands.quality_name", icon: Gem, press: '[data-chooses="quality"]' },
  { word: "commands.files", name: "commands.files_name", icon: Files, press: '[data-command="files"]' },
  { word: "commands.sources", name: "commands.sources_name", icon: BookOpen, press: '[data-command="sources"]' },
  { word: "commands.share", name: "commands.share_name", icon: Share2, press: '[data-command="share"]' },
  { word: "commands.search", name: "palette.search", icon: Search, press: "[data-palette]" },
  { word: "commands.keys", name: "palette.shortcuts", icon: Keyboard, press: "[data-help]" },
];

const controlOf = ({ press }) => document.querySelector(`${press}:not(:disabled)`);

/** The command that is being typed, `{from, query}`, or null: the message is `/` and letters, up to the caret. */
function commandAt(text, caret) {
  const match = /^\/(\p{L}*)$/u.exec(text.slice(0, caret));
  return match && !/\S/.test(text.slice(caret)) ? { kind: "command", from: 0, query: match[1] } : null;
}

/** The offered commands whose word or name contains a word with the query as its prefix. */
function commandsFor(query, t) {
  const begun = query.toLowerCase();
  const begins = (text) => text.toLowerCase().split(/\s+/).some((word) => word.startsWith(begun));
  return COMMANDS.filter((one) => controlOf(one) && (begins(t(one.word)) || begins(t(one.name))));
}

const STATES = { idle: "composer.type_name", searching: "composer.searching", unconnected: "composer.unconnected", often: "composer.too_often", failed: "composer.search_failed" };

/** The folder and the day of a file, which distinguish files of one name. */
const noteOf = (t, file) => [file.folder, file.modified && t.date(file.modified, { dateStyle: "medium" })].filter(Boolean).join(" · ");

function statusOf(t, menu, options, names) {
  if (menu.kind === "command" || names.state === "found") {
    if (!options.length) return t("composer.no_file_named", { name: menu.query.trim() });
    return names.more ? t("composer.more_found", { count: options.length }) : t("palette.results", { count: options.length });
  }
  return t(STATES[names.state]);
}

/**
 * The list at the caret. `box` is a ref of the text area, `around` of what the list is placed at; `mentions` were chosen
 * before; `names` and `commands` say whether there are any at all; `onName(menu, file)` and `onCommand(command)` take what is chosen.
 *
 * Gives `{open, look, onKeyDown, attributes, list}`: `look()` after whatever moves the caret, `onKeyDown(event)` is true
 * for a key that the list has taken.
 */
export function useChoices({ box, around, mentions, names: named = true, commands = true, origin, onName, onCommand }) {
  const t = useTexts();
  const id = useId();
  const [menu, setMenu] = useState(null);
  const [current, setCurrent] = useState(0);
  const [dismissed, setDismissed] = useState(null);
  const names = useNames(menu?.kind === "name" ? menu.query : null, origin);

  const look = () => {
    const { value, selectionStart, selectionEnd } = box.current;
    const caret = selectionStart === selectionEnd && document.activeElement === box.current;
    const found = caret ? (commands ? commandAt(value, selectionStart) : null) ?? (named ? nameAt(value, selectionStart, mentions) : null) : null;
    const before = `${menu?.kind}:${menu?.from}:${menu?.query}`;
    if (before !== `${found?.kind}:${found?.from}:${found?.query}`) {
      setMenu(found);
      setCurrent(0);
    }
    if (!found || found.from !== dismissed) setDismissed(null);
  };
  const close = () => {
    setMenu(null);
    setCurrent(0);
  };

  const files = menu?.kind === "name" ? names.files : [];
  const options =
    menu?.kind === "command"
      ? commandsFor(menu.query, t).map((one) => ({ key: one.word, icon: one.icon, name: t(one.name), note: `/${t(one.word)}`, take: () => onCommand(one) }))
      : files.map((one) => ({ key: one.id, icon: signOf(one.kind), name: one.name, note: noteOf(t, one), lined: true, take: () => onName(menu, one) }));
  // No list is shown for a text that only looks like a name or a command.
  const silent = !options.length && (menu?.kind === "command" || (names.state === "found" && menu.query.includes(" ")));
  const open = menu !== null && dismissed !== menu.from && !silent;
  const place = Math.min(current, options.length - 1);

  useEffect(() => {
    if (!open) return undefined;
    const onPress = (event) => {
      if (!event.target.closest?.(".choices") && event.target !== box.current) close();
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, [open]);

  const pick = (at) => {
    const { take } = options[at];
    close();
    take();
  };
  const onKeyDown = (event) => {
    if (!open || event.nativeEvent.isComposing) return false;
    if (event.key === "Escape") {
      setDismissed(menu.from);
    } else if (!options.length) {
      return false;
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      setCurrent((place + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length);
    } else if ((event.key === "Enter" && !event.shiftKey) || (event.key === "Tab" && !event.shiftKey)) {
      if (!event.repeat) pick(place);
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const list =
    open &&
    h(Suggestions, {
      id,
      label: menu.kind === "command" ? t("commands.list") : t("composer.files_list"),
      options,
      current: place,
      status: statusOf(t, menu, options, names),
      help: names.state === "unconnected" && h("a", { className: "choices-help", href: "/settings/integrations" }, t("composer.open_settings")),
      around,
      onPick: pick,
      onPoint: setCurrent,
    });
  const attributes = {
    "aria-autocomplete": "list",
    "aria-haspopup": "listbox",
    "aria-controls": open ? id : undefined,
    "aria-activedescendant": open && options.length ? `${id}-${place}` : undefined,
  };
  return { open, look, onKeyDown, attributes, list };
}
