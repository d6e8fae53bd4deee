// The command palette while one types: the chats that are found, and the parts of cmdk, which are loaded once the page has
// nothing else to do. It is drawn by `leaf/components/palette.py`; what the server finds comes from `leaf/state/search.py`.
import { createElement as h, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { allShown, chatOf, useChats, useOpenChat, whenOf } from "./chats.js";
import { after, listen } from "./events.js";
import { useAway } from "./offline.js";
import { matches, useTexts } from "./texts.js";

const RECENT = 6;
const TITLES = 8;
/** Delay after the chats of the page, unless the palette is opened before. */
const LATER_MS = 2000;
const whenIdle = globalThis.requestIdleCallback ?? setTimeout;

let cmdk = null;
const load = async () => {
  cmdk ??= await import("cmdk");
};

/** A part of cmdk by its name. */
export const Part = ({ of, ...props }) => h(cmdk[of], props);

/** The palette as it is drawn. `query` is the text for which the server has found chats. */
export function usePalette(query) {
  const t = useTexts();
  const navigate = useNavigate();
  const dialog = useRef(null);
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const { ready, now } = useChats();
  const chat = chatOf(useOpenChat());
  const away = useAway();
  useEffect(() => (ready ? after(LATER_MS, () => whenIdle(() => load().catch(() => {}))) : undefined), [ready]);
  useEffect(() => {
    const click = async (event) => {
      if (!event.target.closest?.("[data-palette]")) return;
      if (dialog.current.open) {
        dialog.current.close();
        return;
      }
      await load();
      setTyped("");
      setOpen(true);
      dialog.current.showModal();
      // The dialog alone gives the focus to no field when it is opened right after it was closed.
      dialog.current.querySelector("input")?.focus();
    };
    return listen(document, { click });
  }, []);

  const ofRow = (row) => ({ id: row.id, title: [[row.title || t("sidebar.new_chat"), false]], active: row.active, archived: row.archived, project: "" });
  const settled = query === typed;
  const begun = open && typed.trim() !== "";
  return {
    dialog,
    open,
    typed,
    away,
    setTyped,
    chat: chat ?? { id: "" },
    recent: open && !begun ? allShown().slice(0, RECENT).map(ofRow) : [],
    // Chats that this tab knows are there at once; the server's list then takes their place.
    known: begun && !settled ? allShown().filter((row) => matches(row.title, typed)).slice(0, TITLES).map(ofRow) : [],
    found: begun && settled,
    status: !begun ? "" : settled ? t("palette.nothing") : t("palette.searching"),
    noteOf: ({ active, archived, project }) => {
      const when = archived ? t("sidebar.archived_short") : whenOf(active, now, t);
      return project ? `${project} · ${when}` : when;
    },
    matches: (name) => matches(name, typed),
    close: () => dialog.current.close(),
    // The event comes late: the palette may have been opened again since.
    onClose: () => setOpen(dialog.current.open),
    go: (path) => () => {
      dialog.current.close();
      navigate(path);
    },
    save: (address) => () => Object.assign(document.createElement("a"), { href: address, download: "" }).click(),
    // The focus stays in the field.
    onKeyDown: (event) => event.key === "Tab" && event.preventDefault(),
  };
}

/** How many options there are; `none` where there are none. */
export function Count({ typed, none }) {
  const t = useTexts();
  const count = cmdk.useCommandState((state) => state.filtered.count);
  const text = typed.trim() && count ? t("palette.results", { count }) : none;
  return h("div", { role: "status", className: count ? "unseen" : "palette-none" }, text);
}
