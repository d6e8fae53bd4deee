// Values that several components read, and that outlive the components.
import { useImperativeHandle, useSyncExternalStore } from "react";

/** A store, whose hook `use(select)` redraws when the selected part has changed; pages are built with `built`, if it is given. */
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

/** Takes what the server sends beside the vars, as an input takes its value (`rx.set_value`). */
export function useSink(ref, onValue) {
  useImperativeHandle(ref, () => ({
    set value(message) {
      onValue(message);
    },
  }));
}
