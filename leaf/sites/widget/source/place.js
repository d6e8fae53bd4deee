// How far a stream has been read, so that nothing is taken twice and nothing is missed after a cut. Ids of frames never
// fall, and several frames may share one: what is known is the last id and how many of its frames have come.

/** Nothing has been read. */
export const BEGINNING = Object.freeze({ id: -1, count: 0 });

/** From where a stream is asked for again: the last id is asked for once more, since it may have had more frames. */
export const after = (place) => (place.id > 0 ? place.id - 1 : undefined);

/** Looks at the frames of one connection; `take` says whether a frame is new, and `place` is where the next one goes on. */
export class Reading {
  #repeated;
  constructor(place = BEGINNING) {
    this.place = place;
    this.#repeated = place.count;
  }

  /** `whole` is a frame after which nothing before it counts, or the last one: whatever its id, it is taken. */
  take(id, whole = false) {
    // A frame without an id can be told from none before it.
    if (id === undefined) return true;
    if (id < this.place.id && !whole) return false;
    if (id !== this.place.id) {
      this.place = { id, count: 1 };
      this.#repeated = 0;
      return true;
    }
    if (this.#repeated > 0) {
      this.#repeated -= 1;
      return false;
    }
    this.place = { id, count: this.place.count + 1 };
    return true;
  }
}
