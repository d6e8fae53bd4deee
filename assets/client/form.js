// Forms in an answer, such as a question of the agent: the draft, and the moment in which it is sent.
import { useEffect, useState } from "react";

/** Milliseconds after which a form without an outcome, such as after a refusal, can be sent again. */
const BUSY_MS = 4000;

/** A state that is true for a while after it was set. */
export function useBusy(milliseconds = BUSY_MS) {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(() => setBusy(false), milliseconds);
    return () => clearTimeout(timer);
  }, [busy]);
  return [busy, setBusy];
}

/** Drafts by form: they outlive the elements in which they are written. */
const drafts = new Map();

/** The draft of a form, `{picked, text}`, whether it is being sent (`busy`), and the functions that change them. */
export function useForm(form) {
  const [draft, setDraft] = useState(() => drafts.get(form) ?? { picked: [], text: "" });
  const [busy, setBusy] = useBusy();
  const change = (values) => {
    drafts.set(form, { ...draft, ...values });
    setDraft(drafts.get(form));
  };
  const { picked } = draft;
  return {
    ...draft,
    busy,
    begin: () => setBusy(true),
    pick: (value) => change({ picked: [value] }),
    unpick: (value) => picked.includes(value) && change({ picked: [] }),
    toggle: (value) => change({ picked: picked.includes(value) ? picked.filter((one) => one !== value) : [...picked, value] }),
    write: (text) => change({ text }),
    labels: (options) => options.filter(({ id }) => picked.includes(id)).map(({ label }) => label).join(", "),
  };
}
