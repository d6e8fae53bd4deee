// The box in which a question is asked in another way, or a message that waits is changed; `leaf/components/editor.py` draws it.
import { useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "react-router";
import { keepEdit, keptEdit } from "./drafts.js";
import { useBusy } from "./controls.js";
import { press } from "./shell.js";
import { composes, grow, refusal, useTextBox } from "./textbox.js";
import { useTexts } from "./texts.js";

/** The caret of an editor that has just gone: another version of the question, with its own editor, takes its place. */
let held = null;

/** The place of a question: the answer before it, shared by all of its versions. Null until that exists. */
function placeOf(element) {
  let before = element.closest(".message")?.previousElementSibling;
  while (before && !before.id.startsWith("message-")) {
    if (before.matches(".earlier-room")) return null;
    before = before.previousElementSibling;
  }
  return before ? before.id.slice("message-".length) : "first";
}

/**
 * An editor as it is drawn. Of a question also: `question` (`{mentions, place, begun}`: the files that it names, its place in
 * the chat, and what was typed there before), `onKeep({text, named})` after every change, and `onSent()` when another one has taken its place.
 */
export function useEditor({ text, limit, question, onSend, onCancel, onKeep, onSent }, names) {
  const t = useTexts();
  const { mentions = [], place, begun } = question ?? {};
  const sent = useRef(false);
  const [hint, setHint] = useState("");
  const [busy, setBusy] = useBusy();
  sent.current = busy;
  const named = begun?.named ?? mentions.map((one) => ({ id: one.address, name: one.label, known: true }));
  const writing = useTextBox({
    start: { mentions: named, files: [] },
    names: question && names,
    commands: [],
    onChange: (words, beside) => {
      setHint("");
      onKeep?.({ text: words, named: beside.mentions });
    },
    onSend: () => send(),
  });
  const { box, form, latest, beside, unname, list, area } = writing;

  useLayoutEffect(() => {
    grow(box.current);
    const element = box.current;
    const { length } = element.value;
    const caret = begun ? held : { place, start: length, end: length };
    held = null;
    if (caret?.place === place) {
      element.focus({ preventScroll: true });
      element.setSelectionRange(caret.start, caret.end);
      form.ref.current.scrollIntoView({ block: "nearest" });
    }
    return () => {
      if (!question) return;
      if (!sent.current) {
        held = document.activeElement === element ? { place, start: element.selectionStart, end: element.selectionEnd } : null;
        return;
      }
      onSent();
      // Where people type by touch, the keyboard would come up again.
      if (!matchMedia("(hover: none)").matches) press('.composer textarea[name="message"]');
    };
  }, []);

  const send = () => {
    const why = refusal(t, box.current.value, limit);
    setHint(why);
    if (why || sent.current) return;
    sent.current = true;
    setBusy(true);
    onSend(box.current.value, { mentions: latest.current.mentions.filter((one) => !one.known) });
  };
  const onKeyDown = (event) => {
    if (event.key !== "Escape" || composes(event)) return;
    event.preventDefault();
    event.stopPropagation();
    onCancel();
  };
  return {
    form: { ...form, onKeyDown },
    chips: { ...beside, uploads: [], unname },
    area: { ...area, defaultValue: begun?.text ?? text },
    list,
    hint,
    busy,
    cancel: () => onCancel(),
  };
}

/** A question as it is drawn: `row` is a ref of what is below its bubble, and `editor` has the options of its editor, null while it is closed. */
export function useQuestion({ text, mentions, limit, onEdit }) {
  const chat = useLocation().pathname.split("/").at(2);
  const row = useRef(null);
  const button = useRef(null);
  /** The open editor: `{place, begun}`. */
  const [editing, setEditing] = useState(null);
  // Words that were typed in this place before another version of the question came, or the page was loaded anew.
  useLayoutEffect(() => {
    const place = placeOf(row.current);
    const begun = keptEdit(chat, place, text);
    if (begun) setEditing({ place, begun });
  }, []);
  const editor = editing && {
    text,
    limit,
    question: { ...editing, mentions: mentions ?? [] },
    onSend: onEdit,
    onKeep: (words) => keepEdit(chat, editing.place, words),
    onSent: () => keepEdit(chat, editing.place, null),
    onCancel: () => {
      keepEdit(chat, editing.place, null);
      flushSync(() => setEditing(null));
      button.current?.focus({ preventScroll: true });
    },
  };
  return { row, editor, edit: { ref: button, onClick: () => setEditing({ place: placeOf(row.current), begun: null }) } };
}
