// The box in which a question is asked in another way, or a message that waits is changed; `leaf/components/editor.py` draws it.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { keepEdit, keptEdit } from "./drafts.js";
import { useBusy } from "./form.js";
import { grow, refusal, sends, useTextBox } from "./textbox.js";
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

/** Gives the focus to the composer, except where people type by touch: the keyboard would come up again. */
function focusComposer() {
  if (matchMedia("(hover: none)").matches) return;
  document.querySelector('.composer textarea[name="message"]')?.focus({ preventScroll: true });
}

/**
 * An editor as it is drawn. Options: `text`, `limit` (characters), `onSend(text, {mentions})`, `onCancel()`. Of a question
 * also `question` (`{mentions, origin, place, begun}`: the files that it names, where the routes answer, its place in the
 * chat, and what was typed there before), `onKeep({text, named})` after every change, and `onSent()` when another question
 * has taken its place.
 */
export function useEditor({ text, limit, question, onSend, onCancel, onKeep, onSent }) {
  const t = useTexts();
  const { mentions = [], origin = "", place, begun } = question ?? {};
  const sent = useRef(false);
  const [hint, setHint] = useState("");
  const [busy, setBusy] = useBusy();
  sent.current = busy;
  const named = begun?.named ?? mentions.map((one) => ({ id: one.address, name: one.label, known: true }));
  const writing = useTextBox({
    start: { mentions: named, files: [] },
    names: Boolean(question),
    commands: [],
    origin,
    onChange: (words, beside) => {
      setHint("");
      onKeep?.({ text: words, named: beside.mentions });
    },
  });
  const { box, form, latest, beside, unname, choices, area } = writing;

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

  const send = () => {
    const why = refusal(t, box.current.value, limit);
    setHint(why);
    if (why || sent.current) return;
    sent.current = true;
    setBusy(true);
    onSend(box.current.value, { mentions: latest.current.mentions.filter((one) => !one.known) });
  };
  const onKeyDown = (event) => {
    if (event.target === box.current && choices.onKeyDown(event)) return;
    if (event.key === "Escape" && !event.nativeEvent.isComposing && event.keyCode !== 229) {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    } else if (event.target === box.current && sends(event)) {
      event.preventDefault();
      if (!event.repeat) send();
    }
  };
  const onSubmit = (event) => {
    event.preventDefault();
    send();
  };
  return {
    form: { ref: form, onKeyDown, onSubmit },
    chips: { ...beside, uploads: [], unname },
    area: { ...area, defaultValue: begun?.text ?? text },
    list: choices.list,
    hint,
    busy,
    cancel: () => onCancel(),
  };
}

/**
 * A question as it is drawn: `row`, a ref of what is below its bubble, `edit`, the properties of its button, and `editor`,
 * the options of the editor that takes their place, null without one. Options are those of the editor, and `onEdit`.
 */
export function useQuestion({ text, mentions, origin, limit, onEdit }) {
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
  const editor = editing && {
    text,
    limit,
    question: { ...editing, mentions: mentions ?? [], origin },
    onSend: onEdit,
    onKeep: (words) => keepEdit(chat, editing.place, words),
    onSent: () => keepEdit(chat, editing.place, null),
    onCancel: () => {
      keepEdit(chat, editing.place, null);
      left.current = true;
      setEditing(null);
    },
  };
  return { row, editor, edit: { ref: button, onClick: () => setEditing({ place: placeOf(row.current), begun: null }) } };
}
