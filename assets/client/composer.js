// The composer. Typing never waits for the server: the text lives here, is kept as a draft for each chat, and is
// cleared only when the server says that it has the message.
import { createElement as h, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ArrowUp, Square } from "lucide-react";

const DRAFT = "leaf:draft:";
const ANSWER_WITHIN_MS = 15000;

function readDraft(chat) {
  try {
    return localStorage.getItem(DRAFT + chat) ?? "";
  } catch {
    return "";
  }
}

function writeDraft(chat, text) {
  try {
    if (text) localStorage.setItem(DRAFT + chat, text);
    else localStorage.removeItem(DRAFT + chat);
  } catch {
    // Storage is full or refused; the text is still in the box.
  }
}

/** Why a text cannot be sent, or an empty string. */
export function refusal(text, limit, running) {
  if (!text.trim()) return "Write a message first.";
  const length = text.length > limit ? [...text].length : text.length;
  if (length > limit) {
    return `This message has ${length.toLocaleString("en")} characters; up to ${limit.toLocaleString("en")} can be sent at once.`;
  }
  return running ? "Leaf is still answering. Wait for it, or press Stop." : "";
}

/** Lets the box grow with its text, up to its greatest height in the style sheet. */
function grow(box) {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/**
 * Props: `chat` (id), `running`, `acknowledged` ("<n>:ok" or "<n>:refused", changed by the server after each
 * message), `limit` (characters), `onSend(chat, text)`, `onStop()`, `children` (what stands below the text).
 */
export function Composer({ chat, running, acknowledged, limit, onSend, onStop, children }) {
  const box = useRef(null);
  const [hint, setHint] = useState("");
  const [sending, setSending] = useState(null);
  const sent = useRef(null);

  useLayoutEffect(() => {
    if (!box.current || !chat) return;
    box.current.value = readDraft(chat);
    grow(box.current);
    setHint("");
    setSending(null);
    box.current.focus({ preventScroll: true });
  }, [chat]);

  useEffect(() => {
    if (sent.current === null) return;
    if (acknowledged.endsWith(":ok") && box.current) {
      const left = box.current.value === sent.current ? "" : box.current.value;
      box.current.value = left;
      writeDraft(chat, left);
      grow(box.current);
    }
    sent.current = null;
    setSending(null);
    box.current?.focus({ preventScroll: true });
  }, [acknowledged]);

  useEffect(() => {
    if (sending === null) return undefined;
    const timer = setTimeout(() => {
      setSending(null);
      setHint("The server has not answered yet. Your message is kept here.");
    }, ANSWER_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [sending]);

  const send = useCallback(() => {
    const text = box.current?.value ?? "";
    const why = refusal(text, limit, running);
    setHint(why);
    box.current?.focus({ preventScroll: true });
    if (why || sending !== null) return;
    sent.current = text;
    setSending(text);
    onSend(chat, text);
  }, [chat, limit, running, sending, onSend]);

  const onInput = (event) => {
    grow(event.target);
    writeDraft(chat, event.target.value);
    if (hint) setHint("");
  };
  const onKeyDown = (event) => {
    // While an input method composes a character, Enter confirms it (229 is what Safari reports then).
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    send();
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
      "aria-label": "Message",
      "aria-describedby": "composer-hint",
      placeholder: "Ask about anything in your Drive",
      enterKeyHint: "send",
      onInput,
      onKeyDown,
    }),
    h(
      "div",
      { className: "composer-row" },
      h("div", { className: "composer-note" }, children),
      running
        ? h(
            "button",
            { type: "button", className: "send-button stop", "aria-label": "Stop", title: "Stop", onClick: () => onStop() },
            h(Square, { size: 13, fill: "currentColor", "aria-hidden": true }),
          )
        : h(
            "button",
            {
              type: "submit",
              className: "send-button",
              "aria-label": "Send",
              title: "Send (Enter)",
              "aria-busy": sending !== null,
            },
            h(ArrowUp, { size: 18, "aria-hidden": true }),
          ),
    ),
    h("p", { id: "composer-hint", className: "composer-hint", role: "alert" }, hint),
  );
}
