// Numbers that are the same in every run (mulberry32), and what is made of them.
export function randomOf(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (count) => Math.floor(next() * count);
  const one = (choices) => choices[below(choices.length)];
  return { next, below, one };
}

/** Bytes in pieces, cut anywhere: within signs, ends of lines and numbers. */
export function cut(bytes, random) {
  const pieces = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random.below(random.one([1, 3, 17, 200]));
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}
