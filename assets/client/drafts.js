// Words that were typed and not sent yet, by person and chat, with what belongs to them. They never leave this browser,
// and nobody else who signs in here sees them.
import { useEffect } from "react";
import { after, listen } from "./events.js";
import { forget, forgetOthers } from "./kept_chats.js";
import { attempt } from "./store.js";

const DRAFT = "leaf:draft:";
const PERSON = "leaf:person";
/** The person whose account is about to be deleted; the page after that forgets their drafts. */
const LEAVING = "leaf:leaving";
/** Milliseconds in which a deletion can be undone: the drafts of the chat are still there. */
const UNDO_MS = 10_000;

/** Drafts by chat from before the server has named the person: a message that is sent again has its key from there. */
const early = new Map();

// Storage may be full, refused, or not there; the words are still in their box.
const key = (person, chat) => `${DRAFT}${person}:${chat}`;
const store = (name, text) => attempt(() => (text ? localStorage.setItem(name, text) : localStorage.removeItem(name)));
const forgetThose = (matches) => attempt(() => Object.keys(localStorage).filter(matches).forEach((name) => localStorage.removeItem(name)));

/** The person who used this browser last: known before the server has named them. */
export const remembered = () => attempt(() => localStorage.getItem(PERSON)) ?? "";

function adopt(person) {
  for (const [chat, text] of early) store(key(person, chat), text);
  early.clear();
}

export function readDraft(person, chat) {
  if (!person) return early.get(chat) ?? "";
  adopt(person);
  return attempt(() => localStorage.getItem(key(person, chat))) ?? "";
}

export function writeDraft(person, chat, text) {
  if (person) {
    adopt(person);
    store(key(person, chat), text);
  } else early.set(chat, text);
}

/** An object stored like a draft; null if there is none. */
const readRecord = (person, name) => attempt(() => JSON.parse(readDraft(person, name) || "null"));
const writeRecord = (person, name, record) => writeDraft(person, name, record ? JSON.stringify(record) : "");

export const NOTHING = Object.freeze({ mentions: [], files: [] });

/** The files of Drive that a draft mentions, and the files that come with it. */
export const readBeside = (person, chat) => ({ ...NOTHING, ...readRecord(person, `beside:${chat}`) });

export function writeBeside(person, chat, { mentions, files }) {
  writeRecord(person, `beside:${chat}`, mentions.length || files.length ? { mentions, files } : null);
}

/** A message that was sent and is not acknowledged yet, `{text, key}`, or null: a page that is loaded anew asks for it. */
export function readSent(person, chat) {
  const found = readRecord(person, `sent:${chat}`);
  return typeof found?.text === "string" && typeof found.key === "string" ? found : null;
}

export const forgetSent = (person, chat) => writeRecord(person, `sent:${chat}`, null);

/** The key of a message: the same text has the same key until its outcome is known, so that it is not sent twice. */
export function keyFor(person, chat, text) {
  const before = readSent(person, chat);
  if (before?.text === text) return before.key;
  const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  writeRecord(person, `sent:${chat}`, { text, key });
  return key;
}

/** Words in editors of questions, per tab: another tab may edit the same question. */
const edits = new Map();
const nameOf = (chat, place) => `edit:${place}:${chat}`;

/** Keeps `{text, named}` for the place of a question; null forgets it. */
export function keepEdit(chat, place, words) {
  if (!place) return;
  const name = nameOf(chat, place);
  if (words) edits.set(name, words);
  else edits.delete(name);
  writeRecord(remembered(), name, words);
}

/** The stored words for the place of a question, or null; words that have become the question are forgotten. */
export function keptEdit(chat, place, question) {
  if (!place) return null;
  const name = nameOf(chat, place);
  const found = edits.get(name) ?? readRecord(remembered(), name);
  if (typeof found?.text !== "string" || !Array.isArray(found.named)) return null;
  const taken = found.text.trim() === question.trim();
  // Another tab may have forgotten its own.
  keepEdit(chat, place, taken ? null : found);
  return taken ? null : found;
}

function forgetLeaver() {
  const person = attempt(() => sessionStorage.getItem(LEAVING));
  if (!person) return;
  early.clear();
  forgetThose((name) => name.startsWith(`${DRAFT}${person}:`));
  attempt(() => sessionStorage.removeItem(LEAVING));
}

function onSubmit({ target }) {
  if (target.matches?.("[data-leaving]")) attempt(() => sessionStorage.setItem(LEAVING, remembered()));
  if (!target.matches?.("[data-sign-out]")) return;
  early.clear();
  forgetThose((name) => name === PERSON || name.startsWith(DRAFT));
  forgetOthers();
}

/**
 * Draws nothing. Props: `person` (an id, empty until the server has named them), `deleted` (the chats that were deleted
 * last, separated by commas), `stranger` (nobody is signed in), `farewell` (an account was deleted).
 */
export function Drafts({ person, deleted, stranger, farewell }) {
  useEffect(() => {
    if (farewell) forgetLeaver();
  }, [farewell]);
  useEffect(() => {
    if (stranger) {
      store(PERSON, "");
      forgetOthers();
    } else if (person) store(PERSON, person);
  }, [person, stranger]);
  useEffect(() => {
    if (!deleted) return undefined;
    const chats = deleted.split(",");
    const ofThem = (name) => name.startsWith(DRAFT) && chats.some((chat) => name.endsWith(`:${chat}`));
    return after(UNDO_MS, () => {
      forgetThose(ofThem);
      chats.forEach((chat) => forget(person, chat));
    });
  }, [deleted]);
  useEffect(() => listen(document, { submit: onSubmit }), []);
  return null;
}
