// Drives one generation of the npm package `ai` against a running Leaf: `node drive.mjs ai7`.
// Each line of the standard input names a scenario, and gets a line with what the scenario has seen, both as JSON.

import { createInterface } from "node:readline";

const generation = process.argv[2];
const { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } = await import(generation);
let input = {};
let headers = {};

/** The state of a chat as a page without a framework would hold it. */
class State {
  status = "ready";
  error = undefined;
  constructor(messages) {
    this.messages = messages;
  }
  pushMessage = (message) => (this.messages = [...this.messages, message]);
  popMessage = () => (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index, message) => (this.messages = this.messages.with(index, message));
  snapshot = (value) => structuredClone(value);
}

class Chat extends AbstractChat {
  constructor({ id = input.id, messages = [], url = process.env.LEAF_URL, key, body, ...further } = {}) {
    const sent = key === undefined ? headers : { ...headers, authorization: `Bearer ${key}` };
    const transport = new DefaultChatTransport({ api: `${url}/api/chat`, headers: sent, body });
    super({ id, state: new State(messages), transport, ...further });
  }
}

async function leaf(path, options = {}) {
  const answer = await fetch(`${process.env.LEAF_URL}${path}`, { headers, ...options });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
}

async function until(condition, what) {
  const deadline = Date.now() + 60000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within a minute: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const textOf = (message) => (message?.parts ?? []).filter((part) => part.type === "text").map((part) => part.text).join("");
const words = (chat) => (chat.lastMessage?.role === "assistant" ? textOf(chat.lastMessage).split(" ").length : 0);
const seen = (chat) => ({ status: chat.status, error: chat.error?.message ?? null, messages: chat.messages });

const scenarios = {
  /** A question, and a second one in the same chat. */
  async send() {
    const finished = [];
    const chat = new Chat({ onFinish: (event) => finished.push(event.finishReason ?? null) });
    await chat.sendMessage({ text: input.text });
    await chat.sendMessage({ text: "And now?" });
    return { ...seen(chat), finished, history: await leaf(`/api/chats/${chat.id}`) };
  },

  /** One question, and every text that its answer shows until it is whole. */
  async watch() {
    const chat = new Chat();
    const shown = [];
    const sending = chat.sendMessage({ text: input.text });
    const looking = setInterval(() => {
      const text = textOf(chat.lastMessage?.role === "assistant" ? chat.lastMessage : null);
      if (text !== shown.at(-1)) shown.push(text);
    }, 20);
    await sending;
    clearInterval(looking);
    return { ...seen(chat), shown, history: await leaf(`/api/chats/${chat.id}`) };
  },

  /** A page that is loaded anew while the answer is written, at the other web process. */
  async reload() {
    const first = new Chat();
    const sending = first.sendMessage({ text: input.text });
    await until(() => words(first) > 5, "the first words");
    const history = await leaf(`/api/chats/${first.id}`);
    const second = new Chat({ messages: history.messages, url: input.other });
    await second.resumeStream();
    await sending;
    const idle = new Chat({ messages: (await leaf(`/api/chats/${first.id}`)).messages, url: input.other });
    await idle.resumeStream();
    return { ...seen(second), first: first.messages, idle: seen(idle), history: await leaf(`/api/chats/${first.id}`) };
  },

  /** A connection that is cut while the answer is written, in the same page. */
  async resume() {
    const chat = new Chat();
    const sending = chat.sendMessage({ text: input.text });
    await until(() => words(chat) > 5, "the first words");
    await chat.stop();
    await sending;
    const cut = textOf(chat.lastMessage);
    await chat.resumeStream();
    return { ...seen(chat), cut };
  },

  /** Connections that are back when the answer has ended: of the same page, and of one that was loaded before. */
  async late() {
    const chat = new Chat();
    const sending = chat.sendMessage({ text: input.text });
    await until(() => words(chat) > 5, "the first words");
    const loaded = new Chat({ messages: (await leaf(`/api/chats/${chat.id}`)).messages, url: input.other });
    await chat.stop();
    await sending;
    const cut = textOf(chat.lastMessage);
    let history;
    do history = await leaf(`/api/chats/${chat.id}`);
    while (history.messages.at(-1).metadata.status !== "completed");
    const before = structuredClone(loaded.messages);
    await Promise.all([chat.resumeStream(), loaded.resumeStream()]);
    const whole = new Chat({ messages: history.messages });
    await whole.resumeStream();
    return { ...seen(chat), cut, before, loaded: seen(loaded), whole: seen(whole), history };
  },

  /** The AI SDK's own transport for runs: the connection is cut in mid-answer, and it reads on at the chunk it has. */
  async workflow() {
    const { WorkflowChatTransport } = await import("@ai-sdk/workflow/client");
    const asked = [];
    const cutting = async (url, options) => {
      asked.push([options.method ?? "GET", String(url).replace(process.env.LEAF_URL, "")]);
      const answer = await fetch(url, options);
      if (options.method !== "POST") return answer;
      let events = 0;
      const cut = new TransformStream({
        transform(bytes, controller) {
          events += new TextDecoder().decode(bytes).split("data: ").length - 1;
          controller.enqueue(bytes);
          if (events > 12) controller.terminate();
        },
      });
      return new Response(answer.body.pipeThrough(cut), { status: answer.status, headers: answer.headers });
    };
    const key = { authorization: headers.authorization };
    const options = {
      api: `${process.env.LEAF_URL}/api/chat`,
      fetch: cutting,
      prepareSendMessagesRequest: ({ id, messages, body }) => ({ headers: key, body: { id, messages, ...body } }),
      prepareReconnectToStreamRequest: ({ api }) => ({ api, headers: key }),
    };
    const chat = new Chat({ transport: new WorkflowChatTransport(options) });
    await chat.sendMessage({ text: input.text });
    const history = await leaf(`/api/chats/${chat.id}`);
    // The end of it, as a page reads it that has the rest.
    const run = history.messages.at(-1).metadata.runId ?? asked.at(-1)[1].split("/")[3];
    const last = new WorkflowChatTransport({ ...options, initialStartIndex: -3 });
    const kinds = [];
    for await (const chunk of await last.reconnectToStream({ chatId: run })) kinds.push(chunk.type);
    return { ...seen(chat), asked, kinds, history };
  },

  /** The last answer written again, and then the one before it, which is named. */
  async regenerate() {
    const chat = new Chat();
    await chat.sendMessage({ text: input.text });
    const answer = chat.lastMessage.id;
    await chat.regenerate();
    const again = chat.lastMessage.id;
    await chat.sendMessage({ text: "And now?" });
    await chat.regenerate({ messageId: again });
    return { ...seen(chat), answer, again, history: await leaf(`/api/chats/${chat.id}`) };
  },

  /** A question that is asked in another way: by the id that this page gave it. */
  async edit() {
    const chat = new Chat();
    await chat.sendMessage({ text: input.text });
    await chat.sendMessage({ text: "The second?" });
    await chat.sendMessage({ text: "The second, edited?", messageId: chat.messages[2].id });
    return { ...seen(chat), history: await leaf(`/api/chats/${chat.id}`) };
  },

  /** An answer that is stopped at the server. */
  async stop() {
    const chat = new Chat();
    const sending = chat.sendMessage({ text: input.text });
    await until(() => words(chat) > 5, "the first words");
    await leaf(`/api/chat/${chat.id}/stop`, { method: "POST" });
    await leaf(`/api/chat/${chat.id}/stop`, { method: "POST" });
    await sending;
    return { ...seen(chat), history: await leaf(`/api/chats/${chat.id}`) };
  },

  /** What goes wrong: a key that is none, an empty question, a model that fails. */
  async errors() {
    const stranger = new Chat({ key: "leaf_key_none" });
    await stranger.sendMessage({ text: "Hello?" });
    const empty = new Chat();
    await empty.sendMessage({ text: " " });
    const failing = new Chat({ id: `${input.id}-failing` });
    await failing.sendMessage({ text: input.text });
    return { stranger: seen(stranger), empty: seen(empty), failing: seen(failing) };
  },

  /** Tools that run in this page: the chat sends their results by itself, as often as the model asks. */
  async clientTools() {
    const ran = [];
    const opened = [];
    const chat = new Chat({
      body: { clientTools: input.tools, documentId: "doc-1" },
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        if (!input.results[toolCall.toolName]) return;
        ran.push([toolCall.toolName, toolCall.input]);
        const given = input.results[toolCall.toolName];
        const told = { tool: toolCall.toolName, toolCallId: toolCall.toolCallId };
        const add = chat.addToolOutput ?? chat.addToolResult;
        const came = given.error ? { state: "output-error", errorText: given.error } : { output: given.output };
        const later = () => void add({ ...told, ...came });
        // Some tools take longer than the stream that has called them.
        if (given.afterMs) setTimeout(later, given.afterMs);
        else later();
      },
    });
    await chat.sendMessage({ text: input.text });
    const waits = () => chat.lastMessage.metadata?.status === "waiting";
    await until(() => chat.status === "error" || (chat.status === "ready" && !waits()), "the end");
    return { ...seen(chat), ran, opened, history: await leaf(`/api/chats/${chat.id}`) };
  },

  /** A page that is loaded anew while the answer goes on after a tool's result: it replays without running it again. */
  async clientToolsReload() {
    const ran = [];
    const first = new Chat({ body: { clientTools: input.tools } });
    await first.sendMessage({ text: input.text });
    const call = first.lastMessage.parts.find((part) => part.state === "input-available");
    await (first.addToolOutput ?? first.addToolResult)({
      tool: call.type.slice(5), toolCallId: call.toolCallId, output: "fresh",
    });
    const waiting = await leaf(`/api/chats/${first.id}`);
    const going = first.sendMessage();
    await until(() => words(first) > 5, "the first words after it");
    const onToolCall = ({ toolCall }) => void ran.push(toolCall.toolName);
    const history = (await leaf(`/api/chats/${first.id}`)).messages;
    const second = new Chat({ messages: history, url: input.other, onToolCall });
    await second.resumeStream();
    await going;
    return { ...seen(second), first: first.messages, ran, waiting, history: await leaf(`/api/chats/${first.id}`) };
  },

  /** Many chats at once, at both web processes. */
  async crowd() {
    const urls = [process.env.LEAF_URL, input.other];
    const chats = Array.from(
      { length: input.count },
      (_, place) => new Chat({ id: `${input.id}-${place}`, url: urls[place % 2] }),
    );
    await Promise.all(chats.map((chat) => chat.sendMessage({ text: input.text })));
    return { texts: chats.map((chat) => textOf(chat.lastMessage)), errors: chats.map((chat) => chat.error?.message ?? null) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line);
  input = told.input;
  process.env.LEAF_URL = told.url;
  headers = { authorization: `Bearer ${told.key}` };
  const result = await scenarios[told.scenario]().then((seen) => ({ seen }), (error) => ({ error: String(error.stack) }));
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
// A scenario that failed may still wait for something.
process.exit(0);
