// What the widget shows, by what it is told: pure, in every order in which things can come.
import assert from "node:assert/strict";
import { test } from "node:test";
import { begun, copiedOf, messagesOf, textOf, told } from "../../leaf/sites/widget/source/answer.js";
import { contextOf, metadataOf } from "../../leaf/sites/widget/source/context.js";
import { userOf } from "../../leaf/sites/widget/source/identity.js";
import { BEGINNING, Reading, after } from "../../leaf/sites/widget/source/place.js";
import { EMPTY, reduce } from "../../leaf/sites/widget/source/store.js";
import { randomOf } from "./random.mjs";

const all = (state, ...actions) => actions.reduce(reduce, state);
const frames = (chat, ...list) => list.map((frame) => ({ type: "frame", chat, frame }));
const STORED = [
  { seq: 1, eventType: "message", role: "user", messageId: "q", content: "Why?" },
  { seq: 2, eventType: "message", role: "assistant", messageId: "a", content: "Let me see." },
  { seq: 3, eventType: "tool_call", messageId: "a", toolCallId: "t", toolName: "search", toolInput: {} },
  { seq: 4, eventType: "tool_result", messageId: "a", toolCallId: "t", toolName: "search", toolResult: [] },
  { seq: 5, eventType: "message", role: "assistant", messageId: "a", content: "Because.", metadata: { feedback: "up" } },
];
const STREAMED = [
  { type: "start", messageId: "a", chatId: "c" },
  { type: "text", part: 0, delta: "Let me " },
  { type: "text", part: 0, delta: "see." },
  { type: "tool_call", toolCallId: "t", toolName: "search", toolInput: {} },
  { type: "tool_result", toolCallId: "t", toolName: "search", toolResult: [] },
  { type: "text", part: 1, delta: "Because." },
  { type: "done", messageId: "a", status: "completed" },
];

test("what is streamed is what is stored", () => {
  const streamed = STREAMED.reduce(told, begun());
  const [, stored] = messagesOf(STORED);
  assert.equal(textOf(streamed), textOf(stored));
  assert.deepEqual(streamed.parts.map(({ kind, text, state }) => [kind, text ?? state]), stored.parts.map(({ kind, text, state }) => [kind, text ?? state]));
  assert.deepEqual([streamed.status, stored.status, stored.feedback], ["completed", "completed", "up"]);
});

test("an answer that is told again begins anew, and a failed one keeps its text", () => {
  const half = STREAMED.slice(0, 4).reduce(told, begun());
  assert.deepEqual(told(half, { type: "reset" }).parts, []);
  assert.deepEqual(told(half, STREAMED[0]).parts, []);
  const failed = [{ type: "error", errorType: "x", errorMessage: "No." }, { type: "done", status: "error" }].reduce(told, half);
  assert.deepEqual([failed.status, failed.problem, textOf(failed)], ["error", "No.", "Let me see."]);
});

test("what is copied has no announcements of next steps and no marks of footnotes", () => {
  const answer = STREAMED.slice(0, 5).reduce(told, begun());
  const written = "35000[^1] of `a[^1]`.\n\n```\n/[^9]/\n```\n\n[^1]: “35000” — Returns";
  const whole = [{ type: "text", part: 1, delta: written }, { type: "done", status: "completed" }].reduce(told, answer);
  assert.equal(copiedOf(whole), "35000 of `a[^1]`.\n\n```\n/[^9]/\n```\n\n1. “35000” — Returns");
  // What comes before a tool only: it is all that there is.
  assert.equal(copiedOf(answer), "Let me see.");
});

test("an answer waits for a worker until its next frame", () => {
  const half = STREAMED.slice(0, 2).reduce(told, begun());
  const untaken = told(half, { type: "waiting", id: 1 });
  assert.deepEqual([half.untaken, untaken.untaken, textOf(untaken)], [false, true, "Let me "]);
  for (const next of [STREAMED[2], { type: "reset" }, { type: "error", errorMessage: "No." }]) assert.equal(told(untaken, next).untaken, false);
});

test("frames without sense change nothing and throw nothing", () => {
  const answer = STREAMED.slice(0, 4).reduce(told, begun());
  for (const frame of [{ type: "unknown" }, { type: "text" }, { type: "text", delta: 7 }, { type: "text", delta: null, part: {} }]) assert.deepEqual(told(answer, frame), answer);
  for (const frame of [{ type: "tool_result" }, { type: "tool_call", toolCallId: {}, toolName: [] }, { type: "error", errorMessage: {} }, { type: "done", status: {}, messageId: 9 }, { type: "text", part: 1e999, delta: "x" }]) told(answer, frame);
  assert.deepEqual(messagesOf(null), []);
  assert.deepEqual(messagesOf([null, 7, {}, { eventType: "message" }, { eventType: "system", content: "stopped", messageId: "x" }]).length, 1);
});

test("a question goes through its states to an answer that stands", () => {
  let state = all(EMPTY, { type: "sending", id: "page-1", text: "Why?" }, { type: "named", id: "c" });
  assert.deepEqual([state.phase, state.messages[0].state], ["sending", "sending"]);
  state = all(state, ...frames("c", STREAMED[0], STREAMED[1]));
  assert.deepEqual([state.phase, state.messages[0].state, textOf(state.messages[1])], ["writing", "sent", "Let me "]);
  state = all(state, { type: "lost", chat: "c" });
  assert.equal(state.phase, "reconnecting");
  state = all(state, ...frames("c", ...STREAMED.slice(2)), { type: "ended", chat: "c", stored: { title: "Why", events: STORED } });
  assert.deepEqual([state.phase, state.title, state.messages.length, state.messages[0].id], ["idle", "Why", 2, "q"]);
});

test("what comes for another chat comes too late", () => {
  const state = all(EMPTY, { type: "opening", chat: "c" }, { type: "opened", chat: "c", title: "", events: STORED, answer: null });
  for (const action of [...frames("other", ...STREAMED), { type: "ended", chat: "other" }, { type: "unsent", chat: "other", id: "x" }, { type: "opened", chat: "other", events: [] }, { type: "lost", chat: "other" }]) assert.equal(reduce(state, action), state);
  assert.equal(reduce(state, { type: "unknown" }), state);
});

test("a message that did not arrive can be sent again in its place", () => {
  const failed = all(EMPTY, { type: "sending", id: "p", text: "x" }, { type: "unsent", chat: null, id: "p", notice: { code: "offline" } });
  assert.deepEqual([failed.phase, failed.messages[0].state, failed.notice.code], ["idle", "failed", "offline"]);
  const again = all(failed, { type: "sending", id: "p", text: "x" });
  assert.deepEqual([again.messages.length, again.messages[0].state, again.notice], [1, "sending", null]);
});

test("a chat that is deleted is gone from the list, and from the panel if it was open", () => {
  const listed = all(EMPTY, { type: "opening", chat: "c" }, { type: "listed", items: [{ id: "c" }, { id: "d" }], next: "n" }, { type: "listed", items: [{ id: "d" }, { id: "e" }], next: null, more: true });
  assert.deepEqual(listed.chats.items.map((one) => one.id), ["c", "d", "e"]);
  const gone = all(listed, { type: "deleted", id: "c" });
  assert.deepEqual([gone.chat, gone.messages, gone.chats.items.length], [null, [], 2]);
});

test("whatever is dispatched in whatever order, the state stays whole", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const random = randomOf(seed);
    let state = EMPTY;
    for (let count = 0; count < 60; count += 1) {
      const chat = random.one(["c", "d", null]);
      const action = random.one([
        { type: "sending", id: `p${random.below(3)}`, text: "x" }, { type: "named", id: "c" }, { type: "fresh" }, { type: "lost", chat },
        { type: "frame", chat, frame: random.one(STREAMED) }, { type: "ended", chat, stored: random.one([null, { events: STORED }]) },
        { type: "opening", chat }, { type: "opened", chat, title: "", events: STORED, answer: random.one([null, { messageId: "b" }]) },
        { type: "unsent", chat, id: "p1", notice: null }, { type: "deleted", id: chat }, { type: "view", view: "list" },
      ]);
      state = reduce(state, action);
      assert.ok(["idle", "sending", "writing", "reconnecting", "opening"].includes(state.phase));
      for (const one of state.messages) assert.ok(one.role === "user" ? typeof one.text === "string" : Array.isArray(one.parts));
      if (state.phase === "idle") assert.ok(state.messages.slice(0, -1).every((one) => one.role === "user" || one.status !== "writing"), `seed ${seed}`);
    }
  }
});

test("a stream that is cut anywhere and read on from its place is read once", () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = randomOf(seed);
    const stream = [];
    for (let id = random.below(3); stream.length < 20; id += random.one([0, 0, 1, 1, 5])) stream.push({ id, n: stream.length });
    const found = [];
    let place = BEGINNING;
    while (found.length < stream.length) {
      const from = after(place) ?? -1;
      const reading = new Reading(place);
      const rest = stream.filter((frame) => frame.id > from);
      for (const frame of rest.slice(0, 1 + random.below(8) + place.count)) if (reading.take(frame.id)) found.push(frame.n);
      place = reading.place;
    }
    assert.deepEqual(found, stream.map((frame) => frame.n), `seed ${seed}`);
  }
});

test("a context is cut to what is taken, and says nothing secret of the page", () => {
  const page = { location: { href: `https://ada:pw@shop.example/a?x=${"y".repeat(3000)}#token=secret` }, document: { referrer: "https://search.example/#x" }, navigator: { userAgent: "u".repeat(999), language: "de-DE" } };
  const context = contextOf(page, { plan: "pro" });
  assert.equal(context.pageUrl.length, 2000);
  assert.ok(context.pageUrl.startsWith("https://shop.example/a?x="));
  assert.deepEqual([context.referrer, context.userAgent.length, context.locale, context.customMetadata], ["https://search.example/", 300, "de-DE", { plan: "pro" }]);
  const endless = {};
  endless.self = endless;
  for (const value of [endless, [], "text", 7, null, { a: "x".repeat(5000) }, { a: { b: { c: { d: { e: { f: 1 } } } } } }, { f: 1n }]) assert.equal(metadataOf(value), undefined);
  assert.deepEqual(metadataOf({ when: new Date(0), a: { b: { c: { d: {} } } } }), { when: "1970-01-01T00:00:00.000Z", a: { b: { c: { d: {} } } } });
  assert.deepEqual(contextOf({ location: { href: "about:blank" } }, undefined).customMetadata, undefined);
});

test("what a token says of its user is read without trusting it", () => {
  const token = (claims) => `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.y`;
  assert.equal(userOf(token({ sub: "käufer" })), "käufer");
  assert.equal(userOf(token({ userId: "7" })), "7");
  for (const nonsense of ["", "x", "a.b.c", "..", token(null), undefined]) assert.equal(userOf(nonsense), "");
});
