// Events of the page, times and observers. Each function returns the one that ends it, as effects do.

/** Listens to events of a target by name, `{click: listener, …}`. */
export function listen(target, listeners, options) {
  for (const [name, listener] of Object.entries(listeners)) target.addEventListener(name, listener, options);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) target.removeEventListener(name, listener, options);
  };
}

/** Calls a function after a time in milliseconds. */
export function after(milliseconds, action) {
  const timer = setTimeout(action, milliseconds);
  return () => clearTimeout(timer);
}

/** Has an observer watch elements. */
export function watch(observer, elements, options) {
  for (const one of elements) observer.observe(one, options);
  return () => observer.disconnect();
}
