// Uploads: into a chat, in the panel of its files or with a message, files of chats, and files of agents. The browser sends
// each file by itself to an HTTP route, so that its progress is seen, and a refused file stops no other.
import { useEffect, useRef, useState } from "react";
import { listen } from "./events.js";
import { createStore } from "./store.js";
import { say } from "./texts.js";

/** All uploads of this tab that are under way or have a message; their state is waiting, sending, failed or noted. */
const uploads = createStore([]);
let number = 0;

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
    request.setRequestHeader("x-leaf-language", document.documentElement.lang);
    request.upload.onprogress = (event) => event.lengthComputable && onShare(event.loaded / event.total);
    request.onloadend = () => done({ status: request.status, body: request.response });
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

let before = Promise.resolve();

/** Sends a file once those before it have been sent. */
function queue({ id, address, file, onTaken }) {
  before = before.then(async () => {
    change(id, { state: "sending" });
    const { path, ...outcome } = outcomeOf(await post(address, file, (share) => change(id, { share })));
    if (outcome.state === "noted") onTaken?.(path);
    if (outcome.message) change(id, outcome);
    else drop(id);
  });
}

/** Sends files of at most `limit` bytes; they are listed in a `place`. `onTaken(path)` is called for each that the server has taken. */
export function upload(place, files, { address, limit, limitText, onTaken }) {
  for (const file of files) {
    number += 1;
    const id = number;
    const sendAgain = () => {
      change(id, { state: "waiting", share: 0, message: "" });
      queue(one);
    };
    const one = { id, place, address, name: file.name, file, state: "waiting", share: 0, onTaken, sendAgain, drop: () => drop(id) };
    const tooLarge = file.size > limit && { state: "failed", message: say("files.larger_than", { limit: limitText }) };
    uploads.set([...uploads.get(), { ...one, ...tooLarge }]);
    if (!tooLarge) queue(one);
  }
}

export const useUploads = (place) => uploads.use((all) => all).filter((one) => one.place === place);

/** The dropped files, whether there was a folder, whose content browsers do not give, and `all` of both. */
export function filesOf(transfer) {
  const items = [...(transfer.items ?? [])].filter((one) => one.kind === "file");
  const folders = items.map((one) => Boolean(one.webkitGetAsEntry?.()?.isDirectory));
  const all = [...transfer.files];
  return { files: all.filter((_, at) => !folders[at]), folder: folders.includes(true), all };
}

/** Takes files that are dropped on a `zone` (a ref), or anywhere else on the page without one; true while files are held over it. */
export function useDrops(onDrop, zone) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const target = zone?.current ?? document;
    const theirs = ({ target: at, dataTransfer }) => !dataTransfer?.types.includes("Files") || (!zone && at.closest?.(".upload-zone, dialog"));
    const dragover = (event) => {
      if (theirs(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const dragleave = ({ relatedTarget }) => target.contains(relatedTarget) || setOver(false);
    const drop = (event) => {
      setOver(false);
      if (theirs(event)) return;
      event.preventDefault();
      onDrop(filesOf(event.dataTransfer));
    };
    return listen(target, { dragover, dragleave, drop });
  });
  return over;
}

/** A button that chooses files: its properties, and those of the field that takes them. */
export function usePicker(onFiles) {
  const input = useRef(null);
  const onChange = ({ target }) => {
    onFiles([...target.files]);
    target.value = "";
  };
  return { choose: { onClick: () => input.current.click() }, picker: { ref: input, onChange } };
}

/** Where files are dropped for a place, and a button that chooses them; `target` is that of `upload`. */
export function useUploadZone(place, target) {
  const zone = useRef(null);
  const send = (files) => upload(place, files, target);
  // A folder is listed as a file that could not be sent.
  const over = useDrops(({ all }) => send(all), zone);
  return { over, zone: { ref: zone }, ...usePicker(send) };
}
