// The place in a stream up to which it was read, so that no frame is repeated or missed after a lost connection. Ids never
// decrease, and several frames may share one: the place is the last id and the number of its frames that have come.

/** Nothing has been read. */
export const BEGINNING = Object.freeze({ id: -1, count: 0 });

/** The id after which a stream is resumed: the last id is requested again, since more of its frames may follow. */
export const after = (place) => (place.id > 0 ? place.id - 1 : undefined);

/** Filters the frames of one connection; `take` says whether a frame is new, the next connection begins at `place`. */
export class Reading {
  #repeated;
  constructor(place = BEGINNING) {
    this.place = place;
    this.#repeated = place.count;
  }

  /** A `whole` frame replaces all before it, or is the last one: it counts as new with any id. */
  take(id, whole = false) {
    // A frame without an id cannot be compared with earlier ones.
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
