// What somebody is about to ask in the place of a question. It outlives the question: another tab may ask that one in
// another way, and the page may be loaded anew. Like a draft it never leaves this browser.
import { readDraft, remembered, writeDraft } from "./drafts.js";

/** By chat and place, as this tab has it. */
const kept = new Map();
/** Where the caret was in a box that has just gone: `{place, start, end}`. */
let held = null;

/** The place of a question: the answer that it follows, which all of its versions have in common. Null where that has yet to come. */
export function placeOf(element) {
  let before = element?.closest(".message")?.previousElementSibling;
  while (before && !before.id.startsWith("message-")) {
    if (before.matches(".earlier-room")) return null;
    before = before.previousElementSibling;
  }
  return before ? before.id.slice("message-".length) : "first";
}

const nameOf = (chat, place) => `edit:${place}:${chat}`;

function stored(name) {
  try {
    const found = JSON.parse(readDraft(remembered(), name) || "null");
    return typeof found?.text === "string" && Array.isArray(found.named) ? found : null;
  } catch {
    return null;
  }
}

export const forget = (chat, place) => keep(chat, place, null);

/** Keeps `{text, named}`. */
export function keep(chat, place, words) {
  if (!place) return;
  const name = nameOf(chat, place);
  if (words) kept.set(name, words);
  else kept.delete(name);
  writeDraft(remembered(), name, words ? JSON.stringify(words) : "");
}

/** What was kept for a place whose question is `text`, or null; what has become the question by now is none. */
export function begunAt(chat, place, text) {
  if (!place) return null;
  const name = nameOf(chat, place);
  const found = kept.get(name) ?? stored(name);
  if (!found) return null;
  if (found.text.trim() === text.trim()) {
    forget(chat, place);
    return null;
  }
  // Another tab may have forgotten its own.
  keep(chat, place, found);
  return found;
}

/** A box goes, in which somebody may be typing. */
export function holdCaret(place, box) {
  held = document.activeElement === box ? { place, start: box.selectionStart, end: box.selectionEnd } : null;
}

/** The caret of the box that was in this place a moment ago. */
export function takeCaret(place) {
  const caret = held?.place === place ? held : null;
  held = null;
  return caret;
}
