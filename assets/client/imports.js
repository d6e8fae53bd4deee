// Sends a file of chats to the route that stores it; the state of the page shows its progress.
import { createElement as h, useRef, useState } from "react";
import { FileInput, TriangleAlert } from "lucide-react";
import { say, useTexts } from "./texts.js";

/** The reason why the server has refused a file. */
function refusal(request) {
  try {
    const message = JSON.parse(request.responseText)?.error?.message;
    if (message) return message;
  } catch {
    // A proxy's own words are not for people.
  }
  return say("imports.not_taken");
}

/** Props: `address` (of the route), `limit` (bytes), `limitText`. */
export function ImportDrop({ address, limit, limitText }) {
  const t = useTexts();
  const input = useRef(null);
  const [over, setOver] = useState(false);
  const [sent, setSent] = useState(null);
  const [problem, setProblem] = useState("");

  const send = (file) => {
    if (!file || sent !== null) return;
    if (file.size > limit) {
      setProblem(t("imports.larger_than", { limit: limitText }));
      return;
    }
    setProblem("");
    setSent(0);
    const request = new XMLHttpRequest();
    const done = (words) => {
      setSent(null);
      setProblem(words);
    };
    request.open("POST", address);
    request.withCredentials = true;
    request.upload.onprogress = (event) => event.lengthComputable && setSent(event.loaded / event.total);
    request.onload = () => done(request.status === 202 ? "" : refusal(request));
    request.onerror = () => done(say("imports.broke_off"));
    const body = new FormData();
    body.append("file", file, file.name);
    request.send(body);
  };
  const onDrop = (event) => {
    event.preventDefault();
    setOver(false);
    send(event.dataTransfer.files[0]);
  };
  const onDragOver = (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const onChange = (event) => {
    send(event.target.files[0]);
    event.target.value = "";
  };
  return h(
    "div",
    { className: over ? "upload-zone import-zone over" : "upload-zone import-zone", onDrop, onDragOver, onDragLeave: () => setOver(false) },
    h(
      "button",
      { type: "button", className: "button secondary", disabled: sent !== null, onClick: () => input.current.click() },
      h(FileInput, { size: 15, "aria-hidden": true }),
      t("imports.choose"),
    ),
    h("p", { className: "small-note" }, t("imports.drop", { limit: limitText })),
    h("input", { ref: input, type: "file", accept: ".json,.zip,application/json,application/zip", hidden: true, "aria-label": t("imports.file"), onChange }),
    sent !== null && h("progress", { value: sent, max: 1, "aria-label": t("imports.sending") }),
    h("p", { role: "alert", className: "import-said" }, problem && [h(TriangleAlert, { key: "icon", size: 15, "aria-hidden": true }), problem]),
  );
}
