// A conversation with Leaf whose tools run in this page. No framework; one class.
//
// Leaf calls one tool at a time. This tab claims the call, carries it out, and hands in what came of it with the token
// that the claim gave it. What a tool has done is kept by the id of its call (`journal`), so that neither a reload nor a
// lost connection does it twice.

import { Frames } from "./parse.js";

const RETRY_MS = 500;

export class Leaf {
  /** What was read of the run: its stream, the id of its last frame, and its text. */
  #read = { run: null, stream: "", last: -1, text: "" };
  #going = null;

  /**
   * @param {object} options
   * @param {string} options.chat A name of one's own for the conversation.
   * @param {string} options.document A name of one's own for the document.
   * @param {string} options.tab A name for this tab that outlives a reload.
   * @param {object} options.tools By name: `{version, description, inputSchema, outputSchema, run(params, callId)}`.
   * @param {object} options.journal `get(callId)` and `set(callId, outcome)`, which survive a reload.
   * @param {(state: object) => void} options.onChange Called with `{text, status, tool, error}`.
   */
  constructor(options) {
    Object.assign(this, options);
    this.state = { text: "", status: "ready", tool: null, error: null };
  }

  get busy() {
    return this.#going !== null;
  }

  /** Asks something; what went on before is given up. */
  async ask(text) {
    this.#going?.abort();
    const going = (this.#going = new AbortController());
    this.#show({ text: "", status: "working", tool: null, error: null });
    const clientTools = Object.entries(this.tools).map(([name, { run, ...about }]) => ({ name, ...about }));
    const message = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] };
    const body = JSON.stringify({ id: this.chat, messages: [message], clientTools, documentId: this.document });
    await this.#follow(going, () => this.#fetch(going, "/api/chat", { method: "POST", body }));
  }

  /** Goes on with what was going on when the page was closed. */
  async resume() {
    const going = (this.#going = new AbortController());
    await this.#follow(going, () => this.#stream(going));
  }

  /** Stops what goes on; what there is stays. */
  async stop() {
    this.#going?.abort();
    this.#going = null;
    this.#show({ status: "stopped", tool: null });
    await this.#again(null, () => fetch(`/api/chat/${this.chat}/stop`, { method: "POST" }));
  }

  async #follow(going, begin) {
    try {
      let response = await this.#again(going, begin);
      while (!going.signal.aborted) {
        if (response?.status === 200) await this.#take(going, response);
        else if (response && response.status !== 204) throw new Error(await reason(response));
        const last = await this.#last(going);
        const waits = last?.parts.find((part) => part.state === "input-available" && this.tools[name(part)]);
        if (!last || going.signal.aborted) break;
        this.#show({ text: textOf(last) });
        if (last.metadata?.status === "waiting" && waits) await this.#carryOut(going, last, waits);
        else if (ENDED.has(last.metadata?.status)) {
          this.#show({ status: last.metadata.status, tool: null, error: this.state.error });
          break;
        } else await pause(RETRY_MS);
        response = await this.#again(going, () => this.#stream(going));
      }
    } catch (error) {
      if (!going.signal.aborted) this.#show({ status: "error", tool: null, error: error.message });
    } finally {
      if (this.#going === going) {
        this.#going = null;
        this.#show({});
      }
    }
  }

  /** Takes the frames of a run, each once; a connection that breaks ends the reading, and the loop above comes back. */
  async #take(going, response) {
    const run = response.headers.get("x-workflow-run-id");
    const stream = response.headers.get("x-leaf-stream") || this.#read.stream;
    // Another stream of the same run: the server had lost it, and writes it from its beginning.
    const same = this.#read.run === run && (!this.#read.stream || this.#read.stream === stream);
    const read = (this.#read = same ? { ...this.#read, stream } : { run, stream, last: -1, text: "" });
    const decoder = new TextDecoder();
    const frames = new Frames();
    try {
      for await (const bytes of pieces(response.body)) {
        for (const { id, data } of frames.push(decoder.decode(bytes, { stream: true }))) {
          if (going.signal.aborted) return;
          if (id !== null && Number(id) <= read.last) continue;
          if (id !== null) read.last = Number(id);
          if (data.type === "start") read.text = "";
          if (data.type === "text-delta") this.#show({ text: (read.text += data.delta), status: "working" });
          if (data.type === "error") this.#show({ error: data.errorText });
        }
      }
    } catch (error) {
      if (going.signal.aborted) throw error;
    }
  }

  async #carryOut(going, message, part) {
    const tool = name(part);
    this.#show({ status: "waiting", tool });
    const claimed = await this.#claim(going, message.id, part.toolCallId, tool);
    if (!claimed) return pause(RETRY_MS);
    const keeping = setInterval(
      () => void this.#claim(going, message.id, part.toolCallId, tool).catch(() => undefined),
      (claimed.leaseSeconds * 1000) / 3,
    );
    try {
      const outcome = await this.#once(tool, claimed, going);
      if (going.signal.aborted) return;
      const body = JSON.stringify({ toolCallId: claimed.toolCallId, version: claimed.version, documentId: this.document, ...outcome });
      const response = await this.#again(going, () =>
        this.#fetch(going, `/api/hooks/${claimed.hookToken}`, { method: "POST", body }),
      );
      // Refused where the answer has ended meanwhile, or another tab has taken the call over: what it says now counts.
      if (response && !response.ok && ![403, 404, 409].includes(response.status)) throw new Error(await reason(response));
    } finally {
      clearInterval(keeping);
    }
  }

  /** What a tool comes to, which is run only where the journal knows nothing of the call. */
  async #once(tool, claimed, going) {
    const known = this.journal.get(claimed.toolCallId);
    if (known) return known;
    let outcome;
    try {
      const result = await this.tools[tool].run(claimed.params, claimed.toolCallId, going.signal);
      outcome = { result: result ?? null };
    } catch (error) {
      outcome = { error: error.message };
    }
    if (!this.journal.get(claimed.toolCallId)) this.journal.set(claimed.toolCallId, outcome);
    return this.journal.get(claimed.toolCallId);
  }

  /** The claim; null where another tab has the call. */
  async #claim(going, message, call, tool) {
    const body = JSON.stringify({ tab: this.tab, version: this.tools[tool].version ?? 1 });
    const path = `/api/messages/${message}/calls/${call}/claim`;
    const response = await this.#again(going, () => this.#fetch(going, path, { method: "POST", body }));
    if (!response) return null;
    if (response.ok) return response.json();
    if (response.status === 409) {
      const { error } = await response.json();
      if (error.code === "tool_version") throw new Error(error.message);
      return null;
    }
    if (response.status === 404) return null;
    throw new Error(await reason(response));
  }

  async #last(going) {
    const response = await this.#again(going, () => this.#fetch(going, `/api/chats/${this.chat}`));
    if (!response?.ok) return null;
    const last = (await response.json()).messages.at(-1);
    return last?.role === "assistant" ? last : null;
  }

  #stream(going) {
    return this.#fetch(going, `/api/chat/${this.chat}/stream`);
  }

  #fetch(going, path, options = {}) {
    return fetch(path, { ...options, headers: { "content-type": "application/json" }, signal: going.signal });
  }

  /** Sends until there is an answer: the network may be away, and too many requests are sent again when they may. */
  async #again(going, send) {
    while (!going?.signal.aborted) {
      try {
        const response = await send();
        if (response.status === 429) await pause(1000 * Number(response.headers.get("retry-after") ?? 1));
        else if (response.status < 502) return response;
        else await pause(RETRY_MS);
      } catch (error) {
        if (going?.signal.aborted) return null;
        await pause(RETRY_MS);
      }
    }
    return null;
  }

  #show(change) {
    this.state = { ...this.state, ...change };
    this.onChange(this.state);
  }
}

const ENDED = new Set(["completed", "stopped", "error"]);
const name = (part) => part.type.replace(/^tool-/, "");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const textOf = (message) => message.parts.filter((part) => part.type === "text").map((part) => part.text).join("");

async function reason(response) {
  try {
    return (await response.json()).error.message;
  } catch {
    return `Leaf answered with ${response.status}.`;
  }
}

/** The pieces of a body: not every browser can iterate over a stream. */
async function* pieces(body) {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}
