// Conversations with a server on this machine that cuts, refuses and repeats as real ones do.
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { Conversation } from "../../leaf/sites/widget/source/conversation.js";
import { Identity } from "../../leaf/sites/widget/source/identity.js";
import { Memory } from "../../leaf/sites/widget/source/memory.js";
import { Server } from "../../leaf/sites/widget/source/server.js";
import { Store } from "../../leaf/sites/widget/source/store.js";
import { textOf } from "../../leaf/sites/widget/source/answer.js";
import { Leaf } from "./leaf.mjs";

const TEXT = "One two three four five six seven eight nine ten.";
const leaf = await Leaf.start();
after(() => leaf.stop());

/** A storage as browsers have it. */
class Shelf extends Map {
  getItem = (name) => this.get(name) ?? null;
  setItem = (name, value) => void this.set(name, String(value));
  removeItem = (name) => void this.delete(name);
}

/** A page with a widget; `browser` outlives it. */
function page(browser = { local: new Shelf(), tab: new Shelf() }, { user, token, tools = {} } = {}) {
  const memory = new Memory("leaf_pk_x", browser.local, browser.tab);
  const identity = new Identity(memory, { user, token });
  const server = new Server({ address: `${leaf.url}/`, key: "leaf_pk_x", identity: () => identity.headers(), language: "de", renew: (refused) => identity.renew(refused) });
  const store = new Store();
  const pauses = [];
  const pause = async (ms) => void pauses.push(ms);
  const conversation = new Conversation({ store, server, identity, memory, context: () => ({ pageUrl: "https://shop.example/" }), pause, tools: () => tools });
  const until = (condition) =>
    new Promise((resolve) => {
      const look = (state) => {
        if (!condition(state)) return;
        stop();
        resolve(state);
      };
      const stop = store.watch(look);
      look(store.state);
    });
  return { browser, memory, identity, store, conversation, pauses, until };
}

const answers = (state) => state.messages.filter((one) => one.role === "assistant").map(textOf);
const posts = (what) => leaf.requests.filter((one) => one.method === "POST" && one.what === what);

beforeEach(() => {
  Object.assign(leaf, { left: 0, kept: [], handed: [], calls: [], holder: null, losesHandIn: undefined, requests: [], chats: new Map(), keys: new Map(), writes: [], refuse: undefined, text: TEXT });
});

test("a question makes a chat, is answered, and what is stored stands", async () => {
  const { conversation, store, browser } = page();
  await conversation.begin();
  await conversation.send("  Why? ");
  assert.deepEqual(answers(store.state), [TEXT]);
  assert.deepEqual([store.state.phase, store.state.title, store.state.messages[0].text], ["idle", "A chat", "Why?"]);
  const [created, sent] = leaf.requests.filter((one) => one.method === "POST");
  assert.equal(created.body.context.pageUrl, "https://shop.example/");
  assert.equal(sent.headers.authorization, "Bearer leaf_pk_x");
  assert.equal(sent.headers["accept-language"], "de");
  assert.match(sent.headers["x-leaf-session"], /^[\w-]{22,128}$/);
  assert.equal(sent.headers["x-leaf-user"], undefined);
  assert.equal(browser.local.get("leaf-chat:leaf_pk_x:chat:anonymous"), '"chat-1"');
});

test("a connection that is cut after any frame is taken up without loss or repetition", async () => {
  const count = leaf.framesOf("c", "a", TEXT).length;
  for (let kept = 0; kept < count; kept += 1) {
    leaf.writes = [(write, frames) => frames.slice(0, kept).forEach(write), (write, frames) => frames.slice(0, 3).forEach(write)];
    leaf.requests = [];
    const { conversation, store, until } = page();
    const streamed = [];
    store.watch((state) => streamed.push(answers(state).at(-1) ?? ""));
    await conversation.send("Why?");
    await until((state) => state.phase === "idle");
    assert.deepEqual(answers(store.state), [TEXT], `cut after ${kept}`);
    for (const text of streamed) assert.ok(TEXT.startsWith(text), `cut after ${kept}: ${text}`);
    assert.equal(posts("messages").length, 1);
  }
});

test("a note that no worker is there holds nothing up when the connection is cut after it", async () => {
  const cut = (write, frames) => [frames[0], { type: "waiting", id: 0 }].forEach(write);
  const stopped = (write, frames) => [frames[0], { type: "done", id: 0, messageId: frames[0].messageId, status: "stopped" }].forEach(write);
  leaf.writes = [cut, stopped];
  const { conversation, store, pauses } = page();
  const seen = [];
  store.watch((state) => seen.push(state.messages.at(-1)?.untaken ?? false));
  await conversation.send("Why?");
  assert.ok(seen.includes(true));
  assert.deepEqual([store.state.phase, seen.at(-1), pauses.length], ["idle", false, 1]);
});

test("a connection that is cut within a frame loses nothing", async () => {
  leaf.writes = [(write, frames, response) => {
    frames.slice(0, 4).forEach(write);
    response.write('id: 3\nevent: text\ndata: {"type":"text","id":3,"pa');
  }];
  const { conversation, store } = page();
  await conversation.send("Why?");
  assert.deepEqual(answers(store.state), [TEXT]);
});

test("a page that is loaded anew in mid-answer goes on with it", async () => {
  let hold;
  leaf.writes = [(write, frames) => ((hold = true), frames.slice(0, 5).forEach(write), "open")];
  const first = page();
  void first.conversation.send("Why?");
  await first.until((state) => answers(state)[0]?.length > 10);
  assert.ok(hold);
  first.conversation.close();
  const second = page(first.browser);
  await second.conversation.restore();
  await second.until((state) => state.phase === "idle" && answers(state).length === 1);
  assert.deepEqual(answers(second.store.state), [TEXT]);
  assert.equal(posts("messages").length, 1);
});

test("a message that was on its way when the page went is sent once more, and asked once", async () => {
  leaf.writes = [(_write, _frames) => "open"];
  const first = page();
  void first.conversation.send("Why?");
  while (posts("messages").length === 0) await new Promise((resolve) => setImmediate(resolve));
  first.conversation.close();
  leaf.chats.get("chat-1").events = [];
  const second = page(first.browser);
  const running = leaf.chats.get("chat-1").running;
  leaf.chats.get("chat-1").running = null;
  const restoring = second.conversation.restore();
  while (posts("messages").length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(posts("messages")[0].headers["idempotency-key"], posts("messages")[1].headers["idempotency-key"]);
  assert.equal(leaf.keys.size, 1);
  assert.ok(running);
  await restoring;
});

test("a refused message stays, says why, and can be sent again", async () => {
  leaf.refuse = (asked) => asked.what === "messages" && [429, "rate_limited", { resets_in_seconds: 7 }];
  const { conversation, store } = page();
  await conversation.send("Why?");
  assert.deepEqual(store.state.notice, { code: "rate_limited", message: "rate_limited", seconds: 7 });
  assert.equal(store.state.messages[0].state, "failed");
  leaf.refuse = undefined;
  await conversation.again(store.state.messages[0].id);
  assert.deepEqual(answers(store.state), [TEXT]);
  assert.deepEqual(store.state.messages.map((one) => one.role), ["user", "assistant"]);
});

test("an answer that failed and a chat that is gone are told as they are", async () => {
  const { conversation, store, browser } = page();
  await conversation.send("Why?");
  const chat = store.state.chat;
  leaf.chats.clear();
  const again = page(browser);
  await again.conversation.restore();
  assert.deepEqual([again.store.state.chat, again.store.state.messages], [null, []]);
  assert.equal(browser.local.get("leaf-chat:leaf_pk_x:chat:anonymous"), undefined, chat);
});

test("a server that is away is asked again, and then no more", async () => {
  const { conversation, store, pauses } = page();
  await conversation.send("Why?");
  leaf.refuse = (asked) => asked.what === "stream" && [503, "unavailable"];
  leaf.writes = [(write, frames) => frames.slice(0, 4).forEach(write)];
  await conversation.send("And?");
  assert.ok(pauses.length >= 8);
  assert.equal(store.state.phase === "idle" || store.state.phase === "writing", true);
  conversation.close();
});

test("a token that has expired is asked for again, once", async () => {
  let made = 0;
  const token = () => `x.${Buffer.from('{"sub":"7"}').toString("base64url")}.${++made}`;
  leaf.refuse = (asked) => asked.headers["x-leaf-user-token"]?.endsWith(".1") && [401, "invalid_user_token"];
  const { conversation, store } = page(undefined, { token });
  await conversation.list();
  assert.deepEqual([store.state.chats.state, made], ["known", 2]);
  leaf.refuse = () => [401, "invalid_user_token"];
  await conversation.list();
  assert.deepEqual([store.state.chats.state, store.state.notice.code, made], ["failed", "invalid_user_token", 3]);
});

test("requests whose token ends at the same time ask for one new token, which may be the same for a while", async () => {
  let made = 0;
  const token = () => `x.${Buffer.from('{"sub":"7"}').toString("base64url")}.${made}`;
  const { conversation, store } = page(undefined, { token });
  await conversation.send("Why?");
  const chat = store.state.chat;
  const slow = [];
  made = 1;
  leaf.refuse = (asked) => asked.headers["x-leaf-user-token"]?.endsWith(".0") && [401, "invalid_user_token"];
  leaf.slow = (asked) => (slow.push(asked.path) === 1 ? 150 : 0);
  await Promise.all([conversation.list(), conversation.like(store.state.messages[1].id, "up")]);
  leaf.slow = undefined;
  assert.deepEqual([store.state.chats.state, store.state.notice, store.state.chat], ["known", null, chat]);
  assert.equal(store.state.messages[1].feedback, "up");
});

test("a page that can make no token now can try again, and what was shown stays its user's", async () => {
  let broken = false;
  const token = () => (broken ? Promise.reject(new Error("no network")) : `x.${Buffer.from('{"sub":"7"}').toString("base64url")}.1`);
  const { conversation, store } = page(undefined, { token });
  await conversation.send("Why?");
  leaf.refuse = (asked) => asked.headers["x-leaf-user-token"] && broken && [401, "invalid_user_token"];
  broken = true;
  await conversation.send("And?");
  const asked = store.state.messages.at(-1);
  assert.deepEqual([store.state.phase, asked.text, asked.state, store.state.notice.code], ["idle", "And?", "failed", "offline"]);
  await conversation.list();
  broken = false;
  await conversation.again(asked.id);
  assert.equal(answers(store.state).length, 2);
});

test("who signs in keeps what was said before, and the session ends with that", async () => {
  const first = page();
  await first.conversation.send("Why?");
  const session = first.identity.session;
  const token = `x.${Buffer.from('{"sub":"7"}').toString("base64url")}.y`;
  const second = page(first.browser, { token });
  await second.conversation.begin();
  assert.equal(leaf.requests.filter((one) => one.path.endsWith("/merge")).length, 1);
  assert.notEqual(second.identity.session, session);
  await page(first.browser, { token }).conversation.begin();
  assert.equal(leaf.requests.filter((one) => one.path.endsWith("/merge")).length, 1);
});

test("users whom nobody vouches for have the chats that this browser has seen", async () => {
  leaf.refuse = (asked) => asked.path === "/api/site/chats" && asked.method === "GET" && [401, "user_token_required"];
  const { conversation, store } = page(undefined, { user: "käufer 7" });
  await conversation.send("Why?");
  await conversation.list();
  assert.deepEqual(store.state.chats.items.map(({ id, title }) => [id, title]), [["chat-1", "A chat"]]);
  assert.equal(posts("messages")[0].headers["x-leaf-user"], encodeURIComponent("käufer 7"));
  await conversation.remove("chat-1");
  await conversation.list();
  assert.deepEqual([store.state.chats.items, store.state.chat, leaf.chats.size], [[], null, 0]);
});

const CALLS = [
  { toolCallId: "c1", toolName: "cart", toolInput: { item: 7 } },
  { toolCallId: "c2", toolName: "unknown", toolInput: {} },
];

test("what an answer waits for is run in the page, call by call, and handed in once", async () => {
  leaf.calls = CALLS;
  let lost = true;
  leaf.losesHandIn = () => lost && !(lost = false);
  const ran = [];
  const cart = (params, { toolCallId }) => void ran.push([params, toolCallId]);
  const { conversation, store, until } = page(undefined, { tools: { cart: { version: 1, run: cart } } });
  await conversation.send("Put it into my cart.");
  await until((state) => state.phase === "idle");
  assert.deepEqual(ran, [[{ item: 7 }, "c1"]]);
  assert.deepEqual(leaf.handed, [["cart", null, undefined], ["unknown", undefined, "This page has no such tool."]]);
  assert.deepEqual(answers(store.state), [TEXT]);
});

test("a tool that fails, or comes to what is refused, is told as that", async () => {
  for (const [run, said] of [[() => Promise.reject(new Error("Sold out.")), "Sold out."], [() => ({ wrong: 1 }), "invalid"], [() => ({ self: 1n }), /BigInt/]]) {
    leaf.calls = CALLS.slice(0, 1);
    leaf.handed = [];
    const { conversation, until } = page(undefined, { tools: { cart: run } });
    await conversation.send("Put it into my cart.");
    await until((state) => state.phase === "idle");
    assert.match(leaf.handed[0][2], typeof said === "string" ? new RegExp(said) : said);
  }
});

test("a page that is loaded anew while a call is open carries it out, and another tab waits for it", async () => {
  leaf.calls = CALLS.slice(0, 1);
  let first;
  await new Promise((resolve) => {
    first = page(undefined, { tools: { cart: () => new Promise(() => resolve()) } });
    void first.conversation.send("Put it into my cart.");
  });
  first.conversation.close();
  const chat = first.store.state.chat;
  const other = page(undefined, { tools: { cart: () => assert.fail("another tab has it") } });
  other.memory.kept.set("session", first.identity.session);
  const opening = other.conversation.open(chat);
  const again = page(first.browser, { tools: { cart: () => "done" } });
  await opening;
  await again.conversation.restore();
  await again.until((state) => state.phase === "idle");
  await other.until((state) => state.phase === "idle");
  assert.deepEqual(leaf.handed, [["cart", "done", undefined]]);
  assert.deepEqual([answers(again.store.state), answers(other.store.state)], [[TEXT], [TEXT]]);
});

test("a tab that comes too late for a call shows the answer that another tab has made go on", async () => {
  leaf.calls = CALLS.slice(0, 1);
  let first, finish;
  await new Promise((resolve) => {
    first = page(undefined, { tools: { cart: () => (resolve(), new Promise((done) => (finish = done))) } });
    void first.conversation.send("Put it into my cart.");
  });
  const other = page(undefined, { tools: { cart: () => assert.fail("another tab has done it") } });
  other.memory.kept.set("session", first.identity.session);
  const { server } = other.conversation;
  const claim = server.claim.bind(server);
  server.claim = async (...call) => {
    finish("done");
    await first.until((state) => state.phase === "idle");
    return claim(...call);
  };
  await other.conversation.open(first.store.state.chat);
  await other.until((state) => state.phase === "idle");
  assert.deepEqual([answers(first.store.state), answers(other.store.state)], [[TEXT], [TEXT]]);
});

test("a page that is left while it claims a call neither carries it out nor keeps it", async () => {
  leaf.calls = CALLS.slice(0, 1);
  const called = [];
  const { conversation } = page(undefined, { tools: { cart: () => called.push("cart") } });
  const { server } = conversation;
  const claim = server.claim.bind(server);
  const claimed = new Promise((resolve) => {
    server.claim = async (...call) => {
      conversation.close();
      const given = await claim(...call);
      resolve();
      return given;
    };
  });
  void conversation.send("Put it into my cart.");
  await claimed;
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([leaf.handed, called], [[], []]);
});

test("an answer that waits for the page can be stopped", async () => {
  leaf.calls = CALLS.slice(0, 1);
  const { conversation, store, until } = page(undefined, { tools: { cart: () => new Promise(() => {}) } });
  await conversation.send("Put it into my cart.");
  await conversation.stop();
  await until((state) => state.phase === "idle");
  assert.deepEqual([leaf.handed, store.state.phase], [[], "idle"]);
});

test("a chat goes into the archive and back, and stays open", async () => {
  const { conversation, store } = page();
  await conversation.send("Why?");
  const { chat } = store.state;
  await conversation.list();
  await conversation.archive(chat, true);
  assert.deepEqual([store.state.chats.items, store.state.chat], [[], chat]);
  await conversation.list({ archived: true });
  assert.deepEqual([store.state.chats.items.map(({ id }) => id), store.state.chats.archived], [[chat], true]);
  await conversation.archive(chat, false);
  assert.deepEqual(store.state.chats.items, []);
  const late = conversation.list({ archived: true });
  await conversation.list();
  await late;
  assert.deepEqual([store.state.chats.items.map(({ id }) => id), store.state.chats.archived], [[chat], false]);
});

test("files go with the next message, and those that are refused or taken back do not", async () => {
  const { conversation, store } = page();
  await Promise.all(["a.txt", "b.txt", "c.txt"].map((name) => conversation.attach(new File(["short"], name))));
  assert.equal(leaf.chats.size, 1, "one chat for all of them");
  assert.deepEqual(leaf.kept.map(([chat]) => chat), Array(3).fill(store.state.chat));
  await conversation.attach(new File(["x".repeat(11)], "d.txt"));
  assert.equal(store.state.notice.code, "bad_file");
  conversation.detach(store.state.files.find((one) => one.name === "b.txt").id);
  await conversation.send("What is in them?");
  assert.deepEqual(posts("messages")[0].body.files.toSorted(), ["a.txt", "c.txt"]);
  assert.deepEqual(store.state.files, []);
  await conversation.send("And?");
  assert.equal(posts("messages")[1].body.files, undefined);
});

test("a chat whose answer is being written when its visitor signs in is taken over the next time", async () => {
  const first = page();
  await first.conversation.send("Why?");
  const session = first.identity.session;
  const token = `x.${Buffer.from('{"sub":"7"}').toString("base64url")}.y`;
  leaf.left = 1;
  const second = page(first.browser, { token });
  await second.conversation.begin();
  assert.equal(second.identity.session, session);
  leaf.left = 0;
  await page(first.browser, { token }).conversation.begin();
  assert.notEqual(page(first.browser, { token }).identity.session, session);
  assert.equal(leaf.requests.filter((one) => one.path.endsWith("/merge")).length, 2);
});
