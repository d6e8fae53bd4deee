// Listeners for events of the page.

/** Listens to events of a target by name, `{click: listener, …}`. Returns the function that ends it, as effects do. */
export function listen(target, listeners, options) {
  for (const [name, listener] of Object.entries(listeners)) target.addEventListener(name, listener, options);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) target.removeEventListener(name, listener, options);
  };
}
