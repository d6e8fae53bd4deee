// The chats that this tab knows, and the part of a list of them that is in sight.
// The server sends a page of rows at a time, and then changes (`leaf/state/sidebar.py`): a list of thousands must not be
// sent again and again. Lists and rows are drawn by `leaf/components/chatlists.py`.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "react-router";
import { after, listen, watch } from "./events.js";
import { createStore, useSink } from "./store.js";
import { useTexts } from "./texts.js";

/** The marks of a row, in the order of their bits (`leaf/state/sidebar.py`). */
const MARKS = ["running", "waiting", "unread", "pinned", "archived"];
/** What precedes the id of a project in the name of the list of its chats. */
const PROJECT = "project:";
const ASK_AGAIN_MS = 5000;
const READY_MS = 1500;
/** The rows drawn beyond the visible ones, and the remaining rows at which the next page is requested. */
const BEYOND_PX = 400;
const STEP_PX = 200;
const NEAR_ROWS = 20;

let known = { number: 0, rows: new Map(), ends: {} };
let asked = new Map();
/** What is drawn. `shelves` has the rows of each list and the `cursor` of its next page, `selection` is {place, ids, last}. */
const lists = createStore({ ready: false, pinned: [], shelves: {}, selection: null, now: Date.now() });
/** Handlers of the page's state: `onGap()`, `onPage(shelf, cursor)` and `onSeen(id)`. */
let server = {};
const publish = (changes) => lists.set({ ...lists.get(), ...changes });
export const useChats = () => lists.use((shown) => shown);
export const chatOf = (id) => known.rows.get(id);
const rowsOf = (shelf) => lists.get().shelves[shelf]?.rows ?? [];
export const allShown = () => [...lists.get().pinned, ...rowsOf("chats")];

/** The id of the chat that the page shows, or an empty text. */
export const useOpenChat = () => useLocation().pathname.match(/^\/chat\/([^/]+)/)?.[1] ?? "";

/** The later of two rows of a chat holds, whatever the order in which they arrive. */
function put([id, title, active, changed, bits, project = "", changedSources = 0, sources = 0, hiddenSources = 0, since = 0, seen = 0, uncheckedSources = 0]) {
  const before = known.rows.get(id);
  if (before && before.changed > changed) return;
  const moved = { changedSources, sources, hiddenSources, uncheckedSources, since, seen };
  known.rows.set(id, { id, title, active, changed, project, ...moved, ...Object.fromEntries(MARKS.map((mark, at) => [mark, Boolean((bits >> at) & 1)])) });
}

/** Notes how far back a list is known: older rows come with its next page. */
function setEnd(shelf, rows, cursor) {
  known.ends[shelf] = { cursor, edge: cursor && rows.length ? rows.at(-1)[2] : -Infinity };
}

function belongs({ archived, pinned, project }, shelf) {
  if (archived || shelf === "archived") return archived && shelf === "archived";
  return shelf === "chats" ? !pinned : shelf === PROJECT + project;
}

function draw() {
  const byTime = [...known.rows.values()].sort((a, b) => b.active - a.active || (a.id < b.id ? 1 : -1));
  const { selection } = lists.get();
  const shelfOf = ([shelf, { cursor, edge }]) => [shelf, { cursor, rows: byTime.filter((row) => belongs(row, shelf) && row.active >= edge) }];
  publish({
    ready: true,
    pinned: byTime.filter((row) => row.pinned && !row.archived),
    shelves: Object.fromEntries(Object.entries(known.ends).map(shelfOf)),
    selection: selection && { ...selection, ids: new Set([...selection.ids].filter((id) => known.rows.has(id))) },
  });
}

/** Takes a message; false where one before it is missing. */
function take(message) {
  if (message.shelf) {
    asked.delete(`${message.shelf}:${message.asked}`);
    // The list was read anew since this page was requested: it would leave a gap before it.
    if (message.asked !== (known.ends[message.shelf]?.cursor ?? "")) return true;
    setEnd(message.shelf, message.rows, message.cursor);
  } else if (message.after === 0) {
    known = { number: message.number, rows: new Map(), ends: {} };
    asked = new Map();
    setEnd("chats", message.rows.filter((row) => !(row[4] & (1 << MARKS.indexOf("pinned")))), message.cursor);
  } else if (message.after !== known.number) {
    return false;
  } else {
    known.number = message.number;
    message.gone.forEach((id) => known.rows.delete(id));
  }
  message.rows.forEach(put);
  draw();
  return true;
}

/** Shows rows that were kept in this browser as the whole lists. */
export const show = (rows) => take({ after: 0, number: 0, rows, cursor: "" });

/** Asks the server for the next page of a list, once. */
function askForMore(shelf, cursor) {
  const key = `${shelf}:${cursor}`;
  if (Date.now() - (asked.get(key) ?? 0) < ASK_AGAIN_MS) return;
  asked.set(key, Date.now());
  server.onPage?.(shelf, cursor);
}

export const stopSelecting = () => publish({ selection: null });

/** Selects or deselects a row of the list at a place; with Shift all rows between it and the last one. */
export function select(place, id, event) {
  const { selection } = lists.get();
  const before = selection?.place === place ? selection : { ids: new Set() };
  const shelf = place.replace(/:wide$/, "");
  const order = (shelf === "chats" ? allShown() : rowsOf(shelf)).map((row) => row.id);
  const [from, to] = [order.indexOf(before.last), order.indexOf(id)].sort((a, b) => a - b);
  const ids = new Set(before.ids);
  if (event?.shiftKey && from >= 0 && ids.size) order.slice(from, to + 1).forEach((one) => ids.add(one));
  else if (!ids.delete(id)) ids.add(id);
  publish({ selection: { place, ids, last: id } });
}

/** A click on a row opens its chat; with Shift it also selects the row. */
export const selectByLink = (place, id) => (event) => {
  if (!event.shiftKey) return;
  event.preventDefault();
  select(place, id, event);
};

/** The beginning of a day that lies `days` before that of `now`; days have 23 or 25 hours where clocks are changed. */
function dayBefore(now, days) {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).getTime();
}

/** Rows with the headings of their days between them, by the reader's own calendar: `[{heading}, {row}, …]`; pinned rows come first. */
function withDays(pinned, rows, now, t) {
  const [today, yesterday, week, days30] = [0, 1, 7, 30].map((days) => dayBefore(now, days));
  const nameOf = (active) => {
    if (active >= today) return t("sidebar.today");
    if (active >= yesterday) return t("sidebar.yesterday");
    if (active >= week) return t("sidebar.week");
    if (active >= days30) return t("sidebar.days30");
    const thisYear = new Date(active).getFullYear() === new Date(now).getFullYear();
    return t.date(active, thisYear ? { month: "long" } : { month: "long", year: "numeric" });
  };
  const items = pinned.length ? [{ heading: t("sidebar.pinned") }, ...pinned.map((row) => ({ row }))] : [];
  let heading = null;
  for (const row of rows) {
    const name = nameOf(row.active);
    if (name !== heading) items.push({ heading: (heading = name) });
    items.push({ row });
  }
  return items;
}

/** The time of activity of a chat if that was today, else the date. */
export const whenOf = (active, now, t) =>
  t.date(active, active >= dayBefore(now, 0) ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } : { day: "numeric", month: "short" });

/** Scroll positions of the lists: a page of another kind draws them from the start. */
const tops = new Map();
const PHONE = "(max-width: 767px)";

/** The stretch of a list that is in sight, in pixels, and the heights of its rows and headings as `lists.css` sets them in rem. */
function useSight(frame, place, wide, ready) {
  const [sight, setSight] = useState({ from: 0, height: 1200, row: 36, heading: 36 });
  useLayoutEffect(() => {
    const scroller = frame.current?.closest(".scroll, .chat-list");
    if (!scroller) return undefined;
    const look = () => {
      const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
      const above = scroller.getBoundingClientRect().top - (frame.current?.getBoundingClientRect().top ?? 0);
      const found = {
        from: Math.floor(above / STEP_PX) * STEP_PX,
        height: scroller.clientHeight + STEP_PX,
        row: (wide || window.matchMedia(PHONE).matches ? 2.75 : 2.25) * rem,
        heading: 2.25 * rem,
      };
      if (!wide) tops.set(place, scroller.scrollTop);
      setSight((before) => (Object.keys(found).every((key) => found[key] === before[key]) ? before : found));
    };
    if (!wide) scroller.scrollTop = tops.get(place) ?? 0;
    look();
    const ends = [watch(new ResizeObserver(look), [scroller]), listen(scroller, { scroll: look }, { passive: true })];
    return () => ends.forEach((end) => end());
  }, [place, ready]);
  return sight;
}

/** A list as it is drawn, with the rows in sight; older ones are requested as it is scrolled to them. A `wide` one stands on a page. */
export function useChatList(shelf, wide) {
  const t = useTexts();
  const place = `${shelf}${wide ? ":wide" : ""}`;
  const { ready, pinned, selection, now, shelves } = useChats();
  const { rows, cursor = "" } = shelves[shelf] ?? {};
  const current = useOpenChat();
  const frame = useRef(null);
  const loaded = ready && rows !== undefined;
  const items = useMemo(() => withDays(shelf === "chats" ? pinned : [], rows ?? [], now, t), [shelf, pinned, rows, now, t]);
  const sight = useSight(frame, place, wide, loaded && items.length > 0);
  const offsets = useMemo(() => {
    const made = [0];
    for (const item of items) made.push(made.at(-1) + (item.row ? sight.row : sight.heading));
    return made;
  }, [items, sight.row, sight.heading]);
  const last = (height) => Math.max(0, offsets.findLastIndex((offset) => offset <= height));
  const first = Math.min(last(sight.from - BEYOND_PX), Math.max(0, items.length - 1));
  const end = last(sight.from + sight.height + BEYOND_PX) + 1;
  useEffect(() => {
    if (ready && (!rows || (cursor && end >= items.length - NEAR_ROWS))) askForMore(shelf, cursor);
  });
  const ids = selection?.place === place ? selection.ids : null;
  const count = items.filter((item) => item.row).length;
  let at = items.slice(0, first).filter((item) => item.row).length;
  const sections = [];
  // A section whose heading is out of sight stays the same one, so that the row with the focus is not drawn anew.
  const day = items.slice(0, first + 1).findLast((item) => item.heading)?.heading ?? "";
  for (const { heading, row } of items.slice(first, end)) {
    if (heading || !sections.length) sections.push({ key: heading ?? day, heading: heading ?? "", rows: [] });
    if (!row) continue;
    const when = wide ? (row.running ? t("sidebar.answering") : whenOf(row.active, now, t)) : "";
    sections.at(-1).rows.push({ ...row, row, when, open: row.id === current, selected: ids?.has(row.id) ?? false, place: (at += 1) });
  }
  return {
    place,
    loaded,
    empty: !items.length,
    frame,
    height: offsets.at(-1),
    top: `translateY(${offsets[first]}px)`,
    sections,
    count: cursor ? -1 : count,
    selecting: ids !== null,
    selected: [...(ids ?? [])],
  };
}

/** The field in the place of a row's title: Enter or leaving it keeps what was typed, Esc does not. Gives the field's properties. */
export function useTitleField(row, onKeep, onDone) {
  const field = useRef(null);
  useEffect(() => field.current.select(), []);
  const onBlur = ({ target }) => {
    const title = target.value.trim();
    const link = target.closest("li");
    if (title && title !== row.title) {
      // It is shown before the server has stored it.
      if (chatOf(row.id)) known.rows.set(row.id, { ...chatOf(row.id), title });
      draw();
      onKeep(row.id, title);
    }
    onDone();
    requestAnimationFrame(() => link?.querySelector("a.chat-link")?.focus());
  };
  const onKeyDown = (event) => {
    if (event.nativeEvent.isComposing || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Escape") field.current.value = row.title;
    field.current.blur();
  };
  return { ref: field, defaultValue: row.title, onBlur, onKeyDown };
}

/**
 * Takes messages (`take`), and passes on to the server what the lists ask for; it shows nothing. `writing` is whether the
 * answer of the open chat is being written.
 */
export function ChatRows({ ref, writing, ...handlers }) {
  server = handlers;
  const shown = useChats();
  const { now } = shown;
  const current = useOpenChat();
  const seen = useRef("");
  const before = useRef({});
  useSink("chats", ref, ([message]) => take(message) || server.onGap());
  useEffect(() => after(READY_MS, () => lists.get().ready || server.onGap()), []);
  // At midnight Today becomes Yesterday.
  useEffect(() => after(dayBefore(now, -1) - now + 1000, () => publish({ now: Date.now() })), [now]);
  useEffect(() => {
    const look = () => {
      const row = chatOf(current);
      const key = row && `${row.id}:${row.changed}`;
      if (!row?.unread || document.visibilityState !== "visible" || seen.current === key) return;
      seen.current = key;
      server.onSeen(row.id);
    };
    look();
    return listen(document, { visibilitychange: look });
  }, [shown, current]);
  // Whoever sees an answer end has read it, even if the chat is left before its row says that it is answered.
  useEffect(() => {
    const ended = before.current.writing && !writing && before.current.chat === current;
    before.current = { writing, chat: current };
    if (ended && current && document.visibilityState === "visible") server.onSeen(current);
  }, [writing, current]);
  return null;
}
