// Reading an answer aloud, by the browser's own voices; nothing leaves the browser for it that it does not send itself.
import { createElement as h, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Square, Volume2 } from "lucide-react";
import { useTexts } from "./texts.js";

/** What is for the eyes: code, formulas, diagrams, tables, numbers of quotes, buttons. */
const UNSPOKEN = "pre, .md-code, .formula, .diagram, table, button, .cite, [aria-hidden='true'], svg";
const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, blockquote";
/** Some browsers fall silent in the middle of a longer one. */
const PIECE_CHARACTERS = 220;

const canSpeak = () => "speechSynthesis" in window && "SpeechSynthesisUtterance" in window;
const never = () => () => {};

/** The text of an answer as it is spoken: without marks, code and what is for the eyes. */
export function spokenOf(message) {
  return [...message.querySelectorAll(".md")].flatMap((text) => {
    const copy = text.cloneNode(true);
    copy.querySelectorAll(UNSPOKEN).forEach((one) => one.remove());
    const blocks = [...copy.querySelectorAll(BLOCKS)].filter((one) => !one.querySelector(BLOCKS));
    return (blocks.length ? blocks : [copy]).map((one) => one.textContent.replace(/\s+/g, " ").trim()).filter(Boolean);
  });
}

/** Pieces of a text that end with a sentence, or else with a word. */
export function piecesOf(text) {
  const pieces = [];
  for (const sentence of text.match(/[^.!?。！？]+[.!?。！？]*\s*|[.!?。！？]+\s*/g) ?? []) {
    const last = pieces.at(-1);
    if (last && last.length + sentence.length <= PIECE_CHARACTERS) pieces[pieces.length - 1] += sentence;
    else for (let rest = sentence; rest; ) {
      const cut = rest.length > PIECE_CHARACTERS ? rest.lastIndexOf(" ", PIECE_CHARACTERS) + 1 || PIECE_CHARACTERS : rest.length;
      pieces.push(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
  }
  return pieces;
}

/** Who reads at the moment: one at a time. */
let stopOther = null;

export function ReadAloud() {
  const t = useTexts();
  const able = useSyncExternalStore(never, canSpeak, () => false);
  const button = useRef(null);
  const [reading, setReading] = useState(false);
  const stop = useRef(null);
  useEffect(() => () => stop.current?.(), []);
  if (!able) return null;

  const begin = () => {
    stopOther?.();
    const pieces = spokenOf(button.current.closest(".message")).flatMap(piecesOf);
    if (!pieces.length) return;
    const end = () => {
      if (stop.current !== end) return;
      stop.current = null;
      if (stopOther === end) stopOther = null;
      window.speechSynthesis.cancel();
      setReading(false);
    };
    stop.current = end;
    stopOther = end;
    window.speechSynthesis.cancel();
    pieces.forEach((piece, at) => {
      const utterance = new SpeechSynthesisUtterance(piece);
      utterance.lang = document.documentElement.lang;
      if (at === pieces.length - 1) utterance.onend = end;
      utterance.onerror = (event) => event.error !== "interrupted" && event.error !== "canceled" && end();
      window.speechSynthesis.speak(utterance);
    });
    setReading(true);
  };
  const label = reading ? t("versions.stop_reading") : t("versions.read_aloud");
  return h(
    "button",
    { ref: button, type: "button", className: "icon-button small", "aria-label": label, title: label, "aria-pressed": reading, onClick: () => (reading ? stop.current?.() : begin()) },
    h(reading ? Square : Volume2, { size: 15, "aria-hidden": true }),
  );
}
