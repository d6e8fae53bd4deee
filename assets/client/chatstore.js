// The chats that this tab knows. The server sends them a page at a time and then what has changed (`leaf/state/sidebar.py`);
// they are kept here, beside the state of the page, for a list of thousands must not be sent again and again.
import { useSyncExternalStore } from "react";

const [RUNNING, WAITING, UNREAD, PINNED, ARCHIVED] = [1, 2, 4, 8, 16];
const ASK_AGAIN_MS = 5000;

let known = { number: 0, rows: new Map(), ends: {} };
let asked = new Map();
/** What the lists draw: made anew at each change, and the same object in between. */
let shown = { ready: false, chats: [], pinned: [], archived: null, more: {} };
/** Which rows are chosen for what is done to several: in which list, and their ids; null where none are being chosen. */
let chosen = null;
const readers = new Set();

const subscribe = (reader) => {
  readers.add(reader);
  return () => readers.delete(reader);
};
const tell = () => readers.forEach((reader) => reader());

const rowOf = ([id, title, active, changed, bits]) => ({
  id,
  title,
  active,
  changed,
  running: Boolean(bits & RUNNING),
  waiting: Boolean(bits & WAITING),
  unread: Boolean(bits & UNREAD),
  pinned: Boolean(bits & PINNED),
  archived: Boolean(bits & ARCHIVED),
});

/** Of two rows of a chat the later one holds, in whatever order they come. */
function put(written) {
  const row = rowOf(written);
  const before = known.rows.get(row.id);
  if (!before || before.changed <= row.changed) known.rows.set(row.id, row);
}

/** How far back a list is known: what lies behind comes with its next page. */
function setEnd(shelf, rows, cursor) {
  const last = rows.at(-1);
  known.ends[shelf] = { cursor, edge: cursor && last ? last[2] : -Infinity };
}

function draw() {
  const byTime = [...known.rows.values()].sort((a, b) => b.active - a.active || (a.id < b.id ? 1 : -1));
  const within = (shelf) => (row) => row.active >= (known.ends[shelf]?.edge ?? Infinity);
  shown = {
    ready: true,
    pinned: byTime.filter((row) => row.pinned && !row.archived),
    chats: byTime.filter((row) => !row.pinned && !row.archived).filter(within("chats")),
    archived: known.ends.archived ? byTime.filter((row) => row.archived).filter(within("archived")) : null,
    more: { chats: known.ends.chats?.cursor ?? "", archived: known.ends.archived?.cursor ?? "" },
  };
  if (chosen) chosen = { ...chosen, ids: new Set([...chosen.ids].filter((id) => known.rows.has(id))) };
  tell();
}

/** Takes a message; false where one before it is missing. */
export function take(message) {
  if (message.shelf) {
    asked.delete(`${message.shelf}:${message.asked}`);
    // The list was read anew since it was asked for: this page would leave a gap before it.
    if (message.asked !== (known.ends[message.shelf]?.cursor ?? "")) return true;
    message.rows.forEach(put);
    setEnd(message.shelf, message.rows, message.cursor);
    draw();
    return true;
  }
  if (message.after === 0) {
    known = { number: 0, rows: new Map(), ends: {} };
    asked = new Map();
    message.rows.forEach(put);
    setEnd("chats", message.rows.filter((row) => !(row[4] & PINNED)), message.cursor);
  } else if (message.after !== known.number) {
    return false;
  } else {
    message.rows.forEach(put);
    message.gone.forEach((id) => known.rows.delete(id));
  }
  known.number = message.number;
  draw();
  return true;
}

/** Shows a title before the server has stored it. */
export function retitle(id, title) {
  const row = known.rows.get(id);
  if (!row) return;
  known.rows.set(id, { ...row, title });
  draw();
}

/** Asks for the next page of a list, once. */
export function askForMore(shelf, cursor, ask) {
  const key = `${shelf}:${cursor}`;
  if (Date.now() - (asked.get(key) ?? 0) < ASK_AGAIN_MS) return;
  asked.set(key, Date.now());
  ask(shelf, cursor);
}

export const chatOf = (id) => known.rows.get(id);
export const isReady = () => shown.ready;
export const allShown = () => [...shown.pinned, ...shown.chats];

export function choose(place, ids) {
  chosen = place ? { place, ids: new Set(ids) } : null;
  tell();
}

export const useChats = () => useSyncExternalStore(subscribe, () => shown, () => shown);
export const useChosen = () => useSyncExternalStore(subscribe, () => chosen, () => chosen);
export const chosenNow = () => chosen;
