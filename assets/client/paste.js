// Pasted and dropped files, and long texts that are better sent as files.
import { useEffect, useState } from "react";
import { NOTHING, readBeside, writeBeside } from "./drafts.js";
import { listen } from "./events.js";
import { press } from "./shell.js";
import { useTexts } from "./texts.js";
import { upload } from "./uploads.js";

/** The composer's name of a new chat. */
export const NEW = "dashboard";
const LONG_CHARACTERS = 10_000;

/** What is written while a new chat is being opened, with the files for it: `{text, beside, files, sends}`; null otherwise. */
let carried = null;

/** Keeps for the new chat, which the server was asked for, what is written until it is there. */
export function pack(what = {}) {
  carried ??= { text: "", beside: NOTHING, files: [], sends: false, ...what };
}

export const packed = () => carried;

/** What was written for the chat that is open by now. */
export function unpack() {
  const what = carried;
  carried = null;
  return what;
}

/** The place of the uploads that come with the next message of a chat. */
export const withMessage = (chat) => `message:${chat}`;

const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
const ownZone = (event) => event.target.closest?.(".upload-zone, dialog");

/** The dropped files, and whether there was a folder, whose content browsers do not give. */
function dropped(transfer) {
  const items = [...(transfer.items ?? [])].filter((one) => one.kind === "file");
  const folders = items.map((one) => Boolean(one.webkitGetAsEntry?.()?.isDirectory));
  const files = [...transfer.files].filter((_, at) => !folders[at]);
  return { files, folder: folders.includes(true) };
}

/** Takes files that are dropped anywhere on the page, so that the browser does not leave it to show them. */
function useDrops(onDrop) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const dragover = (event) => {
      if (!hasFiles(event) || ownZone(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const dragleave = (event) => event.relatedTarget === null && setOver(false);
    const drop = (event) => {
      setOver(false);
      if (!hasFiles(event) || ownZone(event)) return;
      event.preventDefault();
      onDrop(dropped(event.dataTransfer));
    };
    return listen(document, { dragover, dragleave, drop });
  });
  return over;
}

/**
 * The ways in which files come into a message: `{attach({files, folder}), onPaste, over, offer}`, where `over` says that files
 * are held over the page, and `offer` is that of making a pasted text a file: `{length, onClick, look(), drop()}`, of which
 * the length is 0 without one.
 *
 * Takes refs of the composer (`box`, `at`, `latest`) and functions that change it (`setBeside`, `rewrite(from, to, text)`,
 * `setHint`). A `guest` brings no files.
 */
export function useBringing({ box, owner, at, latest, setBeside, rewrite, setHint, here, origin, limit, limitText, guest }) {
  const t = useTexts();
  const [pasted, setPasted] = useState(null);

  const attach = ({ files, folder = false }) => {
    if (guest) {
      setHint(t("guest.no_files"));
      return;
    }
    setHint(folder ? t("composer.no_folder") : "");
    if (!files.length) return;
    const to = here();
    if (to === NEW) {
      // Files belong to a chat: one is opened for them, and the text goes with them.
      const written = { text: box.current.value, beside: latest.current, files };
      rewrite(0, box.current.value.length, "");
      pack(written);
      press("[data-new-chat]");
      return;
    }
    const onTaken = (path) => {
      setHint("");
      const mine = at.current.chat === to;
      const known = mine ? latest.current : readBeside(owner, to);
      const next = { ...known, files: [...known.files.filter((one) => one !== path), path] };
      if (mine) setBeside(next);
      else writeBeside(owner, to, next);
    };
    upload(withMessage(to), files, { address: `${origin}/api/chats/${to}/files`, limit, limitText, onTaken });
  };
  const over = useDrops(attach);

  const onPaste = (event) => {
    const found = dropped(event.clipboardData);
    // A copied table is also offered as a picture: the text is wanted.
    if (found.files.length && !event.clipboardData.types.includes("text/plain")) {
      event.preventDefault();
      attach(found);
      return;
    }
    const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n");
    if (text.length > LONG_CHARACTERS && !guest) setPasted(text);
  };
  const asFile = () => {
    const from = box.current.value.lastIndexOf(pasted);
    setPasted(null);
    if (from < 0) return;
    rewrite(from, from + pasted.length, "");
    attach({ files: [new File([pasted], `${t("composer.pasted_name")}.txt`, { type: "text/plain" })] });
  };
  const look = () => pasted && !box.current.value.includes(pasted) && setPasted(null);
  return { attach, onPaste, over, offer: { length: pasted?.length ?? 0, onClick: asFile, look, drop: () => setPasted(null) } };
}
