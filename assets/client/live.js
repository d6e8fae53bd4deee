// The text of answers. A finished answer has blocks; the text of one that is being written comes piece by piece, beside
// the state of the page, and is kept here.
import { createElement as h, useImperativeHandle, useLayoutEffect, useMemo, useRef } from "react";
import { Answer } from "./citations.js";
import { Markdown } from "./markdown.js";
import { createStore } from "./store.js";
import { useTexts } from "./texts.js";

const NONE = [];

/** The run whose text is kept: its id, the feed that numbers its pieces, the last number, and its blocks by slot. */
const texts = createStore({ run: "", feed: "", number: 0, slots: new Map() });

/**
 * Takes a piece: `[run, feed, from, to, changes]`, of which each change is `[slot, block, kept characters, text behind them]`.
 * From 0 it is the whole text. Returns whether it fits behind what is there; taking one twice does no harm.
 */
export function take([run, feed, from, to, changes]) {
  let kept = texts.get();
  const known = kept.run === run && kept.feed === feed;
  if (known && to < kept.number) return true;
  if (from === 0) kept = { run, feed, number: 0, slots: new Map() };
  else if (!known || from > kept.number) return false;
  kept.number = to;
  const changed = new Map();
  for (const [slot, block, length, text] of changes) {
    if (!changed.has(slot)) changed.set(slot, [...(kept.slots.get(slot) ?? NONE)]);
    const blocks = changed.get(slot);
    blocks[block] = (blocks[block] ?? "").slice(0, length) + text;
  }
  for (const [slot, blocks] of changed) kept.slots.set(slot, blocks);
  texts.set(kept);
  return true;
}

/** The blocks of an item: its own, or the text received so far. */
function useBlocks({ blocks, run, slot }) {
  const written = texts.use((kept) => (kept.run === run && kept.slots.get(slot)) || NONE);
  return blocks?.length ? blocks : written;
}

/** The JSON in the place of a call, as an object; null until it is complete. */
export function useBlock(blocks, run, slot) {
  const [text] = useBlocks({ blocks, run, slot });
  return useMemo(() => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  }, [text]);
}

const FENCE = /^ {0,3}(?:```|~~~)/;
const DEFINITIONS = /^(?: {0,3}\[(?!\^)[^\]\n]+\]:[ \t]+\S[^\n]*(?:\n|$))+/;
const MOST_CHARACTERS = 10000;

/** Blocks of a whole text, each with the addresses (`[1]: https://…`) that stand in others: each is drawn by itself. */
function referred(blocks) {
  const definitions = blocks.map((text) => DEFINITIONS.exec(text ?? "")?.[0] ?? "").filter(Boolean).join("\n");
  if (!definitions || definitions.length > MOST_CHARACTERS) return blocks;
  const refers = (text) => text?.includes("[") && !FENCE.test(text) && !DEFINITIONS.test(text);
  return blocks.map((text) => (refers(text) ? `${text}\n\n${definitions}` : text));
}

/** A text; when its answer is done and it gets its blocks, it stays in place and is not redrawn. */
export function Text(props) {
  const written = useBlocks(props);
  const { run, cites, hosts, asks = "hosts", given, onCite, parts } = props;
  const blocks = useMemo(() => (props.growing ? written : referred(written)), [written, props.growing]);
  // The parts are the same ones at all times.
  const answer = useMemo(() => ({ run, cites, hosts, asks, given, onCite, parts }), [run, cites, hosts, asks, given, onCite]);
  const last = props.growing ? blocks.length - 1 : -1;
  return h(
    Answer,
    { value: answer },
    blocks.map((text, place) => text && h(Markdown, { key: place, text, growing: place === last })),
  );
}

/** A stretch of thinking, as plain text; while it grows its newest line is visible. */
export function Thoughts(props) {
  const t = useTexts();
  const text = useBlocks(props).join("");
  const box = useRef(null);
  useLayoutEffect(() => {
    if (props.growing) box.current.scrollTop = box.current.scrollHeight;
  }, [text, props.growing]);
  return h("div", { ref: box, className: "thinking-text", tabIndex: 0, role: "region", "aria-label": t("research.thinking") }, text.trim());
}

const ASK_AGAIN_MS = 1000;
let askedAt = 0;

/** Takes pieces as an input takes its value; calls `onGap(run)` if an earlier piece is missing. */
export function LiveText({ ref, onGap }) {
  useImperativeHandle(
    ref,
    () => ({
      set value(piece) {
        if (take(piece) || Date.now() - askedAt < ASK_AGAIN_MS) return;
        askedAt = Date.now();
        onGap?.(piece[0]);
      },
    }),
    [onGap],
  );
  return null;
}
