// An answer as it is told: frames of its stream, or events of the chat, → one object. Pure; nothing is changed in place.
//
// An answer is `{id, role: "assistant", status, parts, problem, feedback, untaken}`; `status` is writing, completed, stopped
// or error, and `untaken` is whether it waits for a worker. A part is `{kind: "text", number, text}` or `{kind: "tool", id, name, state: "running" | "done" | "failed", sources: [title]}`.

/** An answer of which nothing is known yet. */
export const begun = (id = "") => ({ id, role: "assistant", status: "writing", parts: [], problem: "", feedback: "", untaken: false });

const words = (value) => (typeof value === "string" ? value : "");

/** The answer after one more frame. A frame that makes no sense changes nothing; `waiting` holds until the next frame. */
export const told = (answer, frame) => ({ ...grown(answer, frame), untaken: frame.type === "waiting" });

function grown(answer, frame) {
  switch (frame.type) {
    case "start":
      return begun(words(frame.messageId) || answer.id);
    case "reset":
      return { ...answer, parts: [], problem: "" };
    case "text":
      return typeof frame.delta === "string" ? { ...answer, parts: withText(answer.parts, frame) } : answer;
    case "tool_call":
      return { ...answer, parts: withTool(answer.parts, frame, "running") };
    case "tool_result":
      return { ...answer, parts: withTool(answer.parts, frame, "error" in frame ? "failed" : "done") };
    case "error":
      return { ...answer, status: "error", problem: words(frame.errorMessage) };
    case "done":
      return { ...answer, id: words(frame.messageId) || answer.id, status: ended(frame.status) };
    default:
      return answer;
  }
}

const ended = (status) => (["stopped", "error"].includes(status) ? status : "completed");

function withText(parts, { part, delta }) {
  const number = Number.isSafeInteger(part) ? part : 0;
  const at = parts.findIndex((one) => one.kind === "text" && one.number === number);
  if (at < 0) return [...parts, { kind: "text", number, text: delta }];
  return parts.with ? parts.with(at, longer(parts[at], delta)) : parts.map((one, i) => (i === at ? longer(one, delta) : one));
}

const longer = (part, delta) => ({ ...part, text: part.text + delta });

function withTool(parts, { toolCallId, toolName, toolResult }, state) {
  const id = words(toolCallId);
  const at = parts.findIndex((one) => one.kind === "tool" && one.id === id);
  const tool = { kind: "tool", id, name: words(toolName) || parts[at]?.name || "", state, sources: sourcesOf(toolResult) };
  return at < 0 ? [...parts, tool] : parts.map((one, place) => (place === at ? tool : one));
}

const sourcesOf = (result) => (Array.isArray(result?.sources) ? result.sources.filter((one) => typeof one === "string") : []);

/** The whole text of an answer. */
export const textOf = (message) =>
  message.parts
    .filter((part) => part.kind === "text")
    .map((part) => part.text)
    .join("\n\n");

const NARRATION_CHARACTERS = 400;
const CODE = /(```[^]*?```|`[^`\n]*`)/;

/** The answer as it is copied: without texts that only announce the agent's next step, and without marks of footnotes. */
export function copiedOf(message) {
  const { parts } = message;
  const lastText = parts.findLastIndex((part) => part.kind === "text" && part.text.trim());
  const lastCall = parts.findLastIndex((part, at) => at < lastText && part.kind === "tool" && !part.name.startsWith("display"));
  const isNarration = ({ text }, at) => at < lastCall && text.length <= NARRATION_CHARACTERS && !text.includes("[^");
  const text = textOf({ parts: parts.filter((part, at) => part.kind === "text" && !isNarration(part, at)) });
  const unmarked = (piece, at) => (at % 2 ? piece : piece.replace(/^\[\^(\d{1,4})\]:/gm, "$1.").replace(/\[\^\d{1,4}\]/g, ""));
  return text.split(CODE).map(unmarked).join("");
}

/** The events of a chat → its messages: `{id, role: "user", text, state}` and answers. */
export function messagesOf(events) {
  const found = [];
  const answers = new Map();
  for (const event of Array.isArray(events) ? events : []) {
    if (event?.eventType === "message" && event.role === "user") {
      const files = (Array.isArray(event.files) ? event.files : []).map(words);
      found.push({ id: words(event.messageId), role: "user", text: words(event.content), files, state: "sent" });
      continue;
    }
    const id = words(event?.messageId);
    if (!answers.has(id)) {
      if (!EVENTS.has(event?.eventType)) continue;
      answers.set(id, found.length);
      found.push({ ...begun(id), status: "completed" });
    }
    const at = answers.get(id);
    found[at] = withEvent(found[at], event);
  }
  return found;
}

const EVENTS = new Set(["message", "tool_call", "tool_result", "error"]);

function withEvent(answer, event) {
  const marked = { ...answer, feedback: words(event.metadata?.feedback) || answer.feedback };
  switch (event.eventType) {
    case "message":
      return { ...marked, parts: [...answer.parts, { kind: "text", number: answer.parts.length, text: words(event.content) }] };
    case "tool_call":
      return { ...marked, parts: withTool(answer.parts, event, "running") };
    case "tool_result":
      return { ...marked, parts: withTool(answer.parts, event, "error" in event ? "failed" : "done") };
    case "error":
      return { ...marked, status: "error", problem: words(event.errorMessage) };
    case "system":
      return event.content === "stopped" ? { ...marked, status: "stopped" } : marked;
    default:
      return marked;
  }
}
