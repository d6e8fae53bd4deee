// Values that several components read, and that outlive the components.
import { useEffect, useState, useSyncExternalStore } from "react";

/**
 * A store: `get()`, `set(value)`, and the hook `use(select)`, which redraws when the selected part has changed. `built` is the
 * value with which pages are built, where it is another one.
 */
export function createStore(value, built) {
  const readers = new Set();
  const subscribe = (reader) => {
    readers.add(reader);
    return () => readers.delete(reader);
  };
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const reader of readers) reader();
    },
    use: (select) => useSyncExternalStore(subscribe, () => select(value), () => select(built ?? value)),
  };
}

/** A choice that the browser keeps, `{now, choose(value)}`; pages are built with the `first` one. */
export function useChoice(first, read, write) {
  const [now, setNow] = useState(first);
  useEffect(() => setNow(read()), []);
  const choose = (value) => {
    write(value);
    setNow(value);
  };
  return { now, choose };
}
