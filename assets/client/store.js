// Values that several components read, and that outlive the components.
import { useSyncExternalStore } from "react";

/** A store: `get()`, `set(value)`, and the hook `use(select)`, which redraws when the selected part has changed. */
export function createStore(value) {
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
    use: (select) => useSyncExternalStore(subscribe, () => select(value), () => select(value)),
  };
}
