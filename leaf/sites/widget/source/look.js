// Colours that a site or a page gives, as what the style sheet reads. Set through the object model, which a page's
// policy for styles does not concern.

/** The brightness of a colour from 0 to 1 (WCAG 2), as the browser reads it. */
function brightnessOf(colour, element) {
  const probe = document.createElement("span");
  probe.hidden = true;
  probe.style.color = colour;
  element.append(probe);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const computed = getComputedStyle(probe).color;
  probe.remove();
  if (!canvas) return 0;
  canvas.fillStyle = computed;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((one) => {
    const part = one / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Applies accent, radius, theme and side to the widget's root. */
export function dress(root, { accent, radius, theme, position } = {}) {
  root.dataset.theme = ["light", "dark"].includes(theme) ? theme : "auto";
  root.dataset.side = ["left", "right"].includes(position) ? position : "end";
  const size = Number(radius);
  const round = radius !== undefined && radius !== null && size >= 0 && size <= 32;
  const coloured = accent && CSS.supports("color", String(accent));
  // White on what is dark enough for it, else nearly black: whichever has more contrast.
  const ink = coloured ? (brightnessOf(String(accent), root) > 0.179 ? "#0d120f" : "#ffffff") : "";
  const values = { "--radius": round ? `${size}px` : "", "--accent": coloured ? String(accent) : "", "--on-accent": ink };
  for (const [name, value] of Object.entries(values)) root.style.setProperty(name, value);
}
