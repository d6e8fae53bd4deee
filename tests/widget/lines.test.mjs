// How streams are read: cut anywhere, back to back, malformed, deep, huge, in bytes that are no UTF-8.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Events, JsonLines, Lines, MOST_CHARACTERS, indexOf, objectOf, readerFor } from "../../leaf/sites/widget/source/lines.js";
import { cut, randomOf } from "./random.mjs";

const bytes = (text) => new TextEncoder().encode(text);
const read = (reader, pieces) => [...pieces.flatMap((piece) => reader.add(piece)), ...reader.end()];
const whole = (reader, text) => read(reader, [bytes(text)]);

const WORDS = ["Hello", "ä", "😀", "مرحبا", "\\n", '"', "\u2028", "a b", "\t", "0", "id: 3", "data:", "\ufeff"];
const SEEDS = Array.from({ length: 300 }, (_, seed) => seed + 1);

function frameOf(random, id) {
  const delta = Array.from({ length: random.below(6) }, () => random.one(WORDS)).join(random.one(["", " ", "\n", "\r\n"]));
  return { type: random.one(["text", "tool_call", "done"]), id, delta, extra: random.one([null, [1, [2]], { a: { b: 1e300 } }]) };
}

function written(frames, random) {
  const end = random.one(["\n", "\r\n", "\r"]);
  return frames
    .map((frame) => {
      const json = JSON.stringify(frame, null, random.one([0, 0, 1])).split("\n");
      const lines = [`id: ${frame.id}`, `event: ${frame.type}`, ...json.map((line) => `data:${random.one(["", " "])}${line}`)];
      if (random.below(4) === 0) lines.unshift(random.one([": ping", ":", "retry: 5", "unknown", ": ü"]));
      return [...lines, ""].join(end) + end;
    })
    .join(random.one(["", "", end]));
}

test("events that are cut anywhere are told whole, in order, once", () => {
  for (const seed of SEEDS) {
    const random = randomOf(seed);
    const frames = Array.from({ length: 1 + random.below(8) }, (_, place) => frameOf(random, place));
    const reader = new Events();
    const found = read(reader, cut(bytes(written(frames, random)), random));
    assert.deepEqual(found, frames.map((data) => ({ data, index: data.id })), `seed ${seed}`);
    assert.equal(reader.broken, 0);
  }
});

test("lines of JSON that are cut anywhere are told whole, in order, once", () => {
  for (const seed of SEEDS) {
    const random = randomOf(seed);
    const frames = Array.from({ length: 1 + random.below(8) }, (_, place) => frameOf(random, place));
    const text = frames.map((frame) => JSON.stringify(frame)).join(random.one(["\n", "\r\n", "\n\n"])) + random.one(["", "\n"]);
    assert.deepEqual(read(new JsonLines(), cut(bytes(text), random)).map((one) => one.data), frames, `seed ${seed}`);
  }
});

test("whatever bytes come, nothing is thrown, and the same bytes say the same however they are cut", () => {
  for (const seed of SEEDS) {
    const random = randomOf(seed + 10_000);
    const frames = Array.from({ length: 4 }, (_, place) => frameOf(random, place));
    const spoiled = bytes(written(frames, random));
    for (let count = random.below(12); count > 0; count -= 1)
      spoiled[random.below(spoiled.length)] = random.one([0, 10, 13, 34, 58, 92, 123, 128, 192, 237, 255, random.below(256)]);
    for (const make of [() => new Events(), () => new JsonLines()]) {
      const at_once = make();
      const in_pieces = make();
      assert.deepEqual(read(in_pieces, cut(spoiled, random)), read(at_once, [spoiled]), `seed ${seed}`);
      assert.equal(in_pieces.broken, at_once.broken);
    }
  }
});

test("a malformed event is counted and takes no other with it", () => {
  for (const broken of ["{", "nonsense", "[1]", "7", "null", '"text"', '{"a":1}x', "{'a':1}", "\ud800{", '{"a":01}', ""]) {
    const reader = new Events();
    const found = whole(reader, `data: {"n":1}\n\ndata: ${broken}\n\ndata: {"n":2}\n\n`);
    assert.deepEqual(found.map((one) => one.data.n), [1, 2], broken);
    assert.equal(reader.broken, 1, broken);
  }
});

test("bytes that are no UTF-8 spoil only their own sign", () => {
  const text = bytes('data: {"delta":"a?b"}\n\ndata: {"n":2}\n\n');
  text[text.indexOf(63)] = 0xff;
  assert.deepEqual(read(new Events(), [text]).map((one) => one.data), [{ delta: "a\ufffdb" }, { n: 2 }]);
  const half = bytes('{"delta":"😀"}').subarray(0, 13);
  assert.deepEqual(read(new JsonLines(), [half]), []);
});

test("deep nesting and huge numbers end nothing", () => {
  const deep = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  const huge = `{"id":1e999,"n":${"9".repeat(5000)}}`;
  const reader = new Events();
  const found = whole(reader, `data: ${deep}\n\nid: ${"9".repeat(400)}\ndata: ${huge}\n\ndata: {"n":2}\n\n`);
  assert.equal(found.at(-1).data.n, 2);
  assert.equal(found.at(-2).index, undefined);
  assert.equal(found.length + reader.broken, 3);
});

test("ids are exact whole numbers or none", () => {
  const cases = { 0: 0, 17: 17, 9007199254740991: 9007199254740991, 9007199254740993: undefined, "-1": undefined, "1e3": undefined, "1.5": undefined, "": undefined, " 1": undefined };
  for (const [text, index] of Object.entries(cases)) assert.equal(indexOf(text), index, text);
});

test("a last event counts without its empty line where its JSON is whole", () => {
  assert.equal(whole(new Events(), 'data: {"n":1}').length, 1);
  assert.equal(whole(new Events(), 'data: {"n":1').length, 0);
  assert.equal(whole(new JsonLines(), '{"n":1}\n{"n":2').length, 1);
});

test("what stands around events is skipped", () => {
  const reader = new Events();
  assert.deepEqual(whole(reader, '\ufeff: hello\n\n\nevent: x\n\nid: 4\n\nretry: 1\ndata: {"n":1}\n\ndata: [DONE]\n\n'), [{ data: { n: 1 }, index: undefined }]);
  assert.equal(reader.done, true);
  assert.equal(reader.broken, 0);
});

test("a line without an end does not fill the memory", () => {
  const reader = new Events();
  const piece = bytes("x".repeat(1_000_000));
  for (let count = 0; count <= MOST_CHARACTERS / 1_000_000; count += 1) assert.deepEqual(reader.add(piece), []);
  const after = reader.add(bytes('\n\ndata: {"n":1}\n\n'));
  assert.deepEqual(after.map((one) => one.data), [{ n: 1 }]);
  assert.equal(reader.broken, 1);
});

test("one long line in many pieces is read in linear time", () => {
  const lines = new Lines();
  const piece = bytes("y".repeat(20));
  const began = performance.now();
  for (let count = 0; count < 150_000; count += 1) lines.add(piece);
  assert.equal(lines.end()[0].length, 3_000_000);
  assert.ok(performance.now() - began < 5000, "quadratic reading of this takes minutes");
});

test("JSON that is no object is nothing", () => {
  for (const text of ["[]", "1", "null", '"a"', "", "undefined"]) assert.equal(objectOf(text), undefined);
  assert.deepEqual(objectOf('{"__proto__":{"x":1}}').x, undefined);
});

test("the reader is the one for the type of the response", () => {
  assert.ok(readerFor("application/x-ndjson; charset=utf-8") instanceof JsonLines);
  assert.ok(readerFor("text/event-stream") instanceof Events);
  assert.ok(readerFor(null) instanceof Events);
});
