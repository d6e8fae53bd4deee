// Listeners for events of the page, and for elements that come into sight.

/** Listens to events of a target by name, `{click: listener, …}`. Returns the function that ends it, as effects do. */
export function listen(target, listeners, options) {
  for (const [name, listener] of Object.entries(listeners)) target.addEventListener(name, listener, options);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) target.removeEventListener(name, listener, options);
  };
}

/** Calls once an element of the thread is nearer to being seen than the margin. Returns the function that ends it. */
export function whenNear(element, rootMargin, onNear) {
  const onChange = ([entry]) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    onNear();
  };
  const observer = new IntersectionObserver(onChange, { root: element.closest(".thread"), rootMargin });
  observer.observe(element);
  return () => observer.disconnect();
}
