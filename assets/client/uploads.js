// Uploads into a chat, in the panel of its files or with a message, and files of chats. The browser sends each file by itself
// to an HTTP route, so that its progress is seen, and a refused file stops no other. Uploads go on when the panel is closed.
import { useRef, useState } from "react";
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

/** Sends a file to a route, and reports the share that is sent. Returns the response's status (0 if it broke off) and body. */
function post(address, file, onShare) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.withCredentials = true;
    // A proxy may answer in words that are not for people.
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && onShare(event.loaded / event.total);
    request.onload = () => done({ status: request.status, body: request.response });
    request.onerror = () => done({ status: 0, body: null });
    const body = new FormData();
    body.append("file", file, file.name);
    request.send(body);
  });
}

/** The outcome of an upload, as its final state. */
function outcomeOf({ status, body }) {
  const failed = (message, again = false) => ({ state: "failed", message, again });
  if (!status) return failed(say("files.broke_off"), true);
  if (body?.file) return { state: "noted", message: body.file.notes?.join(" ") ?? "", file: null, path: body.file.path };
  if (body?.error?.code === "size") return failed(say("files.too_large"));
  if (body?.error?.message) return failed(body.error.message);
  return failed(status === 413 ? say("files.too_large") : say("files.not_taken"), true);
}

/** Sends the files that wait, one after the other. */
async function work() {
  if (busy) return;
  busy = true;
  const first = () => uploads.get().find((one) => one.state === "waiting");
  for (let next = first(); next; next = first()) {
    change(next.id, { state: "sending" });
    const { path, ...outcome } = outcomeOf(await post(next.address, next.file, (share) => change(next.id, { share })));
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

/** A place to which files are dropped, and a button that chooses them: `{zone, choose, picker}`, the properties of three elements. */
function useZone(className, onFiles) {
  const input = useRef(null);
  const [over, setOver] = useState(false);
  const onDrop = (event) => {
    event.preventDefault();
    setOver(false);
    onFiles(event.dataTransfer.files);
  };
  const onDragOver = (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const onChange = ({ target }) => {
    onFiles(target.files);
    target.value = "";
  };
  return {
    zone: { className: over ? `${className} over` : className, onDrop, onDragOver, onDragLeave: () => setOver(false) },
    choose: { onClick: () => input.current.click() },
    picker: { ref: input, onChange },
  };
}

/** Where files are uploaded into a chat. `target` is `{origin, limit, limitText}`, as `upload` takes it. */
export const useUploadZone = (chat, target) => useZone("upload-zone", (files) => upload(chat, files, target));

/**
 * Where files are sent to the route at `address`, one after the other: the zone, whether one is `going`, the share that is
 * `sent`, and a `problem`. `onTaken()` is called after each that the server has taken.
 */
export function useImport(address, limit, limitText, onTaken) {
  const [sent, setSent] = useState(null);
  const [problem, setProblem] = useState("");
  const send = async (file) => {
    if (file.size > limit) return say("imports.larger_than", { limit: limitText });
    setSent(0);
    const { status, body } = await post(address, file, setSent);
    setSent(null);
    if (!status) return say("imports.broke_off");
    if (status > 299) return body?.error?.message ?? say("imports.not_taken");
    onTaken?.();
    return "";
  };
  const zone = useZone("upload-zone import-zone", async (files) => {
    if (sent !== null) return;
    setProblem("");
    for (const file of [...files]) {
      const refused = await send(file);
      if (refused) setProblem(refused);
    }
  });
  const going = sent !== null;
  return { ...zone, choose: { ...zone.choose, disabled: going }, going, sent: sent ?? 0, problem };
}
