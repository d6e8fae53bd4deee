// The requests to Leaf. What goes wrong is a `Refused` with the server's words, or an `Offline`.

export class Refused extends Error {
  constructor(status, { code = "failed", message = "", field, resets_in_seconds: seconds } = {}) {
    super(String(message || code));
    this.status = status;
    this.code = String(code);
    this.field = field;
    this.seconds = Number.isFinite(seconds) ? seconds : undefined;
  }
}

export class Offline extends Error {}

/** How long an answer to a plain request may take. */
const PATIENCE_MS = 30_000;
const UPLOAD_MS = 300_000;

export class Server {
  /**
   * `identity()` gives the headers that say who the visitor is (`identity.js`); `renew(token)` is asked once for a newer
   * token than the one that was refused, and says whether there is one.
   */
  constructor({ address, key, identity, language, renew }) {
    this.address = address.replace(/\/+$/, "");
    this.key = key;
    this.identity = identity;
    this.language = language;
    this.renew = renew ?? (async () => false);
  }

  async #ask(method, path, { body, headers = {}, signal, anonymous = false } = {}) {
    const told = { authorization: `Bearer ${this.key}`, ...headers };
    if (this.language) told["accept-language"] = this.language;
    // A form says its type by itself, with its boundary.
    const form = body instanceof FormData;
    if (body !== undefined && !form) told["content-type"] = "application/json";
    let who = {};
    const request = async () => {
      if (!anonymous) who = await this.identity();
      try {
        return await fetch(this.address + path, {
          method,
          body: body === undefined || form ? body : JSON.stringify(body),
          headers: { ...told, ...who },
          signal,
          credentials: "omit",
          cache: "no-store",
          referrerPolicy: "strict-origin-when-cross-origin",
        });
      } catch (error) {
        if (signal?.aborted) throw error;
        throw new Offline(String(error?.message ?? error));
      }
    };
    let response = await request();
    if (response.status === 401) {
      const refused = await refusalOf(response);
      if (refused.code !== "invalid_user_token" || !(await this.renew(who["x-leaf-user-token"]))) throw refused;
      response = await request();
    }
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  async #json(method, path, options = {}) {
    const response = await this.#ask(method, path, { ...options, signal: options.signal ?? patience() });
    if (response.status === 204) return null;
    try {
      return await response.json();
    } catch (error) {
      throw new Offline(String(error?.message ?? error));
    }
  }

  agent = () => this.#json("GET", "/api/site/agent", { anonymous: true });
  create = (context) => this.#json("POST", "/api/site/chats", { body: { context } });
  list = (after, archived) =>
    this.#json("GET", `/api/site/chats?limit=30${archived ? "&archived=true" : ""}${after ? `&after=${encodeURIComponent(after)}` : ""}`);
  archive = (chat, archived) => this.#json("PATCH", `/api/site/chats/${encodeURIComponent(chat)}`, { body: { archived } });
  read = (chat) => this.#json("GET", `/api/site/chats/${encodeURIComponent(chat)}`);
  remove = (chat) => this.#json("DELETE", `/api/site/chats/${encodeURIComponent(chat)}`);
  stop = (chat) => this.#json("POST", `/api/site/chats/${encodeURIComponent(chat)}/stop`);
  merge = () => this.#json("POST", "/api/site/chats/merge");
  feedback = (chat, messageId, sentiment) =>
    this.#json("PUT", `/api/site/chats/${encodeURIComponent(chat)}/feedback`, { body: { messageId, sentiment } });

  claim = (messageId, call, body) =>
    this.#json("POST", `/api/site/messages/${encodeURIComponent(messageId)}/calls/${encodeURIComponent(call)}/claim`, { body });
  handIn = (token, body) => this.#json("POST", `/api/site/hooks/${encodeURIComponent(token)}`, { body });

  /** Keeps a file for the next message; a large one may take its time. */
  upload(chat, file) {
    const body = new FormData();
    body.append("file", file, file.name);
    return this.#json("POST", `/api/site/chats/${encodeURIComponent(chat)}/files`, { body, signal: patience(UPLOAD_MS) });
  }

  /** Sends a message; the response is the stream of its answer. */
  send = (chat, { content, context, files = [], key }, signal) =>
    this.#ask("POST", `/api/site/chats/${encodeURIComponent(chat)}/messages`, {
      body: { content, context, ...(files.length ? { files } : {}) },
      headers: { accept: "text/event-stream", "idempotency-key": key },
      signal,
    });

  /** The stream of the answer that is being written, from after a frame on; its status is 204 where there is none. */
  stream = (chat, after, signal) =>
    this.#ask("GET", `/api/site/chats/${encodeURIComponent(chat)}/stream`, {
      headers: { accept: "text/event-stream", ...(after === undefined ? {} : { "last-event-id": String(after) }) },
      signal,
    });
}

const patience = (ms = PATIENCE_MS) => (AbortSignal.timeout ? AbortSignal.timeout(ms) : undefined);

async function refusalOf(response) {
  let problem = {};
  try {
    problem = (await response.json()).error ?? {};
  } catch {
    // A proxy's page, perhaps: the status says enough.
  }
  const seconds = problem.resets_in_seconds ?? Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  return new Refused(response.status, { ...problem, resets_in_seconds: seconds });
}
