// Code in colours. Loaded only if an answer contains code; a file of its own, so that the bundler leaves out languages
// that are not common.
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { common, createLowlight } from "lowlight";
import { memo } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";

const MOST_CHARACTERS = 50000;
const lowlight = createLowlight(common);

/** Code as coloured elements; plain if the language is unknown or the code too long to colour quickly. */
export default memo(function Coloured({ text, language }) {
  if (!lowlight.registered(language) || text.length > MOST_CHARACTERS) return text;
  return toJsxRuntime(lowlight.highlight(language, text), { Fragment, jsx, jsxs });
});
