// What the widget shows, as one object that only `reduce` changes. Pure.
//
// `phase` is what goes on in the chat:
//
//   idle → sending → writing → idle          a message, its answer
//          writing → reconnecting → writing  the connection was lost
//   idle → opening → idle | writing          a chat is restored, perhaps in mid-answer
//
// An action that does not belong to the chat that is open (`chat`) is one that came too late, and changes nothing.
import { begun, messagesOf, told } from "./answer.js";

export const EMPTY = Object.freeze({
  agent: null,
  view: "chat",
  chat: null,
  title: "",
  messages: [],
  /** That go with the next message: `{id, name, path}`; `path` is empty while one is sent. */
  files: [],
  phase: "idle",
  /** `archived` is which of the two lists is shown; `local` that the server has none for this visitor. */
  chats: { items: [], next: null, state: "unknown", archived: false, local: false },
  notice: null,
});

const BUSY = new Set(["sending", "writing", "reconnecting"]);

/** Whether an answer is on its way. */
export const busy = (state) => BUSY.has(state.phase);

export function reduce(state, action) {
  const change = CHANGES[action.type];
  if (!change) return state;
  if ("chat" in action && action.chat !== state.chat && action.type !== "opening") return state;
  return change(state, action);
}

const CHANGES = {
  agent: (state, { agent }) => ({ ...state, agent, notice: null }),
  view: (state, { view }) => ({ ...state, view, notice: null }),
  notice: (state, { notice }) => ({ ...state, notice }),

  /** A new chat; it has no id before its first message. */
  fresh: (state) => ({ ...state, view: "chat", chat: null, title: "", messages: [], files: [], phase: "idle", notice: null }),
  opening: (state, { chat }) =>
    state.chat === chat && state.messages.length
      ? { ...state, view: "chat", notice: null }
      : { ...state, view: "chat", chat, title: "", messages: [], files: [], phase: "opening", notice: null },
  /** `waiting` is an answer that goes on once the page has run a tool for it. */
  opened: (state, { title, events, answer, waiting }) => ({
    ...state,
    title,
    messages: [...messagesOf(events).map((one) => (one.id === waiting?.messageId ? { ...one, status: "writing" } : one)), ...(answer ? [begun(answer.messageId)] : [])],
    phase: answer || waiting ? "writing" : "idle",
  }),

  /** A message is shown at once, under an id of the page's own. */
  sending: (state, { id, text, files = [] }) => ({
    ...state,
    messages: [...state.messages.filter((one) => one.id !== id), { id, role: "user", text, files, state: "sending" }],
    files: state.files.filter((one) => !files.includes(one.path)),
    phase: "sending",
    notice: null,
  }),
  attaching: (state, { id, name }) => ({ ...state, files: [...state.files, { id, name, path: "" }], notice: null }),
  attached: (state, { id, path }) => ({ ...state, files: state.files.map((one) => (one.id === id ? { ...one, path } : one)) }),
  detached: (state, { id, notice = null }) => ({ ...state, files: state.files.filter((one) => one.id !== id), notice }),
  named: (state, { id }) => ({ ...state, chat: id }),
  unsent: (state, { id, notice }) => ({
    ...state,
    messages: state.messages
      .filter((one) => one.role === "user" || one.status !== "writing")
      .map((one) => (one.id === id ? { ...one, state: "failed" } : one)),
    phase: "idle",
    notice,
  }),
  withdrawn: (state, { id }) => ({ ...state, messages: state.messages.filter((one) => one.id !== id), notice: null }),

  frame: (state, { frame }) => {
    const last = state.messages[state.messages.length - 1];
    const writes = last?.role === "assistant" && last.status === "writing";
    if (!writes && frame.type !== "start") return state;
    const settled = state.messages.map((one) => (one.state === "sending" ? { ...one, state: "sent" } : one));
    const before = writes ? settled.slice(0, -1) : settled;
    const answer = told(writes ? last : begun(), frame);
    return { ...state, messages: [...before, answer], phase: answer.status === "writing" ? "writing" : state.phase };
  },
  lost: (state) => (busy(state) ? { ...state, phase: "reconnecting" } : state),
  /** The stream has ended, with what is stored of the chat where that could be read. */
  ended: (state, { stored, notice = null }) => ({
    ...state,
    title: stored?.title || state.title,
    messages: stored ? keptStatus(messagesOf(stored.events), state.messages) : settled(state.messages),
    phase: "idle",
    notice,
  }),

  liked: (state, { id, feedback }) => ({
    ...state,
    messages: state.messages.map((one) => (one.id === id ? { ...one, feedback } : one)),
  }),

  listing: (state, { archived = false }) => {
    const items = archived === state.chats.archived ? state.chats.items : [];
    const next = items.length ? state.chats.next : null;
    return { ...state, chats: { ...state.chats, items, next, archived, state: items.length ? "known" : "loading" } };
  },
  listed: (state, { items, next, more, archived = false, local = false }) =>
    // The other list may be wanted by now.
    archived !== state.chats.archived
      ? state
      : { ...state, chats: { items: more ? merged(state.chats.items, items) : items, next: next ?? null, state: "known", archived, local } },
  unlisted: (state, { reason }) => ({ ...state, chats: { ...state.chats, items: [], next: null, state: reason } }),
  /** A chat has gone into the other list. */
  moved: (state, { id }) => ({ ...state, chats: { ...state.chats, items: state.chats.items.filter((one) => one.id !== id) }, notice: null }),
  deleted: (state, { id }) => {
    const chats = { ...state.chats, items: state.chats.items.filter((one) => one.id !== id) };
    const left = { ...state, chats, notice: null };
    return state.chat === id ? { ...left, chat: null, title: "", messages: [], phase: "idle" } : left;
  },
};

const merged = (before, items) => [...before, ...items.filter((one) => before.every((other) => other.id !== one.id))];

/** An answer whose end nobody told. */
const settled = (messages) =>
  messages.map((one) => (one.role === "assistant" && one.status === "writing" ? { ...one, status: "error" } : one));

/** What is stored stands; why an answer failed may only have been told. */
const keptStatus = (stored, shown) =>
  stored.map((one) => {
    const before = shown.find((other) => other.id === one.id && other.role === "assistant");
    if (one.role !== "assistant" || !before || one.status !== "completed" || before.status === "writing") return one;
    return { ...one, status: before.status, problem: before.problem };
  });

/** A state, who looks at it, and the one way to change it. */
export class Store {
  #state;
  #readers = new Set();
  constructor(state = EMPTY) {
    this.#state = state;
  }

  get state() {
    return this.#state;
  }

  dispatch(action) {
    const next = reduce(this.#state, action);
    if (next === this.#state) return;
    this.#state = next;
    for (const reader of [...this.#readers]) reader(next);
  }

  /** Calls `reader` after each change; gives what ends that. */
  watch(reader) {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }
}
