// The box in which a question is asked in another way, or a message that waits is changed.
import { createElement as h, Fragment, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Pencil } from "lucide-react";
import { useLocation } from "react-router";
import { Beside, standing } from "./attached.js";
import { useChoices } from "./completion.js";
import { refusal } from "./composer.js";
import { keepEdit, keptEdit } from "./drafts.js";
import { useBusy } from "./form.js";
import { useTexts } from "./texts.js";

/** The caret of an editor that has just gone: another version of the question, with its own editor, takes its place. */
let held = null;

function holdCaret(place, box) {
  held = document.activeElement === box ? { place, start: box.selectionStart, end: box.selectionEnd } : null;
}

function takeCaret(place) {
  const caret = held?.place === place ? held : null;
  held = null;
  return caret;
}

/** The place of a question: the answer before it, shared by all of its versions. Null until that exists. */
function placeOf(element) {
  let before = element.closest(".message")?.previousElementSibling;
  while (before && !before.id.startsWith("message-")) {
    if (before.matches(".earlier-room")) return null;
    before = before.previousElementSibling;
  }
  return before ? before.id.slice("message-".length) : "first";
}

function grow(box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/** Gives the focus to the composer, except where people type by touch: the keyboard would come up again. */
function focusComposer() {
  if (matchMedia("(hover: none)").matches) return;
  document.querySelector('.composer textarea[name="message"]')?.focus({ preventScroll: true });
}

/**
 * Props: `text`, `limit` (characters), `label`, `save` (the words of the button), `onSend(text, {mentions})`, `onCancel()`.
 * Of a question also `question` (`{mentions, origin, place, begun}`: the files that it names, where the routes answer, its
 * place in the chat, and what was typed there before), `onKeep({text, named})` after every change, and `onSent()` when
 * another question has taken its place.
 */
export function Editor({ text, limit, label, save, question, onSend, onCancel, onKeep, onSent, ...rest }) {
  const t = useTexts();
  const { mentions = [], origin = "", place, begun } = question ?? {};
  const box = useRef(null);
  const form = useRef(null);
  const sent = useRef(false);
  const [named, setNamed] = useState(() => begun?.named ?? mentions.map((one) => ({ id: one.address, name: one.label, known: true })));
  const [hint, setHint] = useState("");
  const [busy, setBusy] = useBusy();
  sent.current = busy;

  useLayoutEffect(() => {
    grow(box.current);
    const element = box.current;
    const { length } = element.value;
    const caret = begun ? takeCaret(place) : { start: length, end: length };
    if (caret) {
      element.focus({ preventScroll: true });
      element.setSelectionRange(caret.start, caret.end);
      form.current.scrollIntoView({ block: "nearest" });
    }
    return () => {
      if (!question) return;
      if (!sent.current) {
        holdCaret(place, element);
        return;
      }
      onSent();
      focusComposer();
    };
  }, []);

  /** After every change of the text, by the reader or by the list of files. */
  const changed = (files) => {
    grow(box.current);
    setHint("");
    const stands = standing(box.current.value, files);
    setNamed(stands);
    onKeep?.({ text: box.current.value, named: stands });
  };
  const rewrite = (from, to, words, files) => {
    box.current.focus({ preventScroll: true });
    box.current.setRangeText(words, from, to, "end");
    changed(files);
  };
  const choices = useChoices({
    box,
    around: form,
    mentions: named,
    names: Boolean(question),
    commands: false,
    origin,
    onName: ({ from, query }, { id, name, kind, resourceKey }) => {
      const file = { id, name, kind, ...(resourceKey ? { resourceKey } : {}) };
      rewrite(from, from + query.length + 1, `@${name} `, [...named.filter((one) => one.id !== id), file]);
    },
  });
  const unname = ({ id, name }) => {
    const from = box.current.value.indexOf(`@${name}`);
    if (from >= 0) rewrite(from, from + name.length + 1, name, named.filter((one) => one.id !== id));
  };

  const send = () => {
    const why = refusal(t, box.current.value, limit);
    setHint(why);
    if (why || sent.current) return;
    sent.current = true;
    setBusy(true);
    onSend(box.current.value, { mentions: named.filter((one) => !one.known) });
  };
  const onKeyDown = (event) => {
    if (event.target === box.current && choices.onKeyDown(event)) return;
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    } else if (event.target === box.current && event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (!event.repeat) send();
    }
  };
  const onSubmit = (event) => {
    event.preventDefault();
    send();
  };
  const onInput = () => {
    changed(named);
    choices.look();
  };

  return h(
    "form",
    { className: "edit", ...rest, ref: form, onKeyDown, onSubmit },
    h(Beside, { beside: { mentions: named, files: [] }, uploads: [], onUnname: unname }),
    h("textarea", {
      ref: box,
      className: "field",
      rows: 1,
      defaultValue: begun?.text ?? text,
      autoComplete: "off",
      "aria-label": label,
      enterKeyHint: "send",
      ...choices.attributes,
      onInput,
      onKeyUp: choices.look,
      onClick: choices.look,
    }),
    choices.list,
    h(
      "div",
      { className: "edit-row" },
      h("p", { className: "small-note", role: "alert" }, hint),
      h("button", { type: "button", className: "button secondary small", onClick: onCancel }, t("common.cancel")),
      h("button", { type: "submit", className: "button primary small", "aria-busy": busy, "aria-disabled": busy }, save),
    ),
  );
}

/**
 * A question: its bubble and the actions below it, or the editor in their place. Props: `text`, `mentions` (`[{label,
 * address}]`), `origin`, `limit`, `own` (the reader has asked it), `actions`, `onEdit(text, {mentions})` with the files of
 * Drive that it names anew, `children` (the bubble).
 */
export function Question({ text, mentions, origin, limit, own, actions, onEdit, children }) {
  const t = useTexts();
  const chat = useLocation().pathname.split("/").at(2);
  const row = useRef(null);
  const button = useRef(null);
  const left = useRef(false);
  /** The open editor: `{place, begun}`. */
  const [editing, setEditing] = useState(null);
  // Words that were typed in this place before another version of the question came, or the page was loaded anew.
  useLayoutEffect(() => {
    const place = placeOf(row.current);
    const begun = keptEdit(chat, place, text);
    if (begun) setEditing({ place, begun });
  }, []);
  useEffect(() => {
    if (editing || !left.current) return;
    left.current = false;
    button.current?.focus({ preventScroll: true });
  }, [editing]);
  if (editing) {
    return h(Editor, {
      text,
      limit,
      label: t("versions.your_message"),
      save: t("display.send"),
      "aria-label": t("versions.edit_form"),
      question: { ...editing, mentions: mentions ?? [], origin },
      onSend: onEdit,
      onKeep: (words) => keepEdit(chat, editing.place, words),
      onSent: () => keepEdit(chat, editing.place, null),
      onCancel: () => {
        keepEdit(chat, editing.place, null);
        left.current = true;
        setEditing(null);
      },
    });
  }
  const label = t("versions.edit");
  const onClick = () => setEditing({ place: placeOf(row.current), begun: null });
  const edit = { ref: button, type: "button", className: "icon-button small", "aria-label": label, title: label, "data-keeps-place": "true", onClick };
  return h(
    Fragment,
    null,
    children,
    h("div", { ref: row, className: "actions" }, actions, own && h("button", edit, h(Pencil, { size: 15, "aria-hidden": true }))),
  );
}
