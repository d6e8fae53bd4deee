// Reading an answer aloud, with the browser's own voices; Leaf sends nothing anywhere for it.
import { useEffect, useRef, useState, useSyncExternalStore } from "react";

/** Elements for the eyes only: code, formulas, diagrams, tables, numbers of quotes, buttons. */
const UNSPOKEN = "pre, .md-code, .formula, .diagram, table, button, .cite, [aria-hidden='true'], svg";
const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, blockquote";
/** Pieces end with a sentence, or else with a word: some browsers fall silent in the middle of more than 220 characters. */
const PIECES = /\S.{0,219}$|\S.{0,218}(?:[.!?…](?=\s|$)|[。！？])|\S.{0,219}(?=\s|$)|\S.{0,219}/gsu;

const canSpeak = () => "speechSynthesis" in window && "SpeechSynthesisUtterance" in window;
const never = () => () => {};

/** The text of an answer for speaking, block by block. */
function spokenOf(message) {
  return [...message.querySelectorAll(".md")].flatMap((text) => {
    const copy = text.cloneNode(true);
    copy.querySelectorAll(UNSPOKEN).forEach((one) => one.remove());
    const blocks = [...copy.querySelectorAll(BLOCKS)].filter((one) => !one.querySelector(BLOCKS));
    return (blocks.length ? blocks : [copy]).map((one) => one.textContent.replace(/\s+/g, " ").trim()).filter(Boolean);
  });
}

/** Ends the current reading: there is at most one. */
let stopReading = null;

/** Reading aloud: whether the browser is `able` to and is `reading`, and the properties of the `button` in the answer. */
export function useReadAloud() {
  const able = useSyncExternalStore(never, canSpeak, () => false);
  const button = useRef(null);
  const stop = useRef(null);
  const [reading, setReading] = useState(false);
  useEffect(() => () => stop.current?.(), []);

  const begin = () => {
    stopReading?.();
    const pieces = spokenOf(button.current.closest(".message")).flatMap((text) => text.match(PIECES));
    if (!pieces.length) return;
    const end = () => {
      if (stop.current !== end) return;
      stop.current = null;
      if (stopReading === end) stopReading = null;
      window.speechSynthesis.cancel();
      setReading(false);
    };
    stop.current = stopReading = end;
    window.speechSynthesis.cancel();
    pieces.forEach((piece, at) => {
      const utterance = new SpeechSynthesisUtterance(piece);
      utterance.lang = document.documentElement.lang;
      if (at === pieces.length - 1) utterance.onend = end;
      utterance.onerror = ({ error }) => error !== "interrupted" && error !== "canceled" && end();
      window.speechSynthesis.speak(utterance);
    });
    setReading(true);
  };
  const onClick = () => (reading ? stop.current?.() : begin());
  return { able, reading, button: { ref: button, "aria-pressed": reading, onClick } };
}
