// Taking a chat away: as a file from a route, or on paper by the browser's own dialog.
import { createElement as h } from "react";
import { Braces, Download, FileText, Printer } from "lucide-react";
import { Menu } from "./menu.js";
import { useTexts } from "./texts.js";

/** What is closed on the page and belongs on paper: what an answer rests on. */
const PRINTED = "details.cited, details.receipt";
const opened = [];

// Also for a print that the browser's own menu has begun.
if (typeof window !== "undefined") {
  window.addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll(PRINTED)) {
      if (details.open) continue;
      details.open = true;
      opened.push(details);
    }
  });
  window.addEventListener("afterprint", () => {
    for (const details of opened.splice(0)) details.open = false;
  });
}

let base = "/api/chats/";

/** Where the routes of chats begin: with the development server, at another port. */
export const exportFrom = (address) => {
  base = address;
};

/** Has the browser save a chat; the server names the file. */
export function saveChat(chat, ending) {
  const anchor = document.createElement("a");
  anchor.href = `${base}${chat}/export.${ending}`;
  anchor.download = "";
  anchor.click();
}

/** Prints the open chat, once the menu that was clicked is gone. */
export const printChat = () => setTimeout(() => window.print());

function item(Icon, label, onClick) {
  return h("button", { key: label, type: "button", role: "menuitem", className: "menu-item", onClick }, h(Icon, { size: 16, "aria-hidden": true }), label);
}

/** The items of a menu that make files of a chat; printed is only what is open. */
export function exportItems(t, chat, open) {
  return [
    item(FileText, t("imports.markdown"), () => saveChat(chat, "md")),
    item(Braces, t("imports.json"), () => saveChat(chat, "json")),
    open && item(Printer, t("imports.print"), printChat),
  ];
}

/** Props: `chat`, `ready`. */
export function ExportMenu({ chat, ready }) {
  const t = useTexts();
  const face = [h(Download, { key: "icon", size: 17, "aria-hidden": true }), h("span", { key: "label", className: "wide-only" }, t("imports.export"))];
  if (!ready) return h("button", { type: "button", className: "text-button header-button", "aria-label": t("imports.export"), disabled: true }, face);
  return h(Menu, { label: t("imports.export"), face, className: "text-button header-button" }, exportItems(t, chat, true));
}
