import { createElement as h } from "react";
import { Check, Copy } from "lucide-react";
import { useBusy } from "./form.js";
import { say, useTexts } from "./texts.js";

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
    .filter((item) => item.kind === "text")
    .flatMap((item) => item.blocks)
    .join("\n\n");

/** A quote as a footnote of Markdown: `[^1]: "quote" — [name](url), place (verified)`. */
function footnote({ n, verified, name, place, url, quote, own }) {
  const address = own ? new URL(url, window.location.origin).href : url;
  const named = address ? `[${name.replace(/[[\]\\]/g, "\\$&")}](${address.replace(/[()\s]/g, encodeURIComponent)})` : name;
  const where = place ? `${named}, ${place}` : named;
  return `[^${n}]: ${quote ? `“${quote}” — ` : ""}${where} (${verified ? say("messages.verified") : say("messages.not_verified")})`;
}

/** The texts among `items`, with their citations as footnotes. */
function answerOf(items, citations) {
  const text = textOf(items).replace(/\[\^(\d+)\?\]/g, "[^$1]").trimEnd();
  return citations?.length ? `${text}\n\n${citations.map(footnote).join("\n")}\n` : text;
}

/** Copies `text` (or what it returns), or the Markdown of the texts among `items`. `words` stand beside the icon. */
export function CopyButton({ text, items, citations, label, words }) {
  const t = useTexts();
  const [copied, setCopied] = useBusy(COPIED_MS);
  const onClick = async () => {
    await copy(items ? answerOf(items, citations) : ((typeof text === "function" ? text() : text) ?? ""));
    setCopied(true);
  };
  return h(
    "button",
    {
      type: "button",
      className: words ? "text-button small" : "icon-button small",
      "aria-label": copied ? t("common.copied") : label,
      title: label,
      "data-copies": items ? "answer" : "text",
      onClick,
    },
    h(copied ? Check : Copy, { size: 15, "aria-hidden": true }),
    words,
  );
}
