// The command palette: commands, chats, and what was said in them, all found by typing and reached by the arrow keys.
import { createElement as h, useEffect, useId, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { Archive, ArchiveRestore, Braces, ChartColumn, Copy, FileInput, FileText, Keyboard, MessageSquare, Monitor, Moon, PanelLeft, Pin, PinOff, Plug, Printer, Search, Settings, SquarePen, Sun, TextQuote, Trash2 } from "lucide-react";
import { allShown, chatOf, whenOf } from "./chats.js";
import { copyLastAnswer, newChat, showHelp } from "./shortcuts.js";
import { toggleSidebar } from "./shell.js";
import { useTexts } from "./texts.js";

const printChat = () => setTimeout(() => window.print());
const saveChat = (chat, ending) => Object.assign(document.createElement("a"), { href: `/api/chats/${chat}/export.${ending}`, download: "" }).click();

const PAUSE_MS = 120;
const RECENT = 6;
const TITLES = 8;

const fold = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
const theme = (mode) => () => document.querySelector(`[data-theme-choice="${mode}"]`)?.click();

/** What can be done here; `chat` is the row of the open chat, if one is open. */
function commands(t, chat, { onDo, onDelete, navigate }) {
  const to = (path) => () => navigate(path);
  return [
    { name: t("sidebar.new_chat"), icon: SquarePen, run: newChat },
    chat && !chat.archived && { name: chat.pinned ? t("palette.unpin") : t("palette.pin"), icon: chat.pinned ? PinOff : Pin, run: () => onDo(chat.pinned ? "unpin" : "pin", [chat.id]) },
    chat && { name: chat.archived ? t("palette.restore") : t("palette.archive"), icon: chat.archived ? ArchiveRestore : Archive, run: () => onDo(chat.archived ? "unarchive" : "archive", [chat.id]) },
    chat && { name: t("palette.delete"), icon: Trash2, run: () => onDelete([chat.id]) },
    chat && { name: t("palette.copy_last"), icon: Copy, run: copyLastAnswer },
    chat && { name: t("imports.markdown"), icon: FileText, run: () => saveChat(chat.id, "md") },
    chat && { name: t("imports.json"), icon: Braces, run: () => saveChat(chat.id, "json") },
    chat && { name: t("imports.print"), icon: Printer, run: printChat },
    { name: t("imports.title"), icon: FileInput, run: to("/settings/import") },
    { name: t("sidebar.archived"), icon: Archive, run: to("/archived") },
    { name: t("settings.title"), icon: Settings, run: to("/settings") },
    { name: t("settings.integrations"), icon: Plug, run: to("/settings/integrations") },
    { name: t("sidebar.usage"), icon: ChartColumn, run: to("/usage") },
    { name: t("palette.light"), icon: Sun, run: theme("light") },
    { name: t("palette.dark"), icon: Moon, run: theme("dark") },
    { name: t("palette.system"), icon: Monitor, run: theme("system") },
    { name: t("palette.toggle_sidebar"), icon: PanelLeft, run: toggleSidebar },
    { name: t("palette.shortcuts"), icon: Keyboard, run: showHelp },
  ].filter(Boolean);
}

/** Every word that was typed begins a word of the name. */
function matches(name, typed) {
  const words = fold(name).split(/[^\p{L}\p{N}]+/u);
  return fold(typed).split(/[^\p{L}\p{N}]+/u).filter(Boolean).every((begun) => words.some((word) => word.startsWith(begun)));
}

const pieces = (parts) => parts.map(([text, hit], at) => (hit ? h("mark", { key: at }, text) : text));

/** The options under their headings: `[[heading, [option]]]`. */
function found({ t, typed, actions, results, navigate }) {
  const open = (path) => () => navigate(path);
  const now = Date.now();
  const chat = (id, title, active, archived) => ({
    key: id,
    icon: MessageSquare,
    body: title,
    note: archived ? t("sidebar.archived_short") : whenOf(active, now, t),
    run: open(`/chat/${id}`),
  });
  if (!typed.trim()) {
    const recent = allShown().slice(0, RECENT).map((row) => chat(row.id, row.title || t("sidebar.new_chat"), row.active, false));
    const first = actions.map((one) => ({ key: one.name, icon: one.icon, body: one.name, run: one.run }));
    return [[t("palette.recent"), recent], [t("palette.actions"), first]];
  }
  const named = actions.filter((one) => matches(one.name, typed)).map((one) => ({ key: one.name, icon: one.icon, body: one.name, run: one.run }));
  // What this tab knows is there at once; the server's list then takes its place.
  const titled = results
    ? results.filter((one) => one.title.some(([, hit]) => hit)).map((one) => chat(one.id, pieces(one.title), one.active, one.archived))
    : allShown().filter((row) => matches(row.title, typed)).map((row) => chat(row.id, row.title || t("sidebar.new_chat"), row.active, false));
  const said = (results ?? []).filter((one) => one.hits.length).map((one) => [
    one.title.map(([text]) => text).join(""),
    one.hits.map((hit) => ({
      key: hit.id,
      icon: hit.mine ? MessageSquare : TextQuote,
      body: pieces(hit.pieces),
      note: hit.mine ? t("palette.you") : "Leaf",
      run: open(`/chat/${one.id}#message-${hit.id}`),
    })),
  ]);
  return [[t("palette.actions"), named], [t("sidebar.chats"), titled.slice(0, TITLES)], ...said];
}

/** Props: `query` and `chats` (what was found for it), `onSearch(query)`, `onDo(what, ids)`, `onDelete(ids)`. */
export function Palette({ query, chats, onSearch, onDo, onDelete }) {
  const id = useId();
  const dialog = useRef(null);
  const list = useRef(null);
  const t = useTexts();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);

  const show = () => {
    if (dialog.current.open) {
      dialog.current.close();
      return;
    }
    setTyped("");
    setAt(0);
    setOpen(true);
    dialog.current.showModal();
  };
  useEffect(() => {
    if (!open || !typed.trim()) return undefined;
    const timer = setTimeout(() => onSearch(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, open]);
  useEffect(() => {
    const onPress = (event) => event.target.closest?.("[data-palette]") && show();
    document.addEventListener("click", onPress);
    return () => document.removeEventListener("click", onPress);
  }, []);

  const chat = chatOf(pathname.match(/^\/chat\/([^/]+)/)?.[1] ?? "");
  const settled = query === typed;
  const groups = open ? found({ t, typed, actions: commands(t, chat, { onDo, onDelete, navigate }), results: settled ? chats : null, navigate }) : [];
  const options = groups.flatMap(([, group]) => group);
  const current = Math.min(at, options.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [current, typed]);

  const run = (option) => {
    dialog.current.close();
    // When the focus is back where it was, so that what takes it then keeps it.
    setTimeout(option.run);
  };
  const onKeyDown = (event) => {
    if (event.nativeEvent.isComposing) return;
    const next = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + 8, PageUp: current - 8 }[event.key];
    if (next !== undefined && options.length) {
      event.preventDefault();
      const page = event.key.startsWith("Page");
      setAt(page ? Math.max(0, Math.min(next, options.length - 1)) : (next + options.length) % options.length);
    } else if (event.key === "Enter" && options[current]) {
      event.preventDefault();
      run(options[current]);
    } else if (event.key === "Tab") {
      event.preventDefault();
    }
  };

  let number = -1;
  const drawn = groups.map(([heading, group], place) => {
    if (!group.length) return null;
    const label = `${id}-g${place}`;
    return h(
      "div",
      { key: `${heading}:${place}`, role: "group", "aria-labelledby": label, className: "palette-group" },
      h("div", { id: label, className: "palette-heading" }, heading),
      group.map((option) => {
        number += 1;
        const mine = number;
        return h(
          "div",
          {
            key: option.key,
            id: `${id}-o${mine}`,
            role: "option",
            "aria-selected": mine === current,
            className: "palette-option",
            onPointerMove: () => mine !== current && setAt(mine),
            onClick: () => run(option),
          },
          h(option.icon, { size: 16, "aria-hidden": true }),
          h("span", { className: "palette-body" }, option.body),
          option.note && h("span", { className: "palette-note" }, option.note),
        );
      }),
    );
  });
  const status = !typed.trim() ? "" : options.length ? t("palette.results", { count: options.length }) : settled ? t("palette.nothing") : t("palette.searching");
  return h(
    "dialog",
    {
      ref: dialog,
      className: "palette",
      "aria-label": t("palette.search"),
      "data-dialog": "palette",
      // The event comes late: the palette may have been opened again since.
      onClose: () => setOpen(dialog.current.open),
      onClick: (event) => event.target === dialog.current && dialog.current.close(),
    },
    h(
      "div",
      { className: "palette-field" },
      h(Search, { size: 18, "aria-hidden": true }),
      h("input", {
        type: "text",
        role: "combobox",
        "aria-label": t("palette.search"),
        "aria-expanded": options.length > 0,
        "aria-controls": `${id}-list`,
        "aria-autocomplete": "list",
        "aria-activedescendant": options.length ? `${id}-o${current}` : undefined,
        placeholder: t("palette.placeholder"),
        autoFocus: true,
        autoComplete: "off",
        spellCheck: false,
        maxLength: 200,
        value: typed,
        onChange: (event) => {
          setTyped(event.target.value);
          setAt(0);
        },
        onKeyDown,
      }),
    ),
    h("div", { ref: list, id: `${id}-list`, role: "listbox", "aria-label": t("palette.list"), className: "palette-list" }, drawn),
    h("div", { role: "status", className: options.length ? "unseen" : "palette-none" }, status),
  );
}
