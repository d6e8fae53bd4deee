// The list of chats: only the rows in sight are drawn, and older ones are asked for as one scrolls to them.
import { createElement as h, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "react-router";
import { Archive, ArchiveRestore, Pin, Trash2, X } from "lucide-react";
import { askForMore, chatOf, choose, chosenNow, isReady, take, useChats, useChosen } from "./chatstore.js";
import { untilMidnight, whenOf, withDays } from "./chatdays.js";
import { exportFrom } from "./exporting.js";
import { ChatRow } from "./chatrow.js";
import { useTexts } from "./texts.js";

const PHONE = "(max-width: 767px)";
const BEYOND_PX = 400;
const NEAR_ROWS = 20;
const READY_MS = 1500;
/** Where each list was scrolled to: a page of another kind draws it anew. */
const tops = new Map();

const chatIn = (pathname) => pathname.match(/^\/chat\/([^/]+)/)?.[1] ?? "";

/** Heights in pixels, as `lists.css` sets them in rem. */
function useHeights(wide) {
  const measure = () => {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    const tall = wide || window.matchMedia(PHONE).matches;
    return { heading: 2.25 * rem, row: (tall ? 2.75 : 2.25) * rem };
  };
  const [heights, setHeights] = useState(() => (typeof window === "undefined" ? { heading: 36, row: 36 } : measure()));
  useEffect(() => {
    const phone = window.matchMedia(PHONE);
    const onChange = () => setHeights(measure());
    onChange();
    phone.addEventListener("change", onChange);
    return () => phone.removeEventListener("change", onChange);
  }, [wide]);
  return heights;
}

/** Now, as of the day: changes at midnight, when Today becomes Yesterday. */
function useToday() {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), Math.min(untilMidnight(Date.now()) + 1000, 2 ** 30));
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}

/** Which items are in sight of what scrolls around `frame`: [first, end). */
function useSight(frame, offsets) {
  const [sight, setSight] = useState([0, 60]);
  const look = useCallback(() => {
    const element = frame.current;
    const scroller = element?.closest(".scroll, .chat-list");
    if (!scroller) return;
    const top = scroller.getBoundingClientRect().top - element.getBoundingClientRect().top;
    const [from, to] = [top - BEYOND_PX, top + scroller.clientHeight + BEYOND_PX];
    let first = lastBefore(offsets, from);
    const end = lastBefore(offsets, to) + 1;
    if (end <= first) first = Math.max(0, end - 1);
    setSight((before) => (before[0] === first && before[1] === end ? before : [first, end]));
  }, [frame, offsets]);
  useLayoutEffect(() => {
    const scroller = frame.current?.closest(".scroll, .chat-list");
    if (!scroller) return undefined;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(scroller);
    scroller.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener("scroll", look);
    };
  }, [frame, look]);
  return sight;
}

/** The index of the last offset that is not above a height. */
function lastBefore(offsets, height) {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Items under their headings: `[[heading, [items]], …]`. */
function sections(items, first, end) {
  const found = [];
  for (let at = first; at < Math.min(end, items.length); at += 1) {
    if (items[at].heading || !found.length) found.push([items[at].heading, []]);
    if (items[at].row) found.at(-1)[1].push(items[at].row);
  }
  return found;
}

function BulkBar({ shelf, ids, actions }) {
  const t = useTexts();
  const act = (what) => {
    actions.onDo(what, ids);
    choose(null);
  };
  const tool = (Icon, label, onClick, extra = {}) =>
    h(
      "button",
      { type: "button", className: "icon-button small", "aria-label": label, title: label, disabled: !ids.length, onClick, ...extra },
      h(Icon, { size: 16, "aria-hidden": true }),
    );
  return h(
    "div",
    { className: "bulk-bar", role: "toolbar", "aria-label": t("sidebar.selected_chats") },
    h("span", { className: "bulk-count", role: "status" }, t("sidebar.selected", { count: ids.length })),
    shelf === "chats" && tool(Pin, t("sidebar.pin_selected"), () => act("pin")),
    shelf === "chats" ? tool(Archive, t("sidebar.archive_selected"), () => act("archive")) : tool(ArchiveRestore, t("sidebar.restore_selected"), () => act("unarchive")),
    tool(Trash2, t("sidebar.delete_selected"), () => {
      actions.onDelete(ids);
      choose(null);
    }),
    tool(X, t("sidebar.stop_selecting"), () => choose(null), { disabled: false }),
  );
}

const bones = [72, 54, 80, 62, 46].map((width) => h("div", { key: width, className: "bone", style: { width: `${width}%` } }));

/**
 * A list of chats. Props: `shelf` (chats or archived), `wide` (on a page, rather than in the sidebar), `none` (what stands
 * there where it is empty), `onPage(shelf, cursor)`, `onDo(what, ids)`, `onDelete(ids)`, `onRename(id, title)`.
 */
export function ChatList({ shelf, wide, none, onPage, onDo, onDelete, onRename }) {
  const t = useTexts();
  const place = `${shelf}${wide ? ":wide" : ""}`;
  const shown = useChats();
  const chosen = useChosen();
  const current = chatIn(useLocation().pathname);
  const heights = useHeights(wide);
  const now = useToday();
  const frame = useRef(null);
  const anchor = useRef("");
  const mine = chosen?.place === place ? chosen.ids : null;
  const rows = shelf === "archived" ? shown.archived : shown.chats;
  const items = useMemo(() => withDays(shelf === "archived" ? [] : shown.pinned, rows ?? [], now, t), [shown, shelf, rows, now, t]);
  const offsets = useMemo(() => {
    const made = [0];
    for (const item of items) made.push(made.at(-1) + (item.row ? heights.row : heights.heading));
    return made;
  }, [items, heights]);
  const [first, end] = useSight(frame, offsets);
  const latest = useRef(null);
  latest.current = { onDo, onDelete, onRename };
  const actions = useMemo(
    () => ({
      onDo: (...given) => latest.current.onDo(...given),
      onDelete: (...given) => latest.current.onDelete(...given),
      onRename: (...given) => latest.current.onRename(...given),
    }),
    [],
  );

  const cursor = shown.more[shelf];
  useEffect(() => {
    if (shelf === "archived" && shown.ready && rows === null) askForMore(shelf, "", onPage);
    else if (cursor && end >= items.length - NEAR_ROWS) askForMore(shelf, cursor, onPage);
  }, [shelf, shown.ready, rows, cursor, end, items.length, onPage]);

  useLayoutEffect(() => {
    const scroller = frame.current?.closest(".chat-list");
    if (!scroller) return undefined;
    scroller.scrollTop = tops.get(place) ?? 0;
    const onScroll = () => tops.set(place, scroller.scrollTop);
    scroller.addEventListener("scroll", onScroll, { passive: true });
    return () => scroller.removeEventListener("scroll", onScroll);
  }, [place, shown.ready]);

  useEffect(() => {
    if (!mine) return undefined;
    const onKey = (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      choose(null);
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  }, [Boolean(mine)]);

  // A second one with Shift chooses all between them.
  const select = useCallback(
    (id, event) => {
      const now = chosenNow();
      const before = now?.place === place ? now.ids : new Set();
      const order = items.filter((item) => item.row).map((item) => item.row.id);
      const [from, to] = [order.indexOf(anchor.current), order.indexOf(id)];
      const ids = new Set(before);
      if (event?.shiftKey && from >= 0 && before.size) order.slice(Math.min(from, to), Math.max(from, to) + 1).forEach((one) => ids.add(one));
      else if (ids.has(id)) ids.delete(id);
      else ids.add(id);
      anchor.current = id;
      choose(place, ids);
    },
    [items, place],
  );
  const selects = useRef(new Map());
  const selectOf = (id) => {
    if (!selects.current.has(id)) selects.current.set(id, (event) => selectNow.current(id, event));
    return selects.current.get(id);
  };
  const selectNow = useRef(select);
  selectNow.current = select;

  if (!shown.ready || rows === null) return h("div", { ref: frame, className: "skeleton list-skeleton", "aria-hidden": true }, bones);
  if (!items.length && none) return h("p", { ref: frame, className: "list-none" }, none);
  const count = items.filter((item) => item.row).length;
  let at = items.slice(0, first).filter((item) => item.row).length;
  const drawn = sections(items, first, end).map(([heading, group], number) =>
    h(
      "section",
      { key: heading ?? `…${number}`, className: "chat-group" },
      heading && h(wide ? "h3" : "h2", null, heading),
      h(
        "ul",
        null,
        group.map((row) =>
          h(ChatRow, {
            key: row.id,
            row,
            wide,
            open: row.id === current,
            chosen: mine ? mine.has(row.id) : null,
            when: wide ? whenOf(row.active, now, t) : "",
            place: (at += 1),
            count: cursor ? -1 : count,
            actions,
            onSelect: selectOf(row.id),
          }),
        ),
      ),
    ),
  );
  return [
    h(
      "div",
      { key: "rows", ref: frame, className: "chat-rows", style: { height: offsets.at(-1) } },
      h("div", { style: { transform: `translateY(${offsets[Math.min(first, items.length)]}px)` } }, drawn),
    ),
    mine && h(BulkBar, { key: "bulk", shelf, ids: [...mine], actions }),
  ];
}

/** Takes rows as an input takes its value; `onGap()` where some are missing, `onSeen(id)` where the open chat has news;
 * `base` is where the routes of chats begin. */
export function ChatRows({ ref, base, onGap, onSeen }) {
  exportFrom(base);
  const shown = useChats();
  const current = chatIn(useLocation().pathname);
  const said = useRef("");
  useImperativeHandle(
    ref,
    () => ({
      set value(message) {
        if (!take(message)) onGap?.();
      },
    }),
    [onGap],
  );
  useEffect(() => {
    const timer = setTimeout(() => isReady() || onGap?.(), READY_MS);
    return () => clearTimeout(timer);
  }, [onGap]);
  useEffect(() => {
    const look = () => {
      const row = chatOf(current);
      const key = row && `${row.id}:${row.changed}`;
      if (!row?.unread || document.visibilityState !== "visible" || said.current === key) return;
      said.current = key;
      onSeen?.(row.id);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [shown, current, onSeen]);
  return null;
}
