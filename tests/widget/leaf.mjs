// A server that speaks the widget API (docs/widget-api.md) on this machine, for as long as a test needs it.
import { createServer } from "node:http";

export class Leaf {
  requests = [];
  chats = new Map();
  keys = new Map();
  /** Called for each stream: `(response, frames, chat)` writes it, and decides where it is cut. */
  writes = [];
  /** What tools of the page came to: [name, result, error]. */
  handed = [];
  /** Chats that a merge leaves for another time. */
  left = 0;
  /** Files: [chat, name, text]. */
  kept = [];
  /** Calls that the next answer waits for: [{toolCallId, toolName, toolInput}]. */
  calls = [];

  static async start() {
    const leaf = new Leaf();
    leaf.server = createServer((request, response) => leaf.#answer(request, response));
    await new Promise((resolve) => leaf.server.listen(0, "127.0.0.1", resolve));
    leaf.url = `http://127.0.0.1:${leaf.server.address().port}`;
    return leaf;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  /** The frames of the answer to a question, of which some share an id. */
  framesOf(chat, answer, text) {
    const words = text.split(/(?<= )/);
    return [
      { type: "start", id: 0, chatId: chat, messageId: answer, runId: `run-${answer}` },
      ...words.map((delta, place) => ({ type: "text", id: 2 + Math.floor(place / 2), part: 0, delta })),
      { type: "done", id: 3 + words.length, messageId: answer, status: "completed" },
    ];
  }

  async #answer(request, response) {
    if (request.url.endsWith("/files")) return this.#keep(request, response);
    let body = "";
    for await (const piece of request) body += piece;
    const [path] = request.url.split("?");
    const [, , , , id, what] = path.split("/");
    const asked = { method: request.method, path, id, what, headers: request.headers, body: body ? JSON.parse(body) : null };
    this.requests.push(asked);
    const pause = this.slow?.(asked);
    if (pause) await new Promise((resolve) => setTimeout(resolve, pause));
    const known = this.chats.get(id);
    const json = (status, value) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const refused = (status, code, more = {}) => json(status, { error: { code, message: code, ...more } });
    if (this.refuse?.(asked)) return refused(...this.refuse(asked));
    if (path === "/api/site/agent") return json(200, { name: "Help", welcome: "Hello" });
    if (path === "/api/site/chats/merge") return json(200, { merged: 1, left: this.left });
    if (path === "/api/site/chats" && request.method === "POST") return json(201, { id: this.#create(asked) });
    if (path === "/api/site/chats") return json(200, { chats: [...this.chats.values()].filter((one) => Boolean(one.archived) === request.url.includes("archived=true")).map(({ id, title }) => ({ id, title })), next: null });
    if (path.endsWith("/claim")) return this.#claim(asked, id, json, refused);
    if (path.startsWith("/api/site/hooks/")) return this.#handIn(asked, response, refused);
    if (!known) return refused(404, "not_found");
    if (request.method === "PATCH") known.archived = asked.body.archived;
    if (what === "stop") known.waiting = null;
    if (what === "messages") return this.#send(asked, known, response);
    if (what === "stream") return known.running ? this.#stream(response, known, Number(request.headers["last-event-id"] ?? -1)) : response.writeHead(204).end();
    if (request.method === "DELETE") return this.chats.delete(id), response.writeHead(204).end();
    return json(200, { ...known, answer: known.running ? { messageId: known.running, runId: `run-${known.running}` } : null, frames: undefined });
  }

  #create() {
    const id = `chat-${this.chats.size + 1}`;
    this.chats.set(id, { id, title: "A chat", status: "active", events: [], running: null, frames: [] });
    return id;
  }

  /** A file of a form. */
  async #keep(request, response) {
    const form = await new Response(request, { headers: { "content-type": request.headers["content-type"] } }).formData();
    const file = form.get("file");
    const status = file.size > 10 ? 413 : 201;
    if (status === 201) this.kept.push([request.url.split("/")[4], file.name, await file.text()]);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(status === 201 ? { path: file.name } : { error: { code: "size" } }));
  }

  /** One tab has a call. */
  #claim(asked, messageId, json, refused) {
    const chat = [...this.chats.values()].find((one) => one.waiting?.messageId === messageId);
    if (!chat) return refused(404, "not_found");
    if (this.holder && this.holder !== asked.body.tab) return refused(409, "call_claimed");
    this.holder = asked.body.tab;
    const [call] = chat.waiting.calls;
    return json(200, { ...call, version: 1, params: call.toolInput, hookToken: `${chat.id}~${call.toolCallId}`, leaseSeconds: 15, dueSeconds: 60 });
  }

  #handIn(asked, response, refused) {
    const [id, call] = decodeURIComponent(asked.id).split("~");
    const chat = this.chats.get(id);
    if (asked.body.result?.wrong) return refused(400, "invalid");
    if (chat.waiting?.calls[0].toolCallId === call) {
      const answer = chat.waiting.messageId;
      const [done, ...left] = chat.waiting.calls;
      chat.waiting = left.length ? { messageId: answer, calls: left } : null;
      this.holder = null;
      this.handed.push([done.toolName, asked.body.result, asked.body.error]);
      if (!left.length) {
        chat.events = chat.events.filter((one) => one.messageId !== answer);
        Object.assign(chat, { running: answer, text: this.text, frames: this.framesOf(chat.id, answer, this.text) });
      }
    }
    if (this.losesHandIn?.()) return response.destroy();
    return response.writeHead(204).end();
  }

  #send(asked, chat, response) {
    const key = `${chat.id} ${asked.headers["idempotency-key"]}`;
    if (!this.keys.has(key)) {
      const answer = `answer-${chat.events.length}`;
      this.keys.set(key, answer);
      chat.running = answer;
      chat.text = this.text;
      chat.frames = this.framesOf(chat.id, answer, this.text);
      chat.events.push({ seq: chat.events.length + 1, eventType: "message", role: "user", messageId: `q-${answer}`, content: asked.body.content });
    }
    this.#stream(response, chat, -1);
  }

  end(chat) {
    if (this.calls.length) {
      chat.waiting = { messageId: chat.running, calls: this.calls };
      this.calls = [];
      chat.events.push({ eventType: "tool_call", messageId: chat.running, ...chat.waiting.calls[0] });
      chat.running = null;
      return;
    }
    chat.events.push({ seq: chat.events.length + 1, eventType: "message", role: "assistant", messageId: chat.running, content: chat.text });
    chat.running = null;
  }

  #stream(response, chat, after) {
    response.writeHead(200, { "content-type": "text/event-stream", "x-leaf-run-id": `run-${chat.running}` });
    const frames = chat.frames.filter((frame) => frame.id > after);
    const write = this.writes.shift() ?? ((bytes, given) => given.forEach(bytes));
    const told = (frame) => {
      if (frame.type === "done" && chat.running) this.end(chat);
      response.write(`id: ${frame.id}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
    };
    const kept = write(told, frames, response);
    if (kept !== "open") setImmediate(() => response.end());
  }
}
