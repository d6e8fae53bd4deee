// The command palette while one types: the chats that are found, and the parts of cmdk, which are loaded once the page has
// nothing else to do. It is drawn by `leaf/components/palette.py`; what the server finds comes from `leaf/state/search.py`.
import { createElement as h, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { allShown, chatOf, useChats, useOpenChat, whenOf } from "./chats.js";
import { listen } from "./events.js";
import { useTexts } from "./texts.js";

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

const words = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().split(/[^\p{L}\p{N}]+/u);

/** Whether every typed word is the prefix of a word in the name. */
const matches = (name, typed) => words(typed).filter(Boolean).every((begun) => words(name).some((word) => word.startsWith(begun)));

/** The palette as it is drawn. `results` are the chats that the server has found for `query`. */
export function usePalette(query, results) {
  const t = useTexts();
  const navigate = useNavigate();
  const dialog = useRef(null);
  const [open, setOpen] = useState(false);
  const [openings, setOpenings] = useState(0);
  const [typed, setTyped] = useState("");
  const { ready, now } = useChats();
  const chat = chatOf(useOpenChat());
  useEffect(() => {
    if (!ready) return undefined;
    const timer = setTimeout(() => whenIdle(() => load().catch(() => {})), LATER_MS);
    return () => clearTimeout(timer);
  }, [ready]);
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
      setOpenings((count) => count + 1);
      dialog.current.showModal();
    };
    return listen(document, { click });
  }, []);
  // The dialog alone gives the focus to no field when it is opened right after it was closed.
  useEffect(() => dialog.current.querySelector("input")?.focus(), [openings]);

  const option = (id, pieces, active, archived, project) => {
    const when = archived ? t("sidebar.archived_short") : whenOf(active, now, t);
    return { key: id, icon: "chat", pieces, note: project ? `${project} · ${when}` : when, path: `/chat/${id}` };
  };
  const ofRow = (row) => option(row.id, [[row.title || t("sidebar.new_chat"), false]], row.active, row.archived);
  const settled = query === typed;
  const groups = [];
  if (open && typed.trim()) {
    // Chats that this tab knows are there at once; the server's list then takes their place.
    const titled = settled
      ? results.filter((one) => one.title.some(([, hit]) => hit)).map((one) => option(one.id, one.title, one.active, one.archived, one.project))
      : allShown().filter((row) => matches(row.title, typed)).map(ofRow);
    groups.push({ heading: t("sidebar.chats"), options: titled.slice(0, TITLES) });
    for (const { id, title, hits } of settled ? results : []) {
      const lines = hits.map((hit) => ({
        key: hit.id,
        icon: hit.mine ? "chat" : "quote",
        pieces: hit.pieces,
        note: hit.mine ? t("palette.you") : "Leaf",
        path: `/chat/${id}#message-${hit.id}`,
      }));
      groups.push({ heading: title.map(([text]) => text).join(""), options: lines });
    }
  }
  return {
    dialog,
    open,
    typed,
    setTyped,
    chat: chat ?? { id: "" },
    recent: open && !typed.trim() ? allShown().slice(0, RECENT).map(ofRow) : [],
    groups,
    status: !typed.trim() ? "" : settled ? t("palette.nothing") : t("palette.searching"),
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
