// Values that several components read, and that outlive the components.
import { useEffect, useImperativeHandle, useSyncExternalStore } from "react";
import { Socket } from "socket.io-client";

/** The outcome of an action; `otherwise` where the browser or the input makes it fail. */
export function attempt(action, otherwise = null) {
  try {
    return action();
  } catch {
    return otherwise;
  }
}

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

/** The components that take messages of the page's socket, by the names of the messages. */
const sinks = new Map();
const { onevent } = Socket.prototype;
/** Reflex does not hand out its socket: messages that are not Reflex's are taken here, as they come. */
Socket.prototype.onevent = function (packet) {
  const [name, ...message] = packet.data;
  if (sinks.has(name)) sinks.get(name)(message);
  else onevent.call(this, packet);
};

/** Takes what the server sends beside the vars (`leaf/state/delivery.py`) to the sink `name`, whose component has the ref `ref`. */
export function useSink(name, ref, onMessage) {
  useEffect(() => {
    sinks.set(name, onMessage);
    return () => sinks.delete(name);
  });
  useImperativeHandle(ref, () => ({
    set value(message) {
      onMessage(message);
    },
  }));
}
