// A document in this browser that Leaf reads and changes. The document and what its calls have done are one value in
// the browser's store, written at once: a call is either done and known to be, or neither.

import { Leaf } from "./leaf.js";

const KEY = "editor";
const area = document.getElementById("document");
const question = document.getElementById("question");
const said = { answer: document.getElementById("answer"), status: document.getElementById("status") };
const note = document.getElementById("policy-note");
const stop = document.getElementById("stop");

const EMPTY = { id: crypto.randomUUID(), chat: crypto.randomUUID(), text: "The quick fox.\n", revision: 1, calls: {} };

const load = () => JSON.parse(localStorage.getItem(KEY)) ?? EMPTY;
const save = (change) => {
  const kept = { ...load(), ...change };
  localStorage.setItem(KEY, JSON.stringify(kept));
  return kept;
};
// A tab that is loaded anew is the same one; a second tab is another.
const tab = (sessionStorage.tab ??= crypto.randomUUID());
const policy = () => new FormData(document.getElementById("ask")).get("policy");

save({});
area.value = load().text;

const tools = {
  readDocument: {
    version: 1,
    description: "The document as it is at this moment, with its revision. Read it again before you change it: the user may have typed.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    outputSchema: { type: "object", required: ["text", "revision"], properties: { text: { type: "string" }, revision: { type: "integer" } } },
    run: () => ({ text: load().text, revision: load().revision }),
  },
  replaceText: {
    version: 1,
    description: "Replaces a text that stands in the document exactly once. Give the revision that you have read.",
    inputSchema: {
      type: "object", required: ["old", "new", "revision"], additionalProperties: false,
      properties: { old: { type: "string", minLength: 1 }, new: { type: "string" }, revision: { type: "integer" } },
    },
    run: ({ old, new: text, revision }, callId) => {
      const kept = load();
      if (kept.revision !== revision) throw new Error(`The document is at revision ${kept.revision} by now. Read it again.`);
      if (kept.text.split(old).length !== 2) throw new Error("This text does not stand in the document exactly once.");
      const outcome = { result: { revision: revision + 1 } };
      // The change and the knowledge of it, in one write.
      const next = save({ text: kept.text.replace(old, () => text), revision: revision + 1, calls: { ...kept.calls, [callId]: outcome } });
      area.value = next.text;
      return outcome.result;
    },
  },
};

const leaf = new Leaf({
  chat: load().chat,
  document: load().id,
  tab,
  tools,
  journal: {
    get: (callId) => load().calls[callId],
    set: (callId, outcome) => save({ calls: { ...load().calls, [callId]: outcome } }),
  },
  onChange: show,
});

function show(state) {
  said.answer.textContent = state.text;
  const working = leaf.busy;
  area.readOnly = working && policy() === "read-only";
  stop.hidden = !working;
  note.textContent = !working ? "" : policy() === "read-only" ? "You cannot type while Leaf works." : "When you type, Leaf stops.";
  if (state.status === "waiting") said.status.textContent = `Waiting for your browser to run ${state.tool}`;
  else if (state.error) said.status.textContent = state.error;
  else said.status.textContent = { ready: "", working: "Leaf is working …", completed: "Done.", stopped: "Stopped." }[state.status] ?? "";
}

area.addEventListener("input", () => {
  const kept = load();
  save({ text: area.value, revision: kept.revision + 1 });
  if (leaf.busy && policy() === "abort") void leaf.stop().then(() => (said.status.textContent = "You have typed, so Leaf has stopped."));
});
window.addEventListener("storage", () => (area.value = load().text));
stop.addEventListener("click", () => void leaf.stop());
document.getElementById("ask").addEventListener("change", () => show(leaf.state));
document.getElementById("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  if (question.value.trim()) void leaf.ask(question.value);
});
void leaf.resume();
