// Uploads into a chat, in the panel of its files or with a message. The browser sends each file by itself to an HTTP
// route, so that its progress is seen, and a refused file stops no other. Uploads go on when the panel is closed.
import { createElement as h, useRef, useState } from "react";
import { Upload } from "lucide-react";
import { createStore } from "./store.js";
import { say, useTexts } from "./texts.js";

/**
 * All uploads of this tab that are under way or have a message: `{id, chat, name, file, state, share, message, again}` with
 * the state waiting, sending, failed or noted; those that come with a message also have `onTaken(path)`.
 */
const uploads = createStore([]);
let number = 0;
let busy = false;

const change = (id, values) => uploads.set(uploads.get().map((one) => (one.id === id ? { ...one, ...values } : one)));
const drop = (id) => uploads.set(uploads.get().filter((one) => one.id !== id));

/** The outcome of an upload, as its final state. */
function outcomeOf(request) {
  let body = null;
  try {
    body = JSON.parse(request.responseText);
  } catch {
    // A proxy may answer in words that are not for people.
  }
  const failed = (message, again = false) => ({ state: "failed", message, again });
  if (body?.file) return { state: "noted", message: body.file.notes?.join(" ") ?? "", file: null, path: body.file.path };
  if (body?.error?.code === "size") return failed(say("files.too_large"));
  if (body?.error?.message) return failed(body.error.message);
  return failed(request.status === 413 ? say("files.too_large") : say("files.not_taken"), true);
}

function send(upload) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", upload.address);
    request.withCredentials = true;
    request.upload.onprogress = (event) => event.lengthComputable && change(upload.id, { share: event.loaded / event.total });
    request.onload = () => done(outcomeOf(request));
    request.onerror = () => done({ state: "failed", message: say("files.broke_off"), again: true });
    const body = new FormData();
    body.append("file", upload.file, upload.name);
    request.send(body);
  });
}

/** Sends the files that wait, one after the other. */
async function work() {
  if (busy) return;
  busy = true;
  const first = () => uploads.get().find((one) => one.state === "waiting");
  for (let next = first(); next; next = first()) {
    change(next.id, { state: "sending" });
    const { path, ...outcome } = await send(next);
    if (path) next.onTaken?.(path);
    if (outcome.message) change(next.id, outcome);
    else drop(next.id);
  }
  busy = false;
}

/** Sends files into a chat; `onTaken(path)` of those that come with a message, once the server has one. */
export function upload(chat, files, { origin, limit, limitText, onTaken }) {
  const added = [...files].map((file) => {
    number += 1;
    const about = { id: number, chat, name: file.name, file, share: 0, address: `${origin}/api/chats/${chat}/files`, onTaken };
    if (file.size <= limit) return { ...about, state: "waiting" };
    return { ...about, state: "failed", message: say("files.larger_than", { limit: limitText }) };
  });
  uploads.set([...uploads.get(), ...added]);
  work();
}

/** The words next to an upload. */
function wordsOf(t, { state, share, message }) {
  if (state === "waiting") return t("files.waiting");
  if (state !== "sending") return message;
  return share < 1 ? t.number(share, { style: "percent" }) : t("files.reading");
}

function sendAgain(id) {
  change(id, { state: "waiting", share: 0, message: "" });
  work();
}

/** The uploads to a chat, by the panel of files or `along` with its next message; each has `drop()` and `sendAgain()`. */
export function useUploads(chat, along) {
  const t = useTexts();
  const mine = uploads.use((all) => all).filter((one) => one.chat === chat && Boolean(one.onTaken) === along);
  return mine.map((one) => ({
    ...one,
    going: one.state === "waiting" || one.state === "sending",
    failed: one.state === "failed",
    words: wordsOf(t, one),
    drop: () => drop(one.id),
    sendAgain: () => sendAgain(one.id),
  }));
}

/** Props: `chat`, `origin` (where the routes answer, empty for here), `accept`, `limit` (bytes), `limitText`. */
export function UploadZone({ chat, accept, ...target }) {
  const t = useTexts();
  const input = useRef(null);
  const [over, setOver] = useState(false);
  const onDrop = (event) => {
    event.preventDefault();
    setOver(false);
    upload(chat, event.dataTransfer.files, target);
  };
  const onDragOver = (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const onChange = (event) => {
    upload(chat, event.target.files, target);
    event.target.value = "";
  };
  const choose = { type: "button", className: "button secondary", onClick: () => input.current.click() };
  return h(
    "div",
    { className: over ? "upload-zone over" : "upload-zone", onDrop, onDragOver, onDragLeave: () => setOver(false) },
    h("button", choose, h(Upload, { size: 15, "aria-hidden": true }), t("files.upload")),
    h("p", { className: "small-note" }, t("files.drop", { limit: target.limitText })),
    h("input", { ref: input, type: "file", multiple: true, accept, hidden: true, "aria-label": t("files.to_upload"), onChange }),
  );
}
