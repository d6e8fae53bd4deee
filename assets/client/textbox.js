// A text box in which a message is written: it grows with its text, and names files of Drive.
import { useRef, useState } from "react";
import { useChoices } from "./completion.js";
import { NOTHING } from "./drafts.js";

/** The reason why a text cannot be sent, in words, or an empty string. */
export function refusal(t, text, limit) {
  if (!text.trim()) return t("composer.empty");
  const length = text.length > limit ? [...text].length : text.length;
  return length > limit ? t("composer.too_long", { length, limit }) : "";
}

/** Whether an input method is composing a character (229 is what Safari reports then). */
export const composes = (event) => event.nativeEvent.isComposing || event.keyCode === 229;

/** Grows the box with its text, up to the maximum height of the style sheet. */
export function grow(box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/** The mentions whose `@name` appears in a text, by the rules of `leaf/parts/question_files.py`. */
function standing(text, mentions) {
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

/**
 * The text box. `start` is what stands beside the text at first, `{mentions, files}`, and the ref `latest` what stands there
 * now; `onChange(text, beside)` is called after every change of either, and `onSend()` at Enter. `form` and `area` have the
 * properties of the form and of the text area.
 */
export function useTextBox({ start = NOTHING, names, commands, onCommand, onChange, onInput, onSend }) {
  const box = useRef(null);
  const form = useRef(null);
  const latest = useRef(start);
  const [beside, show] = useState(start);

  const put = (next) => {
    latest.current = next;
    show(next);
  };
  const setBeside = (next) => {
    put(next);
    onChange(box.current.value, next);
  };
  /** After every change of the text, by the reader or by a list. */
  const changed = () => {
    grow(box.current);
    const mentions = standing(box.current.value, latest.current.mentions);
    put(mentions.length === latest.current.mentions.length ? latest.current : { ...latest.current, mentions });
    onChange(box.current.value, latest.current);
  };
  const rewrite = (from, to, text) => {
    box.current.focus({ preventScroll: true });
    box.current.setRangeText(text, from, to, "end");
    changed();
  };
  const choices = useChoices({
    box,
    around: form,
    mentions: beside.mentions,
    names,
    commands,
    onCommand,
    onName: ({ from, query }, { id, name, kind, resourceKey }) => {
      const others = latest.current.mentions.filter((one) => one.id !== id);
      latest.current = { ...latest.current, mentions: [...others, { id, name, kind, ...(resourceKey ? { resourceKey } : {}) }] };
      rewrite(from, from + query.length + 1, `@${name} `);
    },
  });
  const unname = ({ id, name }) => {
    const from = box.current.value.indexOf(`@${name}`);
    latest.current = { ...latest.current, mentions: latest.current.mentions.filter((one) => one.id !== id) };
    if (from >= 0) rewrite(from, from + name.length + 1, name);
    else setBeside(latest.current);
  };
  const onKeyDown = (event) => {
    if (choices.onKeyDown(event) || event.key !== "Enter" || event.shiftKey || composes(event)) return;
    event.preventDefault();
    // A key that is held down belongs to what had the focus before.
    if (!event.repeat) onSend();
  };
  const onSubmit = (event) => {
    event.preventDefault();
    onSend();
  };
  const area = {
    ref: box,
    rows: 1,
    autoComplete: "off",
    enterKeyHint: "send",
    ...choices.attributes,
    onInput: () => {
      changed();
      choices.look();
      onInput?.();
    },
    onKeyDown,
    onKeyUp: choices.look,
    onClick: choices.look,
  };
  return { box, form: { ref: form, onSubmit }, latest, beside, put, setBeside, changed, rewrite, unname, list: choices.list, area };
}
