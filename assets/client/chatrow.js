// One chat in a list: its link, its marks, its menu, and the field that renames it.
import { createElement as h, memo, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { Archive, ArchiveRestore, CircleCheck, Ellipsis, MessageSquare, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { exportItems } from "./exporting.js";
import { Menu } from "./menu.js";
import { retitle } from "./chatstore.js";
import { useTexts } from "./texts.js";

const mark = (name, title, label) => h("span", { className: name, title, role: "img", "aria-label": label });

function Marks({ row, open }) {
  const t = useTexts();
  if (row.waiting) return mark("waiting-dot", t("sidebar.asks_you"), t("sidebar.asks"));
  if (row.running) return mark("running-dot", t("sidebar.is_answering"), t("sidebar.answering"));
  return row.unread && !open ? mark("unread-dot", t("sidebar.has_news"), t("sidebar.news")) : null;
}

/** The field in the place of the title: Enter or leaving it keeps what was typed, Esc does not. */
function Rename({ row, onDone }) {
  const t = useTexts();
  const field = useRef(null);
  const over = useRef(false);
  useEffect(() => field.current.select(), []);
  const done = (title) => {
    if (over.current) return;
    over.current = true;
    onDone(title?.trim() && title.trim() !== row.title ? title.trim() : null);
  };
  return h("input", {
    ref: field,
    className: "field chat-rename",
    "aria-label": t("sidebar.title"),
    defaultValue: row.title,
    maxLength: 120,
    autoFocus: true,
    onBlur: (event) => done(event.target.value),
    onKeyDown: (event) => {
      if (event.key === "Enter" && !event.nativeEvent.isComposing) done(event.target.value);
      if (event.key === "Escape") {
        event.preventDefault();
        done(null);
      }
    },
  });
}

function item(Icon, label, onClick, danger) {
  const className = danger ? "menu-item danger" : "menu-item";
  return h("button", { key: label, type: "button", role: "menuitem", className, onClick }, h(Icon, { size: 16, "aria-hidden": true }), label);
}

function options({ t, row, open, actions, onRename, onSelect }) {
  const { id } = row;
  return [
    !row.archived &&
      (row.pinned
        ? item(PinOff, t("sidebar.unpin"), () => actions.onDo("unpin", [id]))
        : item(Pin, t("sidebar.pin"), () => actions.onDo("pin", [id]))),
    item(Pencil, t("sidebar.rename"), onRename),
    row.archived
      ? item(ArchiveRestore, t("sidebar.restore"), () => actions.onDo("unarchive", [id]))
      : item(Archive, t("sidebar.archive"), () => actions.onDo("archive", [id])),
    exportItems(t, id, open),
    item(CircleCheck, t("sidebar.select"), onSelect),
    item(Trash2, t("sidebar.delete"), () => actions.onDelete([id]), true),
  ];
}

/**
 * A row. Props: `row`, `open` (its chat is the page), `chosen` (true or false while rows are being chosen, else null),
 * `when` (shown at its end where there is room), `place` and `count` in its list, `actions`, `onSelect(event)`.
 */
export const ChatRow = memo(function ChatRow({ row, open, chosen, when, wide, place, count, actions, onSelect }) {
  const t = useTexts();
  const [renaming, setRenaming] = useState(false);
  const self = useRef(null);
  const called = row.title || t("sidebar.new_chat");
  const name = h("span", { className: "chat-name" }, called);
  const link = wide ? "chat-link chat-card" : "nav-item chat-link";
  const renamed = (title) => {
    setRenaming(false);
    if (title) {
      retitle(row.id, title);
      actions.onRename(row.id, title);
    }
    requestAnimationFrame(() => self.current?.querySelector("a.chat-link")?.focus());
  };
  let body;
  if (renaming) body = h(Rename, { row, onDone: renamed });
  else if (chosen !== null)
    body = h(
      "label",
      { className: `${link} choosing` },
      h("input", { type: "checkbox", checked: chosen, onChange: () => {}, onClick: onSelect }),
      name,
      h(Marks, { row, open }),
    );
  else
    body = [
      h(
        Link,
        {
          key: "link",
          to: `/chat/${row.id}`,
          className: link,
          title: called,
          "aria-current": open ? "page" : "false",
          onClick: (event) => {
            if (!event.shiftKey) return;
            event.preventDefault();
            onSelect(event);
          },
        },
        wide && h(MessageSquare, { size: 17, "aria-hidden": true }),
        name,
        h(Marks, { row, open }),
        wide && h("span", { className: "chat-when" }, row.running ? t("sidebar.answering") : when),
      ),
      h(
        Menu,
        {
          key: "menu",
          label: t("sidebar.options", { title: called }),
          face: h(Ellipsis, { size: 16, "aria-hidden": true }),
          className: "icon-button small chat-menu",
        },
        options({ t, row, open, actions, onRename: () => setTimeout(() => setRenaming(true)), onSelect }),
      ),
    ];
  return h("li", { ref: self, className: "chat-row", "aria-posinset": place, "aria-setsize": count }, body);
});
