// One chat in a list: its link, its marks, its menu, and the field that renames it.
import { createElement as h, memo, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { Archive, ArchiveRestore, CircleCheck, Ellipsis, MessageSquare, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { Menu } from "./menu.js";
import { retitle } from "./chatstore.js";

const mark = (name, title, label) => h("span", { className: name, title, role: "img", "aria-label": label });

function Marks({ row, open }) {
  if (row.waiting) return mark("waiting-dot", "Leaf asks you", "asks you");
  if (row.running) return mark("running-dot", "Leaf is answering", "answering");
  return row.unread && !open ? mark("unread-dot", "There is a new answer", "new answer") : null;
}

/** The field in the place of the title: Enter or leaving it keeps what was typed, Esc does not. */
function Rename({ row, onDone }) {
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
    "aria-label": "Title",
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

function options({ row, actions, onRename, onSelect }) {
  const { id } = row;
  return [
    !row.archived &&
      (row.pinned
        ? item(PinOff, "Unpin", () => actions.onDo("unpin", [id]))
        : item(Pin, "Pin", () => actions.onDo("pin", [id]))),
    item(Pencil, "Rename", onRename),
    row.archived
      ? item(ArchiveRestore, "Restore", () => actions.onDo("unarchive", [id]))
      : item(Archive, "Archive", () => actions.onDo("archive", [id])),
    item(CircleCheck, "Select", onSelect),
    item(Trash2, "Delete", () => actions.onDelete([id]), true),
  ];
}

/**
 * A row. Props: `row`, `open` (its chat is the page), `chosen` (true or false while rows are being chosen, else null),
 * `when` (shown at its end where there is room), `place` and `count` in its list, `actions`, `onSelect(event)`.
 */
export const ChatRow = memo(function ChatRow({ row, open, chosen, when, wide, place, count, actions, onSelect }) {
  const [renaming, setRenaming] = useState(false);
  const self = useRef(null);
  const name = h("span", { className: "chat-name" }, row.title);
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
          title: row.title,
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
        wide && h("span", { className: "chat-when" }, row.running ? "answering" : when),
      ),
      h(
        Menu,
        {
          key: "menu",
          label: `Options for ${row.title}`,
          face: h(Ellipsis, { size: 16, "aria-hidden": true }),
          className: "icon-button small chat-menu",
        },
        options({ row, actions, onRename: () => setTimeout(() => setRenaming(true)), onSelect }),
      ),
    ];
  return h("li", { ref: self, className: "chat-row", "aria-posinset": place, "aria-setsize": count }, body);
});
