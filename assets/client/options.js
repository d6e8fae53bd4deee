// Options to choose from: what is chosen is sent as the next message, once.
import { createElement as h, useEffect, useId, useState } from "react";
import { Check, CornerDownLeft } from "lucide-react";
import { useTexts } from "./texts.js";

/** What was chosen, by the place of a list: ids. */
const chosen = new Map();

/** After so long without a new message, such as after a refusal, one can choose again. */
const BUSY_MS = 4000;

export function Options({ data, place, active, onChoose }) {
  const t = useTexts();
  const { question, options, multiple } = data;
  const [picked, setPicked] = useState(() => chosen.get(place) ?? []);
  const [sending, setSending] = useState(false);
  const name = useId();
  useEffect(() => {
    if (!sending) return undefined;
    const timer = setTimeout(() => setSending(false), BUSY_MS);
    return () => clearTimeout(timer);
  }, [sending]);
  const disabled = !active || sending;
  const pick = (ids) => {
    chosen.set(place, ids);
    setPicked(ids);
  };
  const send = (ids) => {
    if (disabled || !ids.length) return;
    setSending(true);
    pick(ids);
    onChoose(options.filter((one) => ids.includes(one.id)).map((one) => one.label).join(", "));
  };
  const toggle = (id) => () => pick(picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id]);
  const words = (option) =>
    h(
      "span",
      { className: "option-words" },
      h("span", { className: "option-label" }, option.label),
      option.description && h("span", { className: "display-text" }, option.description),
    );
  const draw = (option) => {
    const is = picked.includes(option.id);
    if (multiple) {
      return h(
        "label",
        { key: option.id, className: "option", "data-picked": is },
        h("input", { type: "checkbox", name, checked: is, disabled, onChange: toggle(option.id) }),
        words(option),
      );
    }
    return h(
      "button",
      { key: option.id, type: "button", className: "option", disabled, "data-picked": is, onClick: () => send([option.id]) },
      words(option),
      h(is ? Check : CornerDownLeft, { size: 15, "aria-hidden": true }),
    );
  };
  return h(
    "fieldset",
    { className: "display options", "aria-busy": sending },
    h("legend", { className: "display-title" }, question),
    options.map(draw),
    multiple &&
      h(
        "button",
        { type: "button", className: "button primary small", disabled: disabled || !picked.length, onClick: () => send(picked) },
        t("display.send"),
      ),
  );
}
