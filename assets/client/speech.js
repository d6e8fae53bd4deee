// Reading an answer aloud, with the browser's own voices; Leaf sends nothing anywhere for it.
import { useEffect, useRef, useSyncExternalStore } from "react";
import { createStore } from "./store.js";

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

/** What is read at the moment, `{button}`; there is at most one. */
const spoken = createStore(null);

function stop() {
  spoken.set(null);
  window.speechSynthesis.cancel();
}

/** Reading aloud: whether the browser is `able` to and is `reading`, and the properties of the `button` in the answer. */
export function useReadAloud() {
  const able = useSyncExternalStore(never, canSpeak, () => false);
  const button = useRef(null);
  const reading = spoken.use((one) => one?.button === button);
  useEffect(() => () => spoken.get()?.button === button && stop(), []);
  const onClick = () => {
    const pieces = reading ? [] : spokenOf(button.current.closest(".message")).flatMap((text) => text.match(PIECES));
    if (spoken.get()) stop();
    if (!pieces.length) return;
    const own = { button };
    const end = () => spoken.get() === own && stop();
    window.speechSynthesis.cancel();
    for (const [at, piece] of pieces.entries()) {
      const utterance = new SpeechSynthesisUtterance(piece);
      utterance.lang = document.documentElement.lang;
      if (at === pieces.length - 1) utterance.onend = end;
      utterance.onerror = ({ error }) => error !== "interrupted" && error !== "canceled" && end();
      window.speechSynthesis.speak(utterance);
    }
    spoken.set(own);
  };
  return { able, reading, button: { ref: button, "aria-pressed": reading, onClick } };
}
