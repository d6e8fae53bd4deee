// The messages that wait for the end of an answer, above the composer.
import { createElement as h, useEffect, useRef, useState } from "react";
import { Clock, Paperclip, Pencil, SendHorizontal, X } from "lucide-react";
import { refusal } from "./composer.js";
import { OnceButton } from "./once.js";
import { useTexts } from "./texts.js";

const RUNNING = new Set(["pending", "streaming"]);
const WHY = { stopped: "queue.stopped", error: "queue.failed", waiting: "queue.asks" };

function Editing({ text, limit, onSave, onCancel }) {
  const t = useTexts();
  const box = useRef(null);
  const [hint, setHint] = useState("");
  useEffect(() => {
    box.current.focus({ preventScroll: true });
    box.current.setSelectionRange(text.length, text.length);
  }, []);
  const save = () => {
    const why = refusal(t, box.current.value, limit);
    setHint(why);
    if (!why) onSave(box.current.value);
  };
  const onKeyDown = (event) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (!event.repeat) save();
    }
  };
  return h(
    "div",
    { className: "queued-edit" },
    h("textarea", { ref: box, className: "field", rows: 2, defaultValue: text, "aria-label": t("queue.message"), onKeyDown }),
    h(
      "div",
      { className: "edit-row" },
      h("p", { className: "small-note", role: "alert" }, hint),
      h("button", { type: "button", className: "button secondary small", onClick: onCancel }, t("common.cancel")),
      h("button", { type: "button", className: "button primary small", onClick: save }, t("common.save")),
    ),
  );
}

function Entry({ one, limit, running, onRewrite, onWithdraw, onRelease }) {
  const t = useTexts();
  const edit = useRef(null);
  const left = useRef(false);
  const [editing, setEditing] = useState(false);
  useEffect(() => {
    if (editing || !left.current) return;
    left.current = false;
    edit.current?.focus({ preventScroll: true });
  }, [editing]);
  const close = () => {
    left.current = true;
    setEditing(false);
  };
  const onSave = (text) => {
    close();
    if (text.trim() !== one.text) onRewrite(one.id, text);
  };
  if (editing) return h("li", { className: "queued" }, h(Editing, { text: one.text, limit, onSave, onCancel: close }));
  const icon = (label, of, props) => h(OnceButton, { className: "icon-button small", "aria-label": label, title: label, ...props }, h(of, { size: 15, "aria-hidden": true }));
  return h(
    "li",
    { className: "queued" },
    h(
      "div",
      { className: "queued-words" },
      h("p", { className: "queued-text" }, one.text),
      one.files.length > 0 && h("p", { className: "queued-note" }, h(Paperclip, { size: 12, "aria-hidden": true }), one.files.map((file) => file.label).join(", ")),
      one.problem && h("p", { className: "queued-note bad" }, t("queue.budget")),
    ),
    !running && icon(t("queue.send_now"), SendHorizontal, { onClick: () => onRelease(one.id) }),
    h(
      "button",
      { ref: edit, type: "button", className: "icon-button small", "aria-label": t("queue.edit"), title: t("queue.edit"), onClick: () => setEditing(true) },
      h(Pencil, { size: 15, "aria-hidden": true }),
    ),
    icon(t("queue.remove"), X, { onClick: () => onWithdraw(one.id) }),
  );
}

/** Props: `waiting` (`[{id, text, problem, files}]`), `status` (of the last answer), `limit`, `onRewrite(id, text)`, `onWithdraw(id)`, `onRelease(id)`. */
export function Queue({ waiting, status, limit, onRewrite, onWithdraw, onRelease }) {
  const t = useTexts();
  const running = RUNNING.has(status);
  return h(
    "section",
    { className: "queue", "aria-label": t("queue.title") },
    h("p", { className: "queue-why", role: "status" }, h(Clock, { size: 14, "aria-hidden": true }), running ? t("queue.running", { count: waiting.length }) : t(WHY[status] ?? "queue.waits")),
    h("ol", null, waiting.map((one) => h(Entry, { key: one.id, one, limit, running, onRewrite, onWithdraw, onRelease }))),
  );
}
