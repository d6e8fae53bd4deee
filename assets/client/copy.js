// Copying a text or an answer; the button is drawn by `leaf/components/controls.py`.
import { useBusy } from "./controls.js";
import { say } from "./texts.js";

const COPIED_MS = 1600;

/** Copies by the clipboard API, or through a selection if that is refused (plain http on a local network). */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.cssText = "position:fixed;opacity:0";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

const textOf = (items) =>
  items
    .filter((item) => item.kind === "text" && !item.narration)
    .flatMap((item) => item.blocks)
    .join("\n\n");

const PARENTHESES = { "(": "%28", ")": "%29" };
const escaped = (character) => PARENTHESES[character] ?? encodeURIComponent(character);

/** A quote as an item of a list in Markdown: `1. "quote" — [name](url), place (verified)`. */
function source({ n, verified, name, place, url, quote, own, call }) {
  const address = own ? new URL(url, window.location.origin).href : url;
  const named = address ? `[${name.replace(/[[\]\\]/g, "\\$&")}](${address.replace(/[()\s]/g, escaped)})` : name;
  const where = place ? `${named}, ${place}` : named;
  return `${n}. ${quote ? `“${quote}” — ` : ""}${where} (${say(call ? "messages.computed" : verified ? "messages.verified" : "messages.not_verified")})`;
}

const CODE = /(```[^]*?```|`[^`\n]*`)/;
const OWN = /\[\^~([^\]\s]{1,40})\]/g;
const MARKS = /\[\^\d+\??\]/g;

/** The texts among `items` without narration and without the marks of citations, which follow as a list. */
function answerOf(items, citations) {
  const text = textOf(items).trimEnd();
  const outsideCode = (change) => (piece, at) => (at % 2 ? piece : change(piece));
  const unmarked = text.split(CODE).map(outsideCode((piece) => piece.replace(OWN, "$1")));
  if (!citations?.length) return unmarked.join("");
  const plain = unmarked.map(outsideCode((piece) => piece.replace(MARKS, "")));
  return `${plain.join("")}\n\n${say("messages.sources")}:\n\n${citations.map(source).join("\n")}\n`;
}

/** What copies `text` (or what it returns), or the Markdown of the texts among `items`; it is `copied` for a moment. */
export function useCopy(text, items, citations) {
  const [copied, setCopied] = useBusy(COPIED_MS);
  const onClick = async () => {
    await copy(items ? answerOf(items, citations) : ((typeof text === "function" ? text() : text) ?? ""));
    setCopied(true);
  };
  return { copied, onClick };
}
