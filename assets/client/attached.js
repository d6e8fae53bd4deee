// What stands beside the words of a message that is being written: Drive files that it names, files that come with it.
import { createElement as h } from "react";
import { File, FileSpreadsheet, FileText, Folder, LoaderCircle, Presentation, TriangleAlert, X } from "lucide-react";
import { readDraft, writeDraft } from "./drafts.js";
import { useTexts } from "./texts.js";

export const NOTHING = Object.freeze({ mentions: [], files: [] });
const SIGNS = {
  document: FileText,
  text: FileText,
  markdown: FileText,
  pdf: FileText,
  word: FileText,
  spreadsheet: FileSpreadsheet,
  excel: FileSpreadsheet,
  csv: FileSpreadsheet,
  presentation: Presentation,
  powerpoint: Presentation,
  folder: Folder,
};

export const signOf = (kind) => SIGNS[kind] ?? File;

/** It is kept like the draft itself, under a name of its own. */
const beside = (chat) => `beside:${chat}`;

export function readBeside(person, chat) {
  try {
    const found = JSON.parse(readDraft(person, beside(chat)) || "{}");
    return { mentions: found.mentions ?? [], files: found.files ?? [] };
  } catch {
    return NOTHING;
  }
}

export function writeBeside(person, chat, { mentions, files }) {
  writeDraft(person, beside(chat), mentions.length || files.length ? JSON.stringify({ mentions, files }) : "");
}

/** Those mentions whose `@name` stands in a text, as `leaf/parts/attached.py` has it. */
export function standing(text, mentions) {
  let rest = text;
  const found = new Set();
  for (const one of [...mentions].sort((a, b) => b.name.length - a.name.length)) {
    const at = rest.indexOf(`@${one.name}`);
    if (at < 0) continue;
    rest = `${rest.slice(0, at)}\0${rest.slice(at + one.name.length + 1)}`;
    found.add(one.id);
  }
  return mentions.filter((one) => found.has(one.id));
}

const nameOf = (path) => path.split("/").at(-1);

function Chip({ icon, name, said, failed, busy, label, onRemove }) {
  return h(
    "li",
    { className: failed ? "chip failed" : "chip" },
    h(icon, { size: 15, "aria-hidden": true, className: busy ? "turning" : undefined }),
    h("span", { className: "chip-text" }, h("span", { className: "chip-name" }, name), said && h("span", { className: "chip-said" }, said)),
    onRemove && h("button", { type: "button", className: "icon-button small", "aria-label": label, title: label, onClick: onRemove }, h(X, { size: 14, "aria-hidden": true })),
  );
}

/** Props: `beside`, `uploads` (under way, or with something to say), `onUnname(mention)`, `onDetach(path)`, `onDismiss(id)`. */
export function Beside({ beside: { mentions, files }, uploads, onUnname, onDetach, onDismiss }) {
  const t = useTexts();
  if (!mentions.length && !files.length && !uploads.length) return null;
  const remove = (name) => t("composer.remove", { name });
  return h(
    "ul",
    { className: "chips", "aria-label": t("composer.beside") },
    mentions.map((one) =>
      h(Chip, { key: one.id, icon: signOf(one.kind), name: one.name, said: t("composer.in_drive"), label: remove(one.name), onRemove: () => onUnname(one) }),
    ),
    files.map((path) => h(Chip, { key: path, icon: FileText, name: nameOf(path), label: remove(nameOf(path)), onRemove: () => onDetach(path) })),
    uploads.map((one) =>
      h(Chip, {
        key: one.id,
        icon: one.going ? LoaderCircle : TriangleAlert,
        busy: one.going,
        failed: one.failed,
        name: one.name,
        said: one.going ? (one.share < 1 ? t.number(one.share, { style: "percent" }) : t("files.reading")) : one.said,
        label: t("files.dismiss", { name: one.name }),
        onRemove: one.going ? undefined : () => onDismiss(one.id),
      }),
    ),
  );
}

/** The words of a question, its mentions as links to Drive. */
export function Words({ text, mentions }) {
  const pieces = [text];
  for (const one of [...mentions].sort((a, b) => b.label.length - a.label.length)) {
    const at = pieces.findIndex((piece) => typeof piece === "string" && piece.includes(`@${one.label}`));
    if (at < 0) continue;
    const from = pieces[at].indexOf(`@${one.label}`);
    const to = from + one.label.length + 1;
    const link = h("a", { key: one.address, className: "mention", href: one.address, target: "_blank", rel: "noopener noreferrer" }, `@${one.label}`);
    pieces.splice(at, 1, pieces[at].slice(0, from), link, pieces[at].slice(to));
  }
  return pieces;
}

/** The files that came with a question. Props: `files` (`[{label, address}]`, an address within the chat's files). */
export function Came({ files, chat, origin }) {
  const t = useTexts();
  if (!files.length) return null;
  return h(
    "ul",
    { className: "chips came", "aria-label": t("composer.came") },
    files.map((one) =>
      h(
        "li",
        { key: one.address },
        h(
          "a",
          { className: "chip", href: `${origin}/api/chats/${chat}/files/${one.address}`, download: "" },
          h(FileText, { size: 15, "aria-hidden": true }),
          h("span", { className: "chip-name" }, nameOf(one.label)),
        ),
      ),
    ),
  );
}
