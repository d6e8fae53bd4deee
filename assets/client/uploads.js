// Uploads: into a chat, in the panel of its files or with a message, files of chats, and files of agents. The browser sends
// each file by itself to an HTTP route, so that its progress is seen, and a refused file stops no other. Uploads go on when
// the panel is closed. They are drawn by `leaf/components/files.py` (`upload_zone`, `upload_list`).
import { useRef, useState } from "react";
import { createStore } from "./store.js";
import { say } from "./texts.js";

/**
 * All uploads of this tab that are under way or have a message: `{id, place, address, name, file, state, share, message, again,
 * onTaken}` with the state waiting, sending, failed or noted.
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
  if (status < 300) return { state: "noted", message: body?.file?.notes?.join(" ") ?? "", file: null, path: body?.file?.path };
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
    if (outcome.state === "noted") next.onTaken?.(path);
    if (outcome.message) change(next.id, outcome);
    else drop(next.id);
  }
  busy = false;
}

/**
 * Sends files to the route at `address`; they are listed in a `place`, which is an id of a chat or another name. A file may have
 * `limit` bytes; `onTaken(path)` is called for each that the server has taken, with its path in a chat.
 */
export function upload(place, files, { address, limit, limitText, onTaken }) {
  const added = [...files].map((file) => {
    number += 1;
    const about = { id: number, place, address, name: file.name, file, share: 0, onTaken };
    if (file.size <= limit) return { ...about, state: "waiting" };
    return { ...about, state: "failed", message: say("files.larger_than", { limit: limitText }) };
  });
  uploads.set([...uploads.get(), ...added]);
  work();
}

function sendAgain(id) {
  change(id, { state: "waiting", share: 0, message: "" });
  work();
}

/** The uploads that are listed in a place; each has `drop()` and `sendAgain()`. */
export function useUploads(place) {
  const mine = uploads.use((all) => all).filter((one) => one.place === place);
  return mine.map((one) => ({
    ...one,
    going: one.state === "waiting" || one.state === "sending",
    failed: one.state === "failed",
    drop: () => drop(one.id),
    sendAgain: () => sendAgain(one.id),
  }));
}

/**
 * Where files are dropped for a place, and a button that chooses them: the properties of three elements, `zone`, `choose` and
 * `picker`, and whether files are held `over` the zone. `target` says where they are sent, as `upload` takes it.
 */
export function useUploadZone(place, target) {
  const input = useRef(null);
  const [over, setOver] = useState(false);
  const onDrop = (event) => {
    event.preventDefault();
    setOver(false);
    upload(place, event.dataTransfer.files, target);
  };
  const onDragOver = (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const onChange = ({ target: field }) => {
    upload(place, field.files, target);
    field.value = "";
  };
  return {
    over,
    zone: { onDrop, onDragOver, onDragLeave: () => setOver(false) },
    choose: { onClick: () => input.current.click() },
    picker: { ref: input, onChange },
  };
}
