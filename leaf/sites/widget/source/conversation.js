// What the visitor does, as requests and changes of the store. Knows no page.
import { carryOut } from "./carrying.js";
import { follow } from "./following.js";
import { newId } from "./memory.js";
import { Offline, Refused } from "./server.js";
import { busy } from "./store.js";

/** A message that was cut off on its way is sent again when the page comes back within this time. */
const PENDING_MS = 10 * 60_000;
const MOST_KNOWN = 50;
const MOST_FILES = 5;

const noticeOf = (error) =>
  error instanceof Refused
    ? { code: error.code, message: error.message, seconds: error.seconds }
    : { code: "offline", message: "" };

export class Conversation {
  #following = null;
  #carrying = false;
  #making = null;

  /** `tools()` gives the functions of the page that an answer may call. */
  constructor({ store, server, identity, memory, context, pause, tools = () => ({}) }) {
    Object.assign(this, { store, server, identity, memory, context, pause, tools });
  }

  get state() {
    return this.store.state;
  }

  /** Reads the agent, and once for each user takes over what was said before they signed in. */
  async begin({ merge = true } = {}) {
    this.store.dispatch({ type: "agent", agent: await this.server.agent() });
    if (!merge || !this.identity.signed || !this.memory.kept.get("talked")) return;
    try {
      // A chat in which an answer is written follows at another time: until then its secret is still needed.
      if ((await this.server.merge()).left) return;
      this.identity.forget();
      this.memory.kept.set("talked", null);
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Offline)) throw error;
    }
  }

  /** Opens the chat that was open last, and sends what was on its way when the page was left. */
  async restore() {
    const name = await this.#shelf("chat");
    const chat = this.memory.kept.get(name);
    const pending = this.memory.tab.get("pending");
    if (chat) await this.open(chat);
    if (!pending) return;
    this.memory.tab.set("pending", null);
    const late = Date.now() - pending.at > PENDING_MS;
    const asked = this.state.messages.filter((one) => one.role === "user");
    const arrived = asked.length > pending.count && asked.some((one) => one.text === pending.text);
    if (pending.chat === this.state.chat && !late && !arrived && !busy(this.state)) await this.#say(pending);
  }

  async open(chat) {
    if (chat === this.state.chat && busy(this.state)) {
      this.store.dispatch({ type: "view", view: "chat" });
      return;
    }
    this.#leave();
    this.store.dispatch({ type: "opening", chat });
    try {
      const stored = await this.server.read(chat);
      if (this.state.chat !== chat) return;
      await this.#show(stored);
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Offline)) throw error;
      if (this.state.chat !== chat) return;
      if (error.status === 404) {
        await this.#remember(null);
        this.store.dispatch({ type: "fresh" });
      } else {
        this.store.dispatch({ type: "ended", chat, notice: noticeOf(error) });
      }
    }
  }

  async #show(stored) {
    const chat = stored.id;
    await this.#remember(stored);
    this.store.dispatch({ type: "opened", chat, ...stored });
    if (stored.answer) void this.#follow(chat, (signal) => this.server.stream(chat, undefined, signal));
    else if (stored.waiting) void this.#carryOut(stored);
  }

  /** Carries out what an answer waits for, call by call, and follows it as it goes on. */
  async #carryOut(stored) {
    const { id: chat, waiting } = stored;
    const leaving = new AbortController();
    this.#following = leaving;
    const { signal } = leaving;
    this.#carrying = true;
    const { server, pause } = this;
    const [call] = waiting.calls;
    let goes = false;
    try {
      goes = Boolean(call) && (await carryOut({ server, tools: this.tools, tab: this.#tab(), messageId: waiting.messageId, call, pause, signal }));
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Offline)) throw error;
    }
    if (signal.aborted) return;
    this.#carrying = false;
    // A call that is over may be so because another tab has carried it out: then the answer goes on.
    await this.#settle(chat, signal, null, goes ? null : call);
  }

  /** This tab's name; a tab that is loaded anew is still the same. */
  #tab() {
    const name = this.memory.tab.get("name") ?? newId();
    this.memory.tab.set("name", name);
    return name;
  }

  /** An empty chat; what is being written in the one before goes on at the server. */
  async fresh() {
    this.#leave();
    this.store.dispatch({ type: "fresh" });
    await this.#remember(null);
  }

  async send(text) {
    const content = text.trim();
    if (!content || busy(this.state) || this.state.phase === "opening") return;
    if (this.state.files.some((one) => !one.path)) return;
    await this.#say({ id: `page-${newId()}`, text: content, files: this.state.files.map((one) => one.path), key: newId(), at: Date.now() });
  }

  /** Sends a message that did not arrive again; one that did is not asked twice. */
  async again(id) {
    const message = this.state.messages.find((one) => one.id === id);
    if (!message || busy(this.state)) return;
    await this.#say({ id, text: message.text, files: message.files, key: this.memory.tab.get(`key:${id}`) ?? newId(), at: Date.now() });
  }

  async #say(message) {
    const { id, text, key, files = [] } = message;
    const count = this.state.messages.filter((one) => one.role === "user" && one.state === "sent").length;
    this.store.dispatch({ type: "sending", id, text, files });
    let chat = this.state.chat;
    this.memory.tab.set("pending", { ...message, chat, count });
    try {
      chat ??= await this.#made();
      if (!this.identity.signed && !this.identity.user) this.memory.kept.set("talked", true);
    } catch (error) {
      this.#unsent(chat, id, error);
      return;
    }
    this.memory.tab.set("pending", { ...message, chat, count });
    this.memory.tab.set(`key:${id}`, key);
    const body = { content: text, context: this.context(), files, key };
    await this.#follow(chat, (signal) => this.server.send(chat, body, signal), id);
  }

  /** The chat that is open; it is made where there is none yet. */
  async #made() {
    if (this.state.chat) return this.state.chat;
    this.#making ??= this.server.create(this.context()).finally(() => (this.#making = null));
    const { id } = await this.#making;
    if (this.state.chat) return this.state.chat;
    this.store.dispatch({ type: "named", id });
    await this.#remember({ id, title: "" });
    return id;
  }

  /** Sends a file, for the next message. */
  async attach(file) {
    if (this.state.files.length >= MOST_FILES) return;
    const id = newId();
    this.store.dispatch({ type: "attaching", id, name: file.name });
    try {
      const { path } = await this.server.upload(await this.#made(), file);
      this.store.dispatch({ type: "attached", id, path });
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Offline)) throw error;
      const notice = [400, 413, 415].includes(error.status) ? { code: "bad_file", message: error.message } : noticeOf(error);
      this.store.dispatch({ type: "detached", id, notice });
    }
  }

  /** Has a file not go with the next message. */
  detach(id) {
    this.store.dispatch({ type: "detached", id });
  }

  #unsent(chat, id, error) {
    if (!(error instanceof Refused || error instanceof Offline)) throw error;
    this.memory.tab.set("pending", null);
    this.store.dispatch({ type: "unsent", chat, id, notice: noticeOf(error) });
  }

  async #follow(chat, first, id) {
    const leaving = new AbortController();
    this.#following = leaving;
    const { signal } = leaving;
    let began = !id;
    const onFrame = (frame) => {
      if (frame.type === "start") {
        began = true;
        this.memory.tab.set("pending", null);
        if (id) this.memory.tab.set(`key:${id}`, null);
      }
      this.store.dispatch({ type: "frame", chat, frame });
    };
    let notice = null;
    try {
      const again = (after, given) => this.server.stream(chat, after, given);
      const onLost = () => this.store.dispatch({ type: "lost", chat });
      const outcome = await follow({ first, again, onFrame, onLost, pause: this.pause, signal });
      if (outcome === "aborted") return;
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Offline)) throw error;
      notice = noticeOf(error);
      if (!began) this.#unsent(chat, id, error);
      if (!began) return;
    }
    await this.#settle(chat, signal, notice);
  }

  /** What is stored is what stands; `given` is a call that this tab does not carry out again. */
  async #settle(chat, signal, notice, given = null) {
    let stored = null;
    try {
      stored = await this.server.read(chat);
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Offline)) throw error;
      notice ??= noticeOf(error);
    }
    if (signal.aborted) return;
    const still = given && stored?.waiting?.calls[0]?.toolCallId === given.toolCallId;
    if (stored?.answer || (stored?.waiting && !still)) {
      await this.#show(stored);
      return;
    }
    if (stored) await this.#remember(stored);
    this.store.dispatch({ type: "ended", chat, stored, notice: stored ? null : notice });
  }

  async stop() {
    if (!this.state.chat) return;
    const { chat } = this.state;
    const stopped = await this.#try(() => this.server.stop(chat));
    if (!stopped || !this.#carrying || chat !== this.state.chat) return;
    // No stream says so: the answer was waiting for this page.
    this.#leave();
    this.#following = new AbortController();
    await this.#settle(chat, this.#following.signal, null);
  }

  /** The visitor's chats; of users whom nobody vouches for, those that this browser knows. */
  async list({ more = false, archived = false } = {}) {
    const after = more ? this.state.chats.next : undefined;
    this.store.dispatch({ type: "listing", archived });
    try {
      const { chats, next } = await this.server.list(after, archived);
      this.store.dispatch({ type: "listed", items: chats, next, more, archived });
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Offline)) throw error;
      if (error.code === "user_token_required") {
        const items = this.memory.kept.get(await this.#shelf("chats")) ?? [];
        this.store.dispatch({ type: "listed", items, next: null, archived, local: true });
      } else {
        this.store.dispatch({ type: "unlisted", reason: "failed" });
        this.store.dispatch({ type: "notice", notice: noticeOf(error) });
      }
    }
  }

  /** Takes a chat out of the list, or back into it; it stays open if it is. */
  async archive(id, archived) {
    const done = await this.#try(() => this.server.archive(id, archived));
    if (done) this.store.dispatch({ type: "moved", id });
  }

  async remove(id) {
    const gone = await this.#try(() => this.server.remove(id), { missing: true });
    if (!gone) return;
    if (id === this.state.chat) this.#leave();
    const name = await this.#shelf("chats");
    this.memory.kept.set(name, (this.memory.kept.get(name) ?? []).filter((one) => one.id !== id));
    if (this.memory.kept.get(await this.#shelf("chat")) === id) await this.#remember(null);
    this.store.dispatch({ type: "deleted", id });
  }

  async like(id, feedback) {
    const { chat, messages } = this.state;
    const before = messages.find((one) => one.id === id)?.feedback ?? "";
    const wanted = before === feedback ? "" : feedback;
    this.store.dispatch({ type: "liked", chat, id, feedback: wanted });
    const told = await this.#try(() => this.server.feedback(chat, id, wanted || null));
    if (!told) this.store.dispatch({ type: "liked", chat, id, feedback: before });
  }

  /** Ends what this page listens to. */
  close() {
    this.#leave();
  }

  #leave() {
    this.#carrying = false;
    this.#following?.abort();
    this.#following = null;
  }

  async #try(act, { missing = false } = {}) {
    try {
      await act();
      return true;
    } catch (error) {
      if (!(error instanceof Refused || error instanceof Offline)) throw error;
      if (missing && error.status === 404) return true;
      this.store.dispatch({ type: "notice", notice: noticeOf(error) });
      return false;
    }
  }

  async #shelf(name) {
    return `${name}:${await this.identity.scope()}`;
  }

  async #remember(chat) {
    this.memory.kept.set(await this.#shelf("chat"), chat?.id ?? null);
    if (!chat || this.identity.signed || !this.identity.user) return;
    const name = await this.#shelf("chats");
    const others = (this.memory.kept.get(name) ?? []).filter((one) => one.id !== chat.id);
    const known = { id: chat.id, title: chat.title, lastEventAt: chat.lastEventAt ?? new Date().toISOString() };
    this.memory.kept.set(name, [known, ...others].slice(0, MOST_KNOWN));
  }
}
