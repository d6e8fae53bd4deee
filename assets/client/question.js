// A question's bubble, and the box in its place in which it is asked in another way.
import { createElement as h, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Pencil } from "lucide-react";
import { refusal } from "./composer.js";
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

function Editing({ text, limit, onSend, onCancel }) {
  const t = useTexts();
  const box = useRef(null);
  const sent = useRef(false);
  const [hint, setHint] = useState("");
  const [busy, setBusy] = useState(false);

  useLayoutEffect(() => {
    grow(box.current);
    box.current.focus({ preventScroll: true });
    box.current.setSelectionRange(text.length, text.length);
    // The question that is asked instead takes the place of this one, and of the focus.
    return () => sent.current && focusComposer();
  }, []);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(() => {
      sent.current = false;
      setBusy(false);
    }, BUSY_MS);
    return () => clearTimeout(timer);
  }, [busy]);

  const send = () => {
    const why = refusal(t, box.current.value, limit, false);
    setHint(why);
    if (why || sent.current) return;
    sent.current = true;
    setBusy(true);
    onSend(box.current.value);
  };
  const onKeyDown = (event) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (!event.repeat) send();
    }
  };

  return h(
    "form",
    {
      className: "edit",
      "aria-label": t("versions.edit_form"),
      onKeyDown,
      onSubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    h("textarea", {
      ref: box,
      className: "field",
      rows: 1,
      defaultValue: text,
      autoComplete: "off",
      "aria-label": t("versions.your_message"),
      enterKeyHint: "send",
      onInput: (event) => {
        grow(event.target);
        if (hint) setHint("");
      },
    }),
    h(
      "div",
      { className: "edit-row" },
      h("p", { className: "small-note", role: "alert" }, hint),
      h("button", { type: "button", className: "button secondary small", onClick: onCancel }, t("common.cancel")),
      h("button", { type: "submit", className: "button primary small", "aria-busy": busy, "aria-disabled": busy }, t("display.send")),
    ),
  );
}

/** Props: `text`, `limit` (characters), `own` (who looks has asked it), `onEdit(text)`, `children` (what else can be done). */
export function Question({ text, limit, own, onEdit, children }) {
  const t = useTexts();
  const button = useRef(null);
  const left = useRef(false);
  const [editing, setEditing] = useState(false);

  useEffect(() => {
    if (editing || !left.current) return;
    left.current = false;
    button.current?.focus({ preventScroll: true });
  }, [editing]);

  if (editing) {
    const onCancel = () => {
      left.current = true;
      setEditing(false);
    };
    return h(Editing, { text, limit, onSend: onEdit, onCancel });
  }
  return [
    h("div", { key: "bubble", className: "bubble" }, text),
    h(
      "div",
      { key: "actions", className: "actions" },
      children,
      own && h(
        "button",
        {
          ref: button,
          type: "button",
          className: "icon-button small",
          "aria-label": t("versions.edit"),
          title: t("versions.edit"),
          onClick: () => setEditing(true),
        },
        h(Pencil, { size: 15, "aria-hidden": true }),
      ),
    ),
  ];
}
