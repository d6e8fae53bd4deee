// The composer. Typing never waits for the server: the address of the page names the chat, the text is kept as a draft in
// the browser, and it is cleared only when the server has acknowledged the message.
import { createElement as h, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ArrowUp, Paperclip, Square } from "lucide-react";
import { useLocation } from "react-router";
import { Beside, standing } from "./attached.js";
import { NEW, unpack, useBringing } from "./bringing.js";
import { useChoices } from "./completion.js";
import { press } from "./shell.js";
import { forgetSent, keyFor, NOTHING, readBeside, readDraft, readSent, remembered, writeBeside, writeDraft } from "./drafts.js";
import { useTexts } from "./texts.js";
import { useUploads } from "./uploads.js";

const ANSWER_WITHIN_MS = 15000;
const CHAT = /^\/chat\/([^/]+)/;
/** The name of a guest's drafts and messages: a guest has one chat, at one address. */
const GUEST = "guest";

/** Messages that the server has not acknowledged, by chat; they outlive the page from which they were sent. */
const pending = new Map();

/** The chat of an address; every page except that of guests and chats begins new chats. */
const chatOf = (pathname) => CHAT.exec(pathname)?.[1] ?? (/^\/guest\/?$/.test(pathname) ? GUEST : NEW);

/** The chat in the address bar: the browser is there a moment before React has drawn the page. */
const here = () => chatOf(window.location.pathname);

/** The reason why a text cannot be sent, in words, or an empty string. */
export function refusal(t, text, limit) {
  if (!text.trim()) return t("composer.empty");
  const length = text.length > limit ? [...text].length : text.length;
  if (length > limit) return t("composer.too_long", { length, limit });
  return "";
}

/** Grows the box with its text, up to the maximum height of the style sheet. */
function grow(box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/**
 * Props: `person` (an id, empty until the server has named them), `shown` (the chat that the server shows, a moment behind
 * the address), `running` (whether an answer is written there), `acknowledged` ("<id>:ok:<chat>:<key>" or
 * "<id>:refused:<chat>:<key>", changed by the server after each message), `limit` (characters), `origin` (where the
 * routes answer, empty for here), `accept`, `fileLimit` (bytes), `fileLimitText`,
 * `onSend(chat, text, {mentions, files, once})` with the message's key, `onDoubt(chat, key)` (asks whether a message was
 * stored), `onStop()`, `children` (controls below the text).
 */
export function Composer({ person, shown, running, acknowledged, limit, origin, accept, fileLimit, fileLimitText, onSend, onDoubt, onStop, children }) {
  const t = useTexts();
  const guest = person === GUEST;
  const chat = chatOf(useLocation().pathname);
  const owner = person || remembered();
  const answering = running && shown === chat;
  const box = useRef(null);
  const form = useRef(null);
  const picker = useRef(null);
  const at = useRef({ chat: null, owner: "" });
  const typed = useRef(false);
  const latest = useRef(NOTHING);
  const [beside, showBeside] = useState(NOTHING);
  const [hint, setHint] = useState("");
  const [sending, setSending] = useState(null);
  const [filled, setFilled] = useState(false);
  const along = useUploads(chat, true);

  /** Shows and keeps the mentions and files of the message. */
  const setBeside = (next) => {
    latest.current = next;
    showBeside(next);
    writeBeside(owner, at.current.chat, next);
  };
  /** After every change of the text, by the reader or by a list. */
  const changed = () => {
    const { value } = box.current;
    grow(box.current);
    setFilled(value.trim() !== "");
    writeDraft(owner, at.current.chat, value);
    const kept = standing(value, latest.current.mentions);
    if (kept.length !== latest.current.mentions.length) setBeside({ ...latest.current, mentions: kept });
  };
  const rewrite = (from, to, text) => {
    box.current.focus({ preventScroll: true });
    box.current.setRangeText(text, from, to, "end");
    typed.current = true;
    changed();
  };
  const choices = useChoices({
    box,
    around: form,
    mentions: beside.mentions,
    names: !guest,
    origin,
    onName: ({ from, query }, file) => {
      const { id, name, kind, resourceKey } = file;
      const others = latest.current.mentions.filter((one) => one.id !== id);
      latest.current = { ...latest.current, mentions: [...others, { id, name, kind, ...(resourceKey ? { resourceKey } : {}) }] };
      rewrite(from, from + query.length + 1, `@${name} `);
      setBeside(latest.current);
    },
    onCommand: (command) => {
      rewrite(0, box.current.value.length, "");
      // A dialog that it opens takes the focus.
      setTimeout(() => press(command.press));
    },
  });

  const { attach, onPaste, over, offer } = useBringing({
    box, owner, at, latest, setBeside, rewrite, setHint, here, origin, limit: fileLimit, limitText: fileLimitText, guest,
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
    latest.current = readBeside(owner, to);
    showBeside(latest.current);
    grow(box.current);
    setFilled(box.current.value.trim() !== "");
    const left = pending.has(to) ? null : readSent(owner, to);
    if (left) pending.set(to, { ...left, before: "", late: true });
    if (!moved) return;
    const carried = to === NEW ? null : unpack();
    if (carried) {
      box.current.value = carried.text;
      setBeside(carried.beside);
      changed();
      attach({ files: carried.files });
    }
    offer.drop();
    const waiting = pending.get(to);
    setHint("");
    setSending(waiting && !waiting.late ? waiting : null);
    box.current.focus({ preventScroll: true });
  };
  const turnIfMoved = () => {
    if (at.current.chat !== here()) turn();
  };

  useLayoutEffect(turn, [chat, owner]);

  useEffect(() => {
    const element = box.current;
    element.addEventListener("beforeinput", turnIfMoved);
    return () => element.removeEventListener("beforeinput", turnIfMoved);
  });

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
    const timer = setTimeout(() => {
      sending.late = true;
      setSending(null);
      setHint(t("composer.late"));
    }, ANSWER_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [sending]);

  const send = () => {
    turnIfMoved();
    const to = at.current.chat;
    const text = box.current.value;
    const why = along.some((one) => one.going) ? t("composer.uploading") : refusal(t, text, limit);
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

  const onInput = (event) => {
    typed.current = true;
    changed();
    choices.look();
    if (hint) setHint("");
    offer.look();
  };
  const unname = ({ id, name }) => {
    const from = box.current.value.indexOf(`@${name}`);
    latest.current = { ...latest.current, mentions: latest.current.mentions.filter((one) => one.id !== id) };
    if (from >= 0) rewrite(from, from + name.length + 1, name);
    setBeside(latest.current);
  };
  const onKeyDown = (event) => {
    if (choices.onKeyDown(event)) return;
    // While an input method composes a character, Enter confirms it (229 is what Safari reports then).
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    // A key that is held down belongs to what had the focus before.
    if (!event.repeat) send();
  };

  const stop = h(
    "button",
    { key: "stop", type: "button", className: "send-button stop", "aria-label": t("composer.stop"), title: t("composer.stop"), onClick: () => onStop() },
    h(Square, { size: 13, fill: "currentColor", "aria-hidden": true }),
  );
  const submit = h(
    "button",
    {
      key: "send",
      type: "submit",
      className: "send-button",
      "aria-label": answering ? t("composer.queue") : t("composer.send"),
      title: answering ? t("composer.queue_title") : t("composer.send_title"),
      "aria-busy": sending !== null,
    },
    h(ArrowUp, { size: 18, "aria-hidden": true }),
  );
  return h(
    "form",
    {
      ref: form,
      className: over ? "composer over" : "composer",
      onSubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    h(Beside, {
      beside,
      uploads: along,
      onUnname: unname,
      onDetach: (path) => setBeside({ ...latest.current, files: latest.current.files.filter((one) => one !== path) }),
    }),
    h("textarea", {
      ref: box,
      name: "message",
      rows: 1,
      autoComplete: "off",
      "aria-label": t("composer.message"),
      "aria-describedby": "composer-hint",
      placeholder: guest ? t("guest.placeholder") : t("composer.placeholder"),
      enterKeyHint: "send",
      ...choices.attributes,
      onInput,
      onKeyDown,
      onPaste,
      onKeyUp: choices.look,
      onClick: choices.look,
    }),
    choices.list,
    offer.drawn,
    h(
      "div",
      { className: "composer-row" },
      h(
        "div",
        { className: "composer-note" },
        !guest && h(
          "button",
          { type: "button", className: "icon-button small", "aria-label": t("composer.attach"), title: t("composer.attach_title", { limit: fileLimitText }), onClick: () => picker.current.click() },
          h(Paperclip, { size: 17, "aria-hidden": true }),
        ),
        !guest && h("input", {
          ref: picker,
          type: "file",
          multiple: true,
          accept,
          hidden: true,
          "aria-label": t("files.to_upload"),
          onChange: (event) => {
            attach({ files: [...event.target.files] });
            event.target.value = "";
          },
        }),
        children,
      ),
      h("div", { className: "composer-send" }, answering && stop, (!answering || (filled && !guest)) && submit),
    ),
    h("p", { id: "composer-hint", className: "composer-hint", role: "alert" }, hint),
    over && h("p", { className: "composer-drop" }, t("composer.drop")),
  );
}
