// The text of answers, drawn: a finished answer has blocks of its own, one that is being written those of `live.js`.
import { createElement as h, useMemo } from "react";
import { Answer } from "./citations.js";
import { useBlocks } from "./live.js";
import { Markdown } from "./markdown.js";

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
