// The files of a message that is being written: the Drive files that it mentions, and its uploads.
import { createElement as h } from "react";
import { File, FileSpreadsheet, FileText, Folder, LoaderCircle, Presentation, TriangleAlert, X } from "lucide-react";
import { useTexts } from "./texts.js";

const ICONS = {
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

export const signOf = (kind) => ICONS[kind] ?? File;

/** The mentions whose `@name` appears in a text, by the rules of `leaf/parts/attached.py`. */
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

function Chip({ icon, name, words, failed, busy, label, onRemove }) {
  const remove = { type: "button", className: "icon-button small", "aria-label": label, title: label, onClick: onRemove };
  return h(
    "li",
    { className: failed ? "chip failed" : "chip" },
    h(icon, { size: 15, "aria-hidden": true, className: busy ? "turning" : undefined }),
    h("span", { className: "chip-text" }, h("span", { className: "chip-name" }, name), words && h("span", { className: "chip-said" }, words)),
    !busy && h("button", remove, h(X, { size: 14, "aria-hidden": true })),
  );
}

/** Props: `beside` (`{mentions, files}`), `uploads` (`useUploads`), `onUnname(mention)`, `onDetach(path)`. */
export function Beside({ beside: { mentions, files }, uploads, onUnname, onDetach }) {
  const t = useTexts();
  const ofMention = (one) => ({ key: one.id, icon: signOf(one.kind), name: one.name, words: t("composer.in_drive"), onRemove: () => onUnname(one) });
  const ofFile = (path) => ({ key: path, icon: FileText, name: path.split("/").at(-1), onRemove: () => onDetach(path) });
  const ofUpload = ({ id, name, going, failed, words, drop }) => ({
    key: id,
    icon: going ? LoaderCircle : TriangleAlert,
    name,
    busy: going,
    failed,
    words,
    label: t("files.dismiss", { name }),
    onRemove: drop,
  });
  const chips = [...mentions.map(ofMention), ...files.map(ofFile), ...uploads.map(ofUpload)];
  if (!chips.length) return null;
  return h(
    "ul",
    { className: "chips", "aria-label": t("composer.beside") },
    chips.map(({ key, ...props }) => h(Chip, { key, label: t("composer.remove", { name: props.name }), ...props })),
  );
}
