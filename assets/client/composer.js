// The composer. Typing never waits for the server: the address of the page names the chat, the text is kept as a draft in
// the browser, and it is cleared only when the server has acknowledged the message.
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { forgetSent, keyFor, NOTHING, readBeside, readDraft, readSent, remembered, writeBeside, writeDraft } from "./drafts.js";
import { after, listen } from "./events.js";
import { press } from "./shell.js";
import { grow, refusal, useTextBox } from "./textbox.js";
import { useTexts } from "./texts.js";
import { filesOf, upload, useDrops, usePicker, useUploads } from "./uploads.js";

const ANSWER_WITHIN_MS = 15000;
const LONG_CHARACTERS = 10_000;
const CHAT = /^\/chat\/([^/]+)/;
/** The name of a new chat. */
const NEW = "dashboard";
/** The name of a guest's drafts and messages: a guest has one chat, at one address. */
const GUEST = "guest";

/** Messages that the server has not acknowledged, by chat; they outlive the page from which they were sent. */
const pending = new Map();

/** What is written while a new chat is being opened, with the files for it: `{text, beside, files, sends}`; null otherwise. */
let carried = null;

function pack(what = {}) {
  carried ??= { text: "", beside: NOTHING, files: [], sends: false, ...what };
}

/** The place of the uploads that come with the next message of a chat. */
const withMessage = (chat) => `message:${chat}`;

/** The chat of an address; every page except that of guests and chats begins new chats. */
const chatOf = (pathname) => CHAT.exec(pathname)?.[1] ?? (/^\/guest\/?$/.test(pathname) ? GUEST : NEW);

/** The chat in the address bar: the browser is there a moment before React has drawn the page. */
const here = () => chatOf(window.location.pathname);

/** How files come into a message: chosen, dropped, pasted, or made of a long text, which is an `offer` (of the length 0 without one). */
function useBringing({ box, owner, at, latest, setBeside, rewrite, setHint, origin, limit, limitText, guest }) {
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
    const found = filesOf(event.clipboardData);
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

/**
 * The composer as it is drawn. Options: `person` (an id, empty until the server has named them), `shown` (the chat that the
 * server shows, a moment behind the address), `running` (whether an answer is written there), `acknowledged`
 * ("<id>:ok:<chat>:<key>" or "<id>:refused:<chat>:<key>", changed by the server after each message), `opened` ("<id>:<chat>",
 * changed by the server when it has opened a new chat, without a name where it could not), `limit` (characters),
 * `origin` (where the routes answer, empty for here), `fileLimit` (bytes), `fileLimitText`,
 * `onSend(chat, text, {mentions, files, once})` with the message's key, `onDoubt(chat, key)` (asks whether a message was stored).
 * `commands` and `names` are those of `useChoices`.
 */
export function useComposer({ person, shown, running, acknowledged, opened, limit, origin, fileLimit, fileLimitText, onSend, onDoubt }, commands, names) {
  const t = useTexts();
  const guest = person === GUEST;
  const chat = chatOf(useLocation().pathname);
  const owner = person || remembered();
  const answering = running && shown === chat;
  const at = useRef({ chat: null, owner: "" });
  const typed = useRef(false);
  const [hint, setHint] = useState("");
  const [sending, setSending] = useState(null);
  const [filled, setFilled] = useState(false);
  const along = useUploads(withMessage(chat));

  const writing = useTextBox({
    names: guest ? undefined : names,
    commands,
    onChange: (text, beside) => {
      typed.current = true;
      setFilled(text.trim() !== "");
      if (carried) {
        Object.assign(carried, { text, beside });
        return;
      }
      writeDraft(owner, at.current.chat, text);
      writeBeside(owner, at.current.chat, beside);
    },
    onInput: () => {
      if (hint) setHint("");
      offer.look();
    },
    onCommand: (command) => {
      rewrite(0, box.current.value.length, "");
      // A dialog that it opens takes the focus.
      setTimeout(() => press(command.press));
    },
    onSend: () => send(),
  });
  const { box, latest, beside, put, setBeside, changed, rewrite, unname } = writing;
  const { attach, onPaste, over, offer } = useBringing({
    box, owner, at, latest, setBeside, rewrite, setHint, origin, limit: fileLimit, limitText: fileLimitText, guest,
  });

  const turn = () => {
    const before = at.current;
    const to = here();
    const first = before.chat === null;
    const moved = before.chat !== to;
    at.current = { chat: to, owner };
    // Text that was typed before the page's script ran, or since the chat was opened, stays.
    if (moved) typed.current = first && box.current.value !== "";
    else if (before.owner && before.owner !== owner) typed.current = false;
    if (typed.current) writeDraft(owner, to, box.current.value);
    else box.current.value = readDraft(owner, to);
    put(readBeside(owner, to));
    grow(box.current);
    setFilled(box.current.value.trim() !== "");
    const left = pending.has(to) ? null : readSent(owner, to);
    if (left) pending.set(to, { ...left, before: "", late: true });
    if (!moved) return;
    offer.drop();
    const waiting = pending.get(to);
    setHint("");
    setSending(waiting && !waiting.late ? waiting : null);
    box.current.focus({ preventScroll: true });
    if (to !== NEW) unfold();
  };
  /** Puts what was written while a chat was being opened into the box, and sends it if Enter was pressed. */
  const unfold = () => {
    const written = carried;
    carried = null;
    if (!written) return;
    if (written.text) {
      box.current.value = written.text;
      setBeside(written.beside);
      changed();
    }
    if (written.files.length) attach({ files: written.files });
    else if (written.sends) send();
  };
  const turnIfMoved = () => {
    if (at.current.chat !== here()) turn();
  };

  useLayoutEffect(turn, [chat, owner]);

  useEffect(() => listen(box.current, { beforeinput: turnIfMoved }));
  useEffect(() => listen(window, { online: () => setHint((said) => (said === t("composer.offline") ? "" : said)) }));
  useEffect(() => {
    const click = ({ target }) => {
      if (guest || carried || !target.closest("[data-new-chat]")) return;
      pack();
      box.current.value = "";
      put(NOTHING);
      // What is typed before the server has made the chat is written into the box.
      box.current.focus({ preventScroll: true });
    };
    return listen(document, { click }, true);
  });

  // The new chat is the one that is open, which was empty, or there is none: the page does not move.
  useEffect(() => {
    const [, to] = opened.split(":");
    if (!carried || (to && to !== at.current.chat)) return;
    box.current.value = readDraft(owner, at.current.chat);
    put(readBeside(owner, at.current.chat));
    if (!to) carried.files = [];
    unfold();
  }, [opened]);

  useEffect(() => {
    const [, outcome, of, key] = acknowledged.split(":");
    const waiting = pending.get(of);
    if (!waiting || waiting.before === acknowledged || waiting.key !== key) return;
    pending.delete(of);
    forgetSent(owner, of);
    const taken = outcome === "ok";
    if (taken && readDraft(owner, of) === waiting.text) {
      writeDraft(owner, of, "");
      writeBeside(owner, of, NOTHING);
    }
    if (of !== at.current.chat) return;
    if (taken && box.current.value === waiting.text) {
      box.current.value = "";
      setBeside(NOTHING);
      offer.drop();
    }
    // A hint about a message that came late is obsolete.
    if (taken) setHint("");
    changed();
    setSending(null);
    box.current.focus({ preventScroll: true });
    // Enter was pressed again before the server had said that it has the first message.
    if (taken && waiting.next) send();
  }, [acknowledged]);

  // A page that was loaded anew, or has had no reply, asks whether its message was stored.
  useEffect(() => {
    const waiting = pending.get(chat);
    if (waiting?.late) onDoubt(chat, waiting.key);
  }, [chat, owner, shown, running]);

  useEffect(() => {
    if (sending === null) return undefined;
    return after(ANSWER_WITHIN_MS, () => {
      sending.late = true;
      setSending(null);
      setHint(t("composer.late"));
    });
  }, [sending]);

  const send = () => {
    turnIfMoved();
    if (carried) {
      carried.sends = true;
      return;
    }
    const to = at.current.chat;
    const text = box.current.value;
    const held = navigator.onLine ? "" : t("composer.offline");
    const why = held || (along.some(({ state }) => state === "waiting" || state === "sending") ? t("composer.uploading") : refusal(t, text, limit));
    setHint(why);
    box.current.focus({ preventScroll: true });
    const before = pending.get(to);
    if (before?.late === false) before.next = !why && text !== before.text;
    if (why || before?.late === false) return;
    const waiting = { text, key: keyFor(owner, to, text), before: acknowledged, late: false };
    pending.set(to, waiting);
    setSending(waiting);
    onSend(to, text, { ...latest.current, once: waiting.key });
  };

  // The button goes away with its answer, and the focus would be lost.
  const onClick = ({ target }) => target.closest(".stop") && box.current.focus({ preventScroll: true });
  const detach = (path) => setBeside({ ...latest.current, files: latest.current.files.filter((one) => one !== path) });
  return {
    form: { ...writing.form, className: over ? "composer over" : "composer", onClick },
    chips: { ...beside, uploads: along, unname, detach },
    area: { ...writing.area, onPaste },
    list: writing.list,
    offer,
    ...usePicker((files) => attach({ files })),
    answering,
    sending: sending !== null,
    sendable: !answering || (filled && !guest),
    hint,
    over,
  };
}

/** What was written in a chat that is gone, for its page: `{text, take}`; `take()` goes on with it in a new chat, without files. */
export function useLeft(person, chat) {
  const owner = person || remembered();
  const navigate = useNavigate();
  const text = readDraft(owner, chat);
  const take = () => {
    const begun = readDraft(owner, NEW);
    const mentions = [NEW, chat].flatMap((one) => readBeside(owner, one).mentions);
    writeDraft(owner, NEW, begun ? `${begun}\n\n${text}` : text);
    writeBeside(owner, NEW, { mentions, files: [] });
    writeDraft(owner, chat, "");
    writeBeside(owner, chat, NOTHING);
    forgetSent(owner, chat);
    navigate("/dashboard");
  };
  return { text, take };
}
