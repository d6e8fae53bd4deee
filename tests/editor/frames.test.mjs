// The editor's reading of server-sent events, whatever way they are cut and damaged.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Frames } from "../../examples/editor/parse.js";

const chunk = (number) => ({ type: "text-delta", id: "1", delta: `wörd ${number}\n\n: data: {}` });
const wire = (number) => `id: ${number}\ndata: ${JSON.stringify(chunk(number))}\n\n`;
const all = (texts) => {
  const frames = new Frames();
  return texts.flatMap((text) => frames.push(text));
};
/** Numbers that look like chance, and are the same each time. */
function* chances(seed) {
  for (let state = seed; ; ) yield (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
}

test("frames are whole however they are split", () => {
  const text = Array.from({ length: 20 }, (_, number) => wire(number)).join(": ping\n\n");
  const expected = Array.from({ length: 20 }, (_, number) => ({ id: `${number}`, data: chunk(number) }));
  assert.deepEqual(all([text]), expected, "all at once");
  assert.deepEqual(all([...text]), expected, "one character at a time");
  for (let seed = 1; seed < 200; seed += 1) {
    const chance = chances(seed);
    const pieces = [];
    for (let at = 0; at < text.length; ) {
      const length = 1 + Math.floor(chance.next().value * 90);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    assert.deepEqual(all(pieces), expected, `seed ${seed}`);
  }
});

test("line ends of either kind, and several lines of data", () => {
  assert.deepEqual(all(['data: {"type":\r\ndata: "start"}\r\n\r\n']), [{ id: null, data: { type: "start" } }]);
});

test("what is malformed is left out, and what follows it is read", () => {
  const bad = ["data: {\n\n", "data: [1]\n\n", "data: null\n\n", "data: [DONE]\n\n", "event: x\n\n", "data\n\n", "\n\n\n", 'data: {"type":5}\n\n', "\u0000\ud800\n\n"];
  for (const one of bad) assert.deepEqual(all([one, wire(7)]), [{ id: "7", data: chunk(7) }], JSON.stringify(one));
});

test("noise never throws", () => {
  for (let seed = 1; seed < 300; seed += 1) {
    const chance = chances(seed);
    const letters = "data: id{}\"\n\r[]:,ü\u0000";
    const noise = Array.from({ length: 400 }, () => letters[Math.floor(chance.next().value * letters.length)]).join("");
    assert.ok(Array.isArray(all([noise, "\n\n"])));
  }
});
