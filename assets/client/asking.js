// What an answer asks its reader, where it asks it: a question of the agent's, or a call that has to be allowed first.
// All of it comes from a model: it is drawn as text.
import { createElement as h, Fragment, memo, useEffect, useId, useMemo, useRef, useState } from "react";
import { CircleCheck, CircleHelp, CircleMinus, ShieldQuestion } from "lucide-react";
import { useBlocks } from "./live.js";
import { useTexts } from "./texts.js";

/** After so long without an outcome, such as a refusal, one can answer again. */
const BUSY_MS = 4000;

/** What is being filled in, by call: it outlasts what is drawn anew around it. */
const drafts = new Map();
const EMPTY = { picked: [], text: "" };

const ENDINGS = {
  skipped: [CircleMinus, "asking.skipped"],
  unanswered: [CircleMinus, "asking.unanswered"],
  allowed: [CircleCheck, "asking.allowed"],
  denied: [CircleMinus, "asking.denied"],
};

function Outcome({ icon, children }) {
  return h("p", { className: "asking-outcome" }, h(icon, { size: 16, "aria-hidden": true }), h("span", null, children));
}

function Heading({ icon, id, children }) {
  return h("p", { className: "display-title", id }, h(icon, { size: 17, "aria-hidden": true }), h("span", null, children));
}

function Words({ option }) {
  return h(
    "span",
    { className: "option-words" },
    h("span", { className: "option-label" }, option.label),
    option.description && h("span", { className: "display-text" }, option.description),
  );
}

/** What was answered, in words. */
function Answered({ data }) {
  const t = useTexts();
  const labels = (data.chosen ?? []).map((value) => data.options.find((one) => one.value === value)?.label ?? value);
  return h(
    Fragment,
    null,
    labels.length > 0 && h(Outcome, { icon: CircleCheck }, t("asking.chosen", { labels: labels.join(", ") })),
    data.said && h(Outcome, { icon: CircleCheck }, t("asking.answered", { text: data.said })),
  );
}

function Choices({ data, draft, change, busy }) {
  const name = useId();
  const pick = (value) => () => {
    const { picked } = draft;
    if (!data.multiple) change({ ...draft, picked: [value] });
    else change({ ...draft, picked: picked.includes(value) ? picked.filter((one) => one !== value) : [...picked, value] });
  };
  return data.options.map((option) =>
    h(
      "label",
      { key: option.value, className: "option", "data-picked": draft.picked.includes(option.value) },
      h("input", {
        type: data.multiple ? "checkbox" : "radio",
        name,
        value: option.value,
        checked: draft.picked.includes(option.value),
        disabled: busy,
        onChange: pick(option.value),
        // A choice that is made once more is taken back: one's own words may be all of the answer.
        onClick: data.multiple || !draft.picked.includes(option.value) ? undefined : () => change({ ...draft, picked: [] }),
      }),
      h(Words, { option }),
    ),
  );
}

function OwnAnswer({ data, draft, change, busy }) {
  const t = useTexts();
  const id = useId();
  return h(
    "div",
    { className: "asking-own" },
    h("label", { htmlFor: id }, data.ownLabel || (data.options.length ? t("asking.own_words") : t("asking.your_answer"))),
    h("textarea", {
      id,
      className: "field",
      rows: 2,
      value: draft.text,
      placeholder: data.ownPlaceholder || undefined,
      maxLength: data.limit,
      disabled: busy,
      onChange: (event) => change({ ...draft, text: event.target.value }),
    }),
  );
}

/** Whether an answer is on its way; after a while without an outcome no more. */
function useBusy() {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(() => setBusy(false), BUSY_MS);
    return () => clearTimeout(timer);
  }, [busy]);
  return [busy, setBusy];
}

function QuestionForm({ data, onAnswer }) {
  const t = useTexts();
  const [draft, setDraft] = useState(() => drafts.get(data.call) ?? EMPTY);
  const [busy, setBusy] = useBusy();
  const change = (next) => {
    drafts.set(data.call, next);
    setDraft(next);
  };
  const text = draft.text.trim();
  const empty = !draft.picked.length && !text;
  const send = (given) => {
    if (busy) return;
    setBusy(true);
    onAnswer(data.call, given);
  };
  const submit = (event) => {
    event.preventDefault();
    if (!empty) send({ selectedOptions: draft.picked, inputText: text });
  };
  return h(
    "form",
    { onSubmit: submit, "aria-busy": busy },
    h(
      "fieldset",
      { className: "asking-fields" },
      h("legend", { className: "unseen" }, data.question),
      h(Choices, { data, draft, change, busy }),
      data.own && h(OwnAnswer, { data, draft, change, busy }),
    ),
    h(
      "div",
      { className: "asking-actions" },
      h("button", { type: "submit", className: "button primary", disabled: busy || empty }, t("asking.answer")),
      h("button", { type: "button", className: "button secondary", disabled: busy, onClick: () => send({ skipped: true }) }, t("asking.skip")),
    ),
  );
}

function Question({ data, active, onAnswer }) {
  const t = useTexts();
  if (data.state === "open" && active) return h(QuestionForm, { data, onAnswer });
  if (data.state === "answered") return h(Answered, { data });
  if (data.state in ENDINGS) return h(Outcome, { icon: ENDINGS[data.state][0] }, t(ENDINGS[data.state][1]));
  if (!data.options.length) return null;
  return h(
    "ul",
    { className: "asking-options" },
    data.options.map((option) => h("li", { key: option.value }, h(Words, { option }))),
  );
}

function Approval({ data, active, onAnswer }) {
  const t = useTexts();
  const [busy, setBusy] = useBusy();
  const say = (approved) => () => {
    if (busy) return;
    setBusy(true);
    onAnswer(data.call, { approved });
  };
  const ended = ENDINGS[data.state];
  return h(
    Fragment,
    null,
    data.reason && h("p", { className: "asking-reason" }, data.reason),
    data.input.length > 0 &&
      h(
        "details",
        { className: "asking-input" },
        h("summary", null, t("asking.given")),
        h(
          "dl",
          null,
          data.input.map((one, place) => h(Fragment, { key: place }, h("dt", null, one.name), h("dd", null, one.value))),
        ),
        data.more > 0 && h("p", { className: "display-text" }, t("asking.more", { count: data.more })),
      ),
    ended && h(Outcome, { icon: ended[0] }, t(ended[1])),
    data.state === "open" &&
      active &&
      h(
        "div",
        { className: "asking-actions" },
        h("button", { type: "button", className: "button primary", disabled: busy, onClick: say(true) }, t("asking.allow")),
        h("button", { type: "button", className: "button secondary", disabled: busy, onClick: say(false) }, t("asking.deny")),
      ),
  );
}

const read = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // The rest of it is still to come.
  }
};

const Drawn = memo(function Drawn({ text, active, onAnswer }) {
  const t = useTexts();
  const data = useMemo(() => read(text), [text]);
  const section = useRef(null);
  const heading = useId();
  const open = data?.state === "open";
  const wasOpen = useRef(open);
  useEffect(() => {
    // The buttons are gone: whoever used one of them by keyboard goes on from here.
    if (wasOpen.current && !open && document.activeElement === document.body) section.current?.focus();
    wasOpen.current = open;
  }, [open]);
  if (!data) return null;
  if (data.state === "preparing") return h("p", { className: "quiet-line shimmer" }, t("asking.preparing"));
  const approval = data.kind === "approval";
  return h(
    "section",
    { ref: section, tabIndex: -1, className: "display asking", "aria-labelledby": heading, "data-state": data.state },
    h(Heading, { icon: approval ? ShieldQuestion : CircleHelp, id: heading }, approval ? t("asking.wait", { tool: data.tool }) : data.question),
    h(approval ? Approval : Question, { data, active, onAnswer }),
  );
});

/** Props: `blocks`, `run`, `slot` as of a text; `active` (whether one may answer), `onAnswer(call, given)`. */
export function Asking({ blocks, run, slot, active, onAnswer }) {
  const [text] = useBlocks({ blocks, run, slot });
  return text ? h(Drawn, { text, active, onAnswer }) : h(Fragment);
}
