// The box in which a question is asked in another way; files of Drive are named there as in the composer.
import { createElement as h, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Beside, standing } from "./attached.js";
import { useChoices } from "./choosing.js";
import { refusal } from "./composer.js";
import { holdCaret, takeCaret } from "./kept.js";
import { useTexts } from "./texts.js";

/** After so long without an outcome, such as a refusal that leaves the question where it is, it can be sent again. */
const BUSY_MS = 4000;

function grow(box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/** Whoever types by touch is not sent to another box, which would bring the keyboard up again. */
const focusComposer = () => {
  if (matchMedia("(hover: none)").matches) return;
  document.querySelector('.composer textarea[name="message"]')?.focus({ preventScroll: true });
};

/**
 * Props: `text`, `mentions` (files that it names, `[{label, address}]`), `origin` (where the routes answer), `limit`
 * (characters), `place` (of the question), `begun` (what was typed there before, `{text, named}`, or null),
 * `onSend(text, {mentions})` with those that are named anew, `onKeep({text, named})` after every change, `onSent()` when
 * another question has come after it was sent, `onCancel()`.
 */
export function Rewording({ text, mentions, origin, limit, place, begun, onSend, onKeep, onSent, onCancel }) {
  const t = useTexts();
  const box = useRef(null);
  const form = useRef(null);
  const [named, setNamed] = useState(() => begun?.named ?? mentions.map((one) => ({ id: one.address, name: one.label, known: true })));
  const sent = useRef(false);
  const [hint, setHint] = useState("");
  const [busy, setBusy] = useState(false);

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
      if (!sent.current) {
        holdCaret(place, element);
        return;
      }
      // The question that is asked instead takes the place of this one, and of the focus.
      onSent();
      focusComposer();
    };
  }, []);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(() => {
      sent.current = false;
      setBusy(false);
    }, BUSY_MS);
    return () => clearTimeout(timer);
  }, [busy]);

  /** After every change of the text by whomever. */
  const changed = (files) => {
    grow(box.current);
    setHint("");
    const stands = standing(box.current.value, files);
    setNamed(stands);
    onKeep({ text: box.current.value, named: stands });
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
    commands: false,
    origin,
    onName: ({ from, query }, { id, name, kind, resourceKey }) => {
      const file = { id, name, kind, ...(resourceKey ? { resourceKey } : {}) };
      rewrite(from, from + query.length + 1, `@${name} `, [...named.filter((one) => one.id !== id), file]);
    },
  });
  const unname = ({ id, name }) => {
    const from = box.current.value.indexOf(`@${name}`);
    const rest = named.filter((one) => one.id !== id);
    if (from >= 0) rewrite(from, from + name.length + 1, name, rest);
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

  return h(
    "form",
    {
      ref: form,
      className: "edit",
      "aria-label": t("versions.edit_form"),
      onKeyDown,
      onSubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    h(Beside, { beside: { mentions: named, files: [] }, uploads: [], onUnname: unname }),
    h("textarea", {
      ref: box,
      className: "field",
      rows: 1,
      defaultValue: begun?.text ?? text,
      autoComplete: "off",
      "aria-label": t("versions.your_message"),
      enterKeyHint: "send",
      ...choices.attributes,
      onInput: () => {
        changed(named);
        choices.look();
      },
      onKeyUp: choices.look,
      onClick: choices.look,
    }),
    choices.list,
    h(
      "div",
      { className: "edit-row" },
      h("p", { className: "small-note", role: "alert" }, hint),
      h("button", { type: "button", className: "button secondary small", onClick: onCancel }, t("common.cancel")),
      h("button", { type: "submit", className: "button primary small", "aria-busy": busy, "aria-disabled": busy }, t("display.send")),
    ),
  );
}
