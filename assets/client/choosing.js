// What a message that is being written can be completed with: Drive files behind `@`, commands behind `/`.
import { createElement as h, useEffect, useId, useState } from "react";
import { signOf } from "./attached.js";
import { commandAt, commandsFor } from "./commands.js";
import { nameAt, useNames } from "./names.js";
import { Suggestions } from "./suggestions.js";
import { useTexts } from "./texts.js";

const SAID = { idle: "composer.type_name", searching: "composer.searching", unconnected: "composer.unconnected", often: "composer.too_often", failed: "composer.search_failed" };

/** Files of one name are told apart by their folder and their day. */
const noteOf = (t, file) => [file.folder, file.modified && t.date(file.modified, { dateStyle: "medium" })].filter(Boolean).join(" · ");

function statusOf(t, menu, options, names) {
  if (menu.kind === "command" || names.state === "found") {
    if (!options.length) return t("composer.no_file_named", { name: menu.query.trim() });
    return names.more ? t("composer.more_found", { count: options.length }) : t("palette.results", { count: options.length });
  }
  return t(SAID[names.state]);
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
  // Text that only looks like a name, or like a command, is left in peace.
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
