// Reads the golden streams with one generation of the npm package `ai`: `node golden.mjs ai7 [header]`.
// Each is cut behind every chunk and resumed; what the page shows then is one JSON object on the standard output.

import { readdirSync, readFileSync } from "node:fs";

const [generation] = process.argv.slice(2);
const { AbstractChat } = await import(generation);
const folder = new URL("../golden/streams/", import.meta.url);

class State {
  status = "ready";
  error = undefined;
  messages = [];
  pushMessage = (message) => (this.messages = [...this.messages, message]);
  popMessage = () => (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index, message) => (this.messages = this.messages.with(index, message));
  snapshot = (value) => structuredClone(value);
}

class Chat extends AbstractChat {
  constructor(transport) {
    super({ id: "chat", state: new State(), transport, generateId: () => "m", onError: () => undefined });
  }
}

const streamOf = (chunks) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(structuredClone(chunk));
      controller.close();
    },
  });

/** A page that reads the first chunks, loses the connection, and resumes. */
async function page(chunks, cut) {
  const transport = {
    resumeStreamIsReplay: true,
    sendMessages: async () => streamOf(chunks.slice(0, cut)),
    reconnectToStream: async () => streamOf(chunks),
  };
  const chat = new Chat(transport);
  await chat.sendMessage({ text: "?" });
  const shown = textOf(chat);
  if (cut < chunks.length) {
    // Version 5 appends a replay to the message that the page holds (docs/api.md).
    if (generation === "ai5") chat.messages = chat.messages.filter((message) => message.role === "user");
    await chat.resumeStream();
  }
  return { shown, text: textOf(chat), parts: answer(chat)?.parts ?? [], status: chat.status };
}

const answer = (chat) => (chat.lastMessage?.role === "assistant" ? chat.lastMessage : null);
const textOf = (chat) => (answer(chat)?.parts ?? []).filter((part) => part.type === "text").map((part) => part.text).join("");

const seen = {};
for (const file of readdirSync(folder)) {
  const chunks = JSON.parse(readFileSync(new URL(file, folder), "utf-8"));
  const whole = await page(chunks, chunks.length);
  const cuts = [];
  for (let cut = 0; cut < chunks.length; cut += 1) cuts.push(await page(chunks, cut));
  seen[file] = { whole, cuts };
}
process.stdout.write(JSON.stringify(seen));
