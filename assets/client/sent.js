// What was sent and not acknowledged yet. The key under which it was sent is kept like the draft: a page that is loaded
// anew asks what came of it, and whoever sends it again does not send it twice.
import { readDraft, writeDraft } from "./drafts.js";

const nameOf = (chat) => `sent:${chat}`;

/** `{text, key}`, or null. */
export function readSent(person, chat) {
  try {
    const found = JSON.parse(readDraft(person, nameOf(chat)) || "null");
    return typeof found?.text === "string" && typeof found.key === "string" ? found : null;
  } catch {
    return null;
  }
}

export const forgetSent = (person, chat) => writeDraft(person, nameOf(chat), "");

/** The key for a text: the one under which it was sent before, as long as nobody knows what came of that. */
export function keyFor(person, chat, text) {
  const before = readSent(person, chat);
  if (before?.text === text) return before.key;
  const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  writeDraft(person, nameOf(chat), JSON.stringify({ text, key }));
  return key;
}
