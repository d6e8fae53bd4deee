// Uploads into a chat. The browser sends each file by itself to an HTTP route, so that it can show how far it has come,
// and so that one that is refused keeps no other from arriving. They go on when the panel is closed.
import { createElement as h, useRef, useState, useSyncExternalStore } from "react";
import { RotateCcw, TriangleAlert, Upload, X } from "lucide-react";
import { say, useTexts } from "./texts.js";

const WAITING = "waiting";
const SENDING = "sending";
const FAILED = "failed";
const NOTED = "noted";

/**
 * All uploads of this tab that are under way or have something to say: `{id, chat, name, file, state, share, said}`; those
 * that come with a message also have `onTaken(path)`.
 */
let uploads = [];
let number = 0;
let busy = false;
const readers = new Set();

const subscribe = (reader) => {
  readers.add(reader);
  return () => readers.delete(reader);
};

function set(next) {
  uploads = next;
  for (const reader of readers) reader();
}

const change = (id, values) => set(uploads.map((one) => (one.id === id ? { ...one, ...values } : one)));
export const drop = (id) => set(uploads.filter((one) => one.id !== id));

/** What the server's answer says, or why there is none. */
function told(request) {
  let body = null;
  try {
    body = JSON.parse(request.responseText);
  } catch {
    // A proxy may answer in its own words, which are not for people.
  }
  if (body?.file) return { notes: body.file.notes, path: body.file.path };
  if (body?.error?.code === "size") return { refused: say("files.too_large") };
  if (body?.error?.message) return { refused: body.error.message };
  return { refused: request.status === 413 ? say("files.too_large") : say("files.not_taken"), again: true };
}

function send(upload, address) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.withCredentials = true;
    request.upload.onprogress = (event) =>
      event.lengthComputable && change(upload.id, { share: event.loaded / event.total });
    request.onload = () => done(told(request));
    request.onerror = () => done({ refused: say("files.broke_off"), again: true });
    const body = new FormData();
    body.append("file", upload.file, upload.name);
    request.send(body);
  });
}

async function work(addressOf) {
  if (busy) return;
  busy = true;
  for (let next = first(); next; next = first()) {
    change(next.id, { state: SENDING });
    const { refused, again, notes, path } = await send(next, addressOf(next.chat));
    if (path) next.onTaken?.(path);
    if (refused) change(next.id, { state: FAILED, said: refused, again: Boolean(again) });
    else if (notes?.length) change(next.id, { state: NOTED, said: notes.join(" "), file: null });
    else drop(next.id);
  }
  busy = false;
}

const first = () => uploads.find((one) => one.state === WAITING);

function add(chat, files, limit, limitText, onTaken) {
  const added = [...files].map((file) => {
    number += 1;
    const about = { id: number, chat, name: file.name, file, share: 0, said: "", again: false, onTaken };
    if (file.size > limit) return { ...about, state: FAILED, said: say("files.larger_than", { limit: limitText }) };
    return { ...about, state: WAITING };
  });
  set([...uploads, ...added]);
}

/** Sends files that come with a message; `onTaken(path)` for each, once the server has it. */
export function sendAlong(chat, files, { origin, limit, limitText, onTaken }) {
  add(chat, files, limit, limitText, onTaken);
  work((of) => `${origin}/api/chats/${of}/files`);
}

/** The uploads that come with the next message of a chat, as long as they are under way or have something to say. */
export function useAlong(chat) {
  const all = useSyncExternalStore(subscribe, () => uploads, () => uploads);
  return all
    .filter((one) => one.chat === chat && one.onTaken)
    .map((one) => ({ ...one, failed: one.state === FAILED, noted: one.state === NOTED, going: one.state === WAITING || one.state === SENDING }));
}

function Entry({ upload, onAgain }) {
  const t = useTexts();
  const failed = upload.state === FAILED;
  const going = upload.state === WAITING || upload.state === SENDING;
  const percent = Math.round(upload.share * 100);
  const said = going ? (upload.state === WAITING ? t("files.waiting") : percent < 100 ? t.number(upload.share, { style: "percent" }) : t("files.reading")) : upload.said;
  return h(
    "li",
    { className: failed ? "upload failed" : "upload" },
    failed && h(TriangleAlert, { size: 15, "aria-hidden": true }),
    h(
      "div",
      { className: "upload-text" },
      h("span", { className: "file-path" }, upload.name),
      h("span", { className: "upload-said" }, failed ? t("files.not_uploaded", { reason: said }) : said),
      going && h("progress", { value: upload.share, max: 1, "aria-label": t("files.upload_of", { name: upload.name }) }),
    ),
    failed &&
      upload.again &&
      h(
        "button",
        { type: "button", className: "icon-button small", "aria-label": t("files.try_again", { name: upload.name }), onClick: onAgain },
        h(RotateCcw, { size: 15, "aria-hidden": true }),
      ),
    !going &&
      h(
        "button",
        { type: "button", className: "icon-button small", "aria-label": t("files.dismiss", { name: upload.name }), onClick: () => drop(upload.id) },
        h(X, { size: 15, "aria-hidden": true }),
      ),
  );
}

/** Props: `chat`, `origin` (where the routes answer, empty for here), `accept`, `limit` (bytes), `limitText`. */
export function Uploads({ chat, origin, accept, limit, limitText }) {
  const t = useTexts();
  const input = useRef(null);
  const [over, setOver] = useState(false);
  const mine = useSyncExternalStore(subscribe, () => uploads).filter((one) => one.chat === chat && !one.onTaken);
  const addressOf = (of) => `${origin}/api/chats/${of}/files`;
  const take = (files) => {
    add(chat, files, limit, limitText);
    work(addressOf);
  };
  const onDrop = (event) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const onDragOver = (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const onAgain = (id) => {
    change(id, { state: WAITING, share: 0, said: "" });
    work(addressOf);
  };
  const onChange = (event) => {
    take(event.target.files);
    event.target.value = "";
  };
  return h(
    "div",
    { className: "uploads" },
    h(
      "div",
      { className: over ? "upload-zone over" : "upload-zone", onDrop, onDragOver, onDragLeave: () => setOver(false) },
      h(
        "button",
        { type: "button", className: "button secondary", onClick: () => input.current.click() },
        h(Upload, { size: 15, "aria-hidden": true }),
        t("files.upload"),
      ),
      h("p", { className: "small-note" }, t("files.drop", { limit: limitText })),
      h("input", { ref: input, type: "file", multiple: true, accept, hidden: true, "aria-label": t("files.to_upload"), onChange }),
    ),
    h(
      "ul",
      { className: "upload-list", "aria-label": t("files.uploads"), "aria-live": "polite" },
      mine.map((one) => h(Entry, { key: one.id, upload: one, onAgain: () => onAgain(one.id) })),
    ),
  );
}
