// The text of the answer that is being written: it comes piece by piece, beside the state of the page, and is kept here.
// `answer.js` draws it; the two are apart, because every page receives text, and few need what draws Markdown.
import { useMemo } from "react";
import { attempt, createStore, useSink } from "./store.js";

const NONE = [];

/** The run whose text is kept: its id, the feed that numbers its pieces, the last number, and its blocks by slot. */
const texts = createStore({ run: "", feed: "", number: 0, slots: new Map() });

/**
 * Takes a piece: `[feed, number, ...change]`, or `[feed, number, changes, from, run]`, of which each change is `[slot, block, text, kept]`:
 * the text goes behind the block, or behind so many of its characters. The piece follows the one before it, or the one that it names
 * behind the changes; behind 0 it is the whole text, and names its run at the end.
 * Returns whether it fits behind what is there; one that is there already is left out.
 */
export function take([feed, to, ...rest]) {
  const [changes, from = to - 1, run] = Array.isArray(rest[0]) ? rest : [[rest]];
  let kept = texts.get();
  const known = kept.feed === feed;
  if (known && to <= kept.number && (from || to < kept.number)) return true;
  if (from === 0) kept = { run, feed, number: 0, slots: new Map() };
  else if (!known || from !== kept.number) return false;
  kept.number = to;
  const changed = new Map();
  for (const [slot, block, text, length] of changes) {
    if (!changed.has(slot)) changed.set(slot, [...(kept.slots.get(slot) ?? NONE)]);
    const blocks = changed.get(slot);
    blocks[block] = (blocks[block] ?? "").slice(0, length) + text;
  }
  for (const [slot, blocks] of changed) kept.slots.set(slot, blocks);
  texts.set(kept);
  return true;
}

/** The blocks of an item: its own, or the text received so far. */
export function useBlocks({ blocks, run, slot }) {
  const written = texts.use((kept) => (kept.run === run && kept.slots.get(slot)) || NONE);
  return blocks?.length ? blocks : written;
}

/** The JSON in the place of a call, as an object; null until it is complete. */
export function useBlock(blocks, run, slot) {
  const [text] = useBlocks({ blocks, run, slot });
  return useMemo(() => attempt(() => JSON.parse(text)), [text]);
}

const ASK_AGAIN_MS = 1000;
let askedAt = 0;

/** Takes pieces (`take`); calls `onGap(feed)` if an earlier one is missing. */
export function LiveText({ ref, onGap }) {
  useSink("live", ref, (piece) => {
    if (take(piece) || Date.now() - askedAt < ASK_AGAIN_MS) return;
    askedAt = Date.now();
    onGap?.(piece[0]);
  });
  return null;
}
