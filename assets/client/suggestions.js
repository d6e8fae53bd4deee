// A list of completions at a text box; the focus stays in the box.
import { createElement as h, useLayoutEffect, useRef } from "react";

const GAP_PX = 8;
const LEAST_PX = 120;
const MOST_PX = 340;

/** Places the list above its box, or below if there is more room there; never under the keyboard of a phone. */
function place(list, box) {
  const seen = window.visualViewport ?? { offsetTop: 0, offsetLeft: 0, height: window.innerHeight, width: window.innerWidth };
  const at = box.getBoundingClientRect();
  const above = at.top - seen.offsetTop - GAP_PX * 2;
  const below = seen.offsetTop + seen.height - at.bottom - GAP_PX * 2;
  const up = above >= Math.min(list.scrollHeight, MOST_PX) || above >= below;
  list.style.maxHeight = `${Math.max(LEAST_PX, Math.min(MOST_PX, up ? above : below))}px`;
  list.style.left = `${at.left}px`;
  list.style.width = `${at.width}px`;
  list.style.top = up ? "auto" : `${at.bottom + GAP_PX}px`;
  list.style.bottom = up ? `${window.innerHeight - at.top + GAP_PX}px` : "auto";
}

/**
 * Props: `id`, `label`, `options` (`[{key, icon, name, note, lined}]`, `lined` where the note is long), `current` (its place), `status` (what a screen reader is
 * told, and what stands in the place of options where there are none), `help` (what can be done about that), `around` (a
 * ref of what it belongs to), `onPick(place)`, `onPoint(place)`.
 */
export function Suggestions({ id, label, options, current, status, help, around, onPick, onPoint }) {
  const panel = useRef(null);
  useLayoutEffect(() => {
    const list = panel.current;
    if (!list.matches(":popover-open")) list.showPopover();
    const again = () => around.current && place(list, around.current);
    again();
    const sizes = new ResizeObserver(() => requestAnimationFrame(again));
    if (around.current) sizes.observe(around.current);
    const seen = window.visualViewport ?? window;
    seen.addEventListener("resize", again);
    window.addEventListener("scroll", again, true);
    return () => {
      sizes.disconnect();
      seen.removeEventListener("resize", again);
      window.removeEventListener("scroll", again, true);
    };
  });
  useLayoutEffect(() => {
    panel.current.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return h(
    "div",
    // It can be scrolled by keys, although arrow keys scroll it from the text as well.
    { ref: panel, popover: "manual", className: "choices", role: "group", "aria-label": label, tabIndex: 0 },
    h(
      "div",
      { id, role: "listbox", "aria-label": label },
      options.map((one, at) =>
        h(
          "div",
          {
            key: one.key,
            id: `${id}-${at}`,
            role: "option",
            "aria-selected": at === current,
            className: one.lined ? "choice lined" : "choice",
            // The focus stays in the text, which a phone's keyboard depends on.
            onPointerDown: (event) => event.preventDefault(),
            onPointerMove: () => at !== current && onPoint(at),
            onClick: () => onPick(at),
          },
          h(one.icon, { size: 16, "aria-hidden": true }),
          h("span", { className: "choice-name" }, one.name),
          one.note && h("span", { className: "choice-note" }, one.note),
        ),
      ),
    ),
    h("div", { role: "status", className: options.length ? "unseen" : "choices-none" }, status),
    !options.length && help,
  );
}
