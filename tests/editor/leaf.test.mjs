// The editor's client: a frame that comes again is rendered once.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Leaf } from "../../examples/editor/leaf.js";

const own = globalThis.fetch;
afterEach(() => (globalThis.fetch = own));

const frame = (id, data) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
const delta = (id, text) => frame(id, { type: "text-delta", id: "t", delta: text });
const start = frame(0, { type: "start", messageId: "m" });
const answer = (body, run = "run", stream = "1") =>
  new Response(body, { headers: { "x-workflow-run-id": run, "x-leaf-stream": stream } });
const message = (status) =>
  Response.json({ messages: [{ role: "assistant", id: "m", metadata: { status }, parts: [{ type: "text", text: "One two three" }] }] });

/** The texts that a page renders while these responses come one after the other. */
async function rendered(...responses) {
  const texts = [];
  const left = [...responses];
  globalThis.fetch = async (path) =>
    path.startsWith("/api/chats/") ? message(left.length ? "streaming" : "completed") : left.shift();
  const leaf = new Leaf({ chat: "c", document: "d", tab: "t", tools: {}, onChange: ({ text }) => texts.push(text) });
  await leaf.ask("How many?");
  return texts.filter((text, place) => text !== texts[place - 1]);
}

test("a frame that is repeated in one stream is rendered once", async () => {
  const texts = await rendered(answer([start, delta(1, "One"), delta(1, "One"), delta(2, " two"), start, delta(2, " two"), delta(3, " three")].join("")));
  assert.deepEqual(texts, ["", "One", "One two", "One two three"]);
});

test("frames that come again after a cut are rendered once", async () => {
  const first = [start, delta(1, "One"), delta(2, " two")];
  const texts = await rendered(answer(first.join("")), answer([...first, delta(3, " three")].join("")));
  assert.ok(!texts.includes("One twoOne") && !texts.slice(2).includes("One"), JSON.stringify(texts));
  assert.equal(texts.at(-1), "One two three");
});

test("a run that begins anew, and another run, are rendered from their beginning", async () => {
  const begun = [start, delta(1, "Seven"), delta(2, " eight")].join("");
  const texts = await rendered(answer(begun), answer(start + delta(1, "One"), "run", "2"), answer(start + delta(1, "One two"), "other", "3"));
  assert.ok(texts.includes("Seven eight") && texts.includes("One") && texts.includes("One two"), JSON.stringify(texts));
});
