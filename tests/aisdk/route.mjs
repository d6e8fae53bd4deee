// Drives the route handler of docs/api.md as a page does: `node route.mjs ai7 /path/to/route.ts`.
// What came of a question, a resumption, a stop and a refusal is one JSON object on the standard output.

import { pathToFileURL } from "node:url";

const [generation, file] = process.argv.slice(2);
const { AbstractChat, DefaultChatTransport } = await import(generation);
const { GET, POST } = await import(pathToFileURL(file).href);
const input = JSON.parse(process.env.LEAF_INPUT);

class State {
  status = "ready";
  error = undefined;
  messages = [];
  pushMessage = (message) => (this.messages = [...this.messages, message]);
  popMessage = () => (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index, message) => (this.messages = this.messages.with(index, message));
  snapshot = (value) => structuredClone(value);
}

/** Next's way from an address to the handler. */
const routed = (address, options = {}) => {
  const request = new Request(new URL(address, "http://page.example"), options);
  const path = new URL(request.url).pathname.split("/").slice(3).map(decodeURIComponent);
  const handler = request.method === "POST" ? POST : GET;
  return handler(request, { params: Promise.resolve(path.length ? { path } : {}) });
};

class Chat extends AbstractChat {
  constructor(id) {
    super({ id, state: new State(), transport: new DefaultChatTransport({ api: "/api/chat", fetch: routed }) });
  }
}

const chat = new Chat(input.id);
await chat.sendMessage({ text: input.text });
const empty = new Chat(`${input.id}-empty`);
await empty.sendMessage({ text: " " });
const ended = await routed(`/api/chat/${encodeURIComponent(input.id)}/stream`);
const stopped = await routed(`/api/chat/${encodeURIComponent(input.id)}/stop`, { method: "POST" });
const text = chat.lastMessage.parts.filter((part) => part.type === "text").map((part) => part.text).join("");
process.stdout.write(JSON.stringify({ text, status: chat.status, error: empty.error?.message, ended: ended.status, stopped: stopped.status }));
