// What was typed and not sent yet, for each person and chat. It never leaves this browser, and nobody else who signs in
// here gets to see it.
import { useEffect } from "react";

const DRAFT = "leaf:draft:";
const PERSON = "leaf:person";
/** So long somebody may take a deletion back: a draft is not lost by it. */
const UNDO_MS = 10_000;

/** Drafts by chat from the time before the server has said who is signed in. */
const early = new Map();

function attempt(action, otherwise) {
  try {
    return action();
  } catch {
    // Storage is full, refused, or not there; the text is still in the box.
    return otherwise;
  }
}

const key = (person, chat) => `${DRAFT}${person}:${chat}`;

function store(name, text) {
  attempt(() => (text ? localStorage.setItem(name, text) : localStorage.removeItem(name)));
}

function forget(matches) {
  attempt(() => Object.keys(localStorage).filter(matches).forEach((name) => localStorage.removeItem(name)));
}

/** Who used this browser last: known at once, while the server still has to say it. */
export const remembered = () => attempt(() => localStorage.getItem(PERSON), null) ?? "";

function adopt(person) {
  for (const [chat, text] of early) store(key(person, chat), text);
  early.clear();
}

export function readDraft(person, chat) {
  if (!person) return early.get(chat) ?? "";
  adopt(person);
  return attempt(() => localStorage.getItem(key(person, chat)), null) ?? "";
}

export function writeDraft(person, chat, text) {
  if (!person) {
    early.set(chat, text);
    return;
  }
  adopt(person);
  store(key(person, chat), text);
}

/** Whose account is about to be deleted; the page after that forgets their drafts. */
const LEAVING = "leaf:leaving";

function forgetWhoLeft() {
  const person = attempt(() => sessionStorage.getItem(LEAVING), null);
  if (!person) return;
  early.clear();
  forget((name) => name.startsWith(`${DRAFT}${person}:`));
  attempt(() => sessionStorage.removeItem(LEAVING));
}

function onSubmit(event) {
  if (event.target.matches?.("[data-leaving]")) attempt(() => sessionStorage.setItem(LEAVING, remembered()));
  if (!event.target.matches?.("[data-sign-out]")) return;
  early.clear();
  forget((name) => name === PERSON || name.startsWith(DRAFT));
}

/**
 * Draws nothing. Props: `person` (an id, empty until the server has said it), `deleted` (the chats that were
 * deleted last, by commas), `stranger` (the page is for people who are not signed in), `farewell` (an account was
 * deleted).
 */
export function Drafts({ person, deleted, stranger, farewell }) {
  useEffect(() => {
    if (farewell) forgetWhoLeft();
  }, [farewell]);
  useEffect(() => {
    if (stranger) store(PERSON, "");
    else if (person) store(PERSON, person);
  }, [person, stranger]);
  useEffect(() => {
    if (!deleted) return undefined;
    const chats = deleted.split(",");
    const forgetThem = () => forget((name) => name.startsWith(DRAFT) && chats.some((chat) => name.endsWith(`:${chat}`)));
    const timer = setTimeout(forgetThem, UNDO_MS);
    return () => clearTimeout(timer);
  }, [deleted]);
  useEffect(() => {
    document.addEventListener("submit", onSubmit);
    return () => document.removeEventListener("submit", onSubmit);
  }, []);
  return null;
}
