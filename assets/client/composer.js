// The composer. Typing never waits for the server: the browser's own address says which chat it is for, the text lives
// here, is kept as a draft, and is cleared only when the server says that it has the message.
import { createElement as h, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ArrowUp, Square } from "lucide-react";
import { useLocation } from "react-router";
import { readDraft, remembered, writeDraft } from "./drafts.js";
import { useTexts } from "./texts.js";

const ANSWER_WITHIN_MS = 15000;
const CHAT = /^\/chat\/([^/]+)/;

/** Messages that the server has not acknowledged, by chat; they outlive the page that they were sent from. */
const pending = new Map();

/** The chat of an address; every other page of Leaf's begins new chats. */
const chatOf = (pathname) => CHAT.exec(pathname)?.[1] ?? "dashboard";

/** The chat in the address bar: the browser is there a moment before React has drawn the page. */
const here = () => chatOf(window.location.pathname);

/** Why a text cannot be sent, as said by `t`, or an empty string. */
export function refusal(t, text, limit, running) {
  if (!text.trim()) return t("composer.empty");
  const length = text.length > limit ? [...text].length : text.length;
  if (length > limit) return t("composer.too_long", { length, limit });
  return running ? t("composer.running") : "";
}

/** Lets the box grow with its text, up to its greatest height in the style sheet. */
function grow(box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/**
 * Props: `person` (an id, empty until the server has said it), `shown` (the chat that the server shows, a moment behind
 * the address), `running` (whether an answer is written there), `acknowledged` ("<id>:ok:<chat>" or
 * "<id>:refused:<chat>", changed by the server after each message), `limit` (characters), `onSend(chat, text)`,
 * `onStop()`, `children` (what stands below the text).
 */
export function Composer({ person, shown, running, acknowledged, limit, onSend, onStop, children }) {
  const t = useTexts();
  const chat = chatOf(useLocation().pathname);
  const owner = person || remembered();
  const answering = running && shown === chat;
  const box = useRef(null);
  const at = useRef({ chat: null, owner: "" });
  const typed = useRef(false);
  const [hint, setHint] = useState("");
  const [sending, setSending] = useState(null);

  const turn = () => {
    const before = at.current;
    const to = here();
    const first = before.chat === null;
    const moved = before.chat !== to;
    at.current = { chat: to, owner };
    // What was typed before the page's script ran, or since the chat was opened, stays.
    if (moved) typed.current = first && box.current.value !== "";
    else if (before.owner && before.owner !== owner) typed.current = false;
    if (typed.current) writeDraft(owner, to, box.current.value);
    else box.current.value = readDraft(owner, to);
    grow(box.current);
    if (!moved) return;
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
    const [, outcome, of] = acknowledged.split(":");
    const waiting = pending.get(of);
    if (!waiting || waiting.before === acknowledged) return;
    pending.delete(of);
    const taken = outcome === "ok";
    if (taken && readDraft(owner, of) === waiting.text) writeDraft(owner, of, "");
    if (of !== at.current.chat) return;
    if (taken && box.current.value === waiting.text) box.current.value = "";
    grow(box.current);
    setSending(null);
    box.current.focus({ preventScroll: true });
  }, [acknowledged]);

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
    const why = refusal(t, text, limit, running && shown === to);
    setHint(why);
    box.current.focus({ preventScroll: true });
    if (why || pending.get(to)?.late === false) return;
    const waiting = { text, before: acknowledged, late: false };
    pending.set(to, waiting);
    setSending(waiting);
    onSend(to, text);
  };

  const onInput = (event) => {
    grow(event.target);
    typed.current = true;
    writeDraft(owner, at.current.chat, event.target.value);
    if (hint) setHint("");
  };
  const onKeyDown = (event) => {
    // While an input method composes a character, Enter confirms it (229 is what Safari reports then).
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    // A key that is held down belongs to what had the focus before.
    if (!event.repeat) send();
  };

  return h(
    "form",
    {
      className: "composer",
      onSubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    h("textarea", {
      ref: box,
      name: "message",
      rows: 1,
      autoComplete: "off",
      "aria-label": t("composer.message"),
      "aria-describedby": "composer-hint",
      placeholder: t("composer.placeholder"),
      enterKeyHint: "send",
      onInput,
      onKeyDown,
    }),
    h(
      "div",
      { className: "composer-row" },
      h("div", { className: "composer-note" }, children),
      answering
        ? h(
            "button",
            { type: "button", className: "send-button stop", "aria-label": t("composer.stop"), title: t("composer.stop"), onClick: () => onStop() },
            h(Square, { size: 13, fill: "currentColor", "aria-hidden": true }),
          )
        : h(
            "button",
            {
              type: "submit",
              className: "send-button",
              "aria-label": t("composer.send"),
              title: t("composer.send_title"),
              "aria-busy": sending !== null,
            },
            h(ArrowUp, { size: 18, "aria-hidden": true }),
          ),
    ),
    h("p", { id: "composer-hint", className: "composer-hint", role: "alert" }, hint),
  );
}
