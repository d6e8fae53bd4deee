// What the agent's display tools show, and its list of what is to be done. All of it comes from a model: it is drawn
// as text, links lead to http and https only, and what cannot be drawn is shown as the JSON that it is.
import { createElement as h, Fragment, memo, useMemo } from "react";
import { Circle, CircleCheck, CircleDot, ExternalLink, Globe, TriangleAlert } from "lucide-react";
import { Artifact } from "./artifact.js";
import { Guarded } from "./guarded.js";
import { useBlocks } from "./live.js";
import { Options } from "./options.js";
import { Table } from "./table.js";
import { useTexts } from "./texts.js";
import { WebLink } from "./weblink.js";

/** What is said of what a tool shows: while it is prepared, where it failed, where it cannot be drawn. */
const SAID = {
  displayPlan: ["display.preparing_plan", "display.failed_plan", "display.raw_plan"],
  displayTable: ["display.preparing_table", "display.failed_table", "display.raw_table"],
  displayCitations: ["display.preparing_sources", "display.failed_sources", "display.raw_sources"],
  displayLinkPreview: ["display.preparing_link", "display.failed_link", "display.raw_link"],
  displayOptionList: ["display.preparing_options", "display.failed_options", "display.raw_options"],
  todoWrite: ["display.preparing_todos", "display.failed_todos", "display.raw_todos"],
};

const STATUS = {
  pending: [Circle, "display.status_pending"],
  in_progress: [CircleDot, "display.status_in_progress"],
  completed: [CircleCheck, "display.status_completed"],
};

function Status({ status }) {
  const t = useTexts();
  const [icon, words] = STATUS[status] ?? STATUS.pending;
  return h(
    "span",
    { className: "status", "data-status": status },
    h(icon, { size: 17, "aria-hidden": true }),
    h("span", { className: "unseen" }, ` ${t(words)} `),
  );
}

const Title = ({ children }) => children && h("p", { className: "display-title" }, children);
const About = ({ children }) => children && h("p", { className: "display-text" }, children);

function Plan({ data }) {
  return h(
    "section",
    { className: "display plan", "aria-label": data.title },
    h(Title, null, data.title),
    h(About, null, data.description),
    h(
      "ol",
      { className: "plan-steps" },
      data.steps.map((step, place) =>
        h(
          "li",
          { key: place, className: "plan-step", "data-status": step.status },
          h("span", { className: "plan-number", "aria-hidden": true }, place + 1),
          h("div", null, h("p", { className: "plan-label" }, step.label), h(About, null, step.description)),
          h(Status, { status: step.status }),
        ),
      ),
    ),
  );
}

function Citations({ data }) {
  const t = useTexts();
  return h(
    "section",
    { className: "display citations", "aria-label": data.title ?? t("display.sources") },
    h(Title, null, data.title ?? t("display.sources")),
    h(
      "ol",
      null,
      data.items.map((item, place) =>
        h(
          "li",
          { key: place },
          h("span", { className: "citation-number", "aria-hidden": true }, place + 1),
          h(
            "div",
            null,
            h(WebLink, { url: item.url, className: "citation-title" }, item.title),
            h("p", { className: "display-domain" }, [item.domain, item.published].filter(Boolean).join(" · ")),
            item.snippet && h("blockquote", null, item.snippet),
          ),
        ),
      ),
    ),
  );
}

function LinkPreview({ data }) {
  return h(
    WebLink,
    { url: data.url, className: "display link-card" },
    h("span", { className: "display-domain" }, h(Globe, { size: 14, "aria-hidden": true }), data.domain),
    h("span", { className: "display-title" }, data.title),
    data.description && h("span", { className: "display-text" }, data.description),
    h(ExternalLink, { size: 15, "aria-hidden": true, className: "link-mark" }),
  );
}

function Todos({ data }) {
  const t = useTexts();
  const { todos, completedCount: done, totalCount: total } = data;
  return h(
    "section",
    { className: "display todos", "aria-label": t("display.to_do") },
    h(
      "div",
      { className: "todo-head" },
      h(Title, null, t("display.to_do")),
      h("span", { className: "todo-count", "aria-label": t("display.done_of", { done, total }), role: "img" }, `${done}/${total}`),
      h("progress", { max: total, value: done, "aria-hidden": true }),
    ),
    h(
      "ul",
      null,
      todos.map((todo, place) =>
        h(
          "li",
          { key: place, className: "todo", "data-status": todo.status },
          h(Status, { status: todo.status }),
          h("span", null, todo.content),
        ),
      ),
    ),
  );
}

const DRAWN = {
  displayPlan: Plan,
  displayTable: Table,
  displayCitations: Citations,
  displayLinkPreview: LinkPreview,
  displayOptionList: Options,
  todoWrite: Todos,
};

const asJson = (data) => JSON.stringify(data, null, 2);

/** What is known while the model writes, and while the tool works. */
function Waiting({ tool, state, data }) {
  const t = useTexts();
  const given = state !== "input-streaming" && data !== undefined;
  return h(
    "div",
    { className: "display display-waiting", "data-tool-state": state },
    h("p", { className: "shimmer display-text" }, t(SAID[tool][0])),
    given
      ? h("pre", { tabIndex: 0, "aria-label": t("messages.input") }, asJson(data))
      : h(
          "div",
          { className: "bones shimmer", "aria-hidden": true },
          [70, 92, 48].map((width) => h("div", { key: width, className: "bone", style: { width: `${width}%` } })),
        ),
  );
}

function Failed({ tool, error }) {
  const t = useTexts();
  return h(
    "div",
    { className: "display display-failed", "data-tool-state": "output-error" },
    h("p", { className: "display-title" }, h(TriangleAlert, { size: 16, "aria-hidden": true }), t(SAID[tool][1])),
    h("p", { className: "display-error" }, error),
  );
}

const isText = (value) => typeof value === "string";

/** Whether something has the shape that is drawn. Leaf's own tools see to it; a chat may come from elsewhere. */
const FITS = {
  displayPlan: (data) => isText(data.title) && Array.isArray(data.steps),
  displayTable: (data) => isText(data.title) && Array.isArray(data.columns) && Array.isArray(data.rows),
  displayCitations: (data) => Array.isArray(data.items),
  displayLinkPreview: (data) => isText(data.title),
  displayOptionList: (data) => isText(data.question) && Array.isArray(data.options),
  todoWrite: (data) => Array.isArray(data.todos),
};

function AsItIs({ tool, data }) {
  const t = useTexts();
  return h(
    "details",
    { className: "display display-raw" },
    h("summary", null, t(SAID[tool][2])),
    h("pre", { tabIndex: 0, "aria-label": t("messages.output") }, asJson(data)),
  );
}

const read = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return null; // The rest of it is still to come.
  }
};

const Drawn = memo(function Drawn({ text, place, active, onChoose }) {
  const t = useTexts();
  const shown = useMemo(() => read(text), [text]);
  if (!shown || !(shown.tool in DRAWN)) return null;
  const { tool, state, data, error } = shown;
  if (state === "output-error") return h(Failed, { tool, error });
  if (state !== "output-available") return h(Waiting, { tool, state, data });
  if (typeof data !== "object" || data === null || !FITS[tool](data)) return h(AsItIs, { tool, data });
  const drawn = h(
    Guarded,
    { text, otherwise: h(AsItIs, { tool, data }) },
    h(DRAWN[tool], { data, place, ...(tool === "displayOptionList" ? { active, onChoose } : {}) }),
  );
  if (tool === "todoWrite") return drawn;
  return h(Artifact, { place, title: data.title ?? data.question ?? t("display.sources") }, drawn);
});

/**
 * Props: `blocks`, `run`, `slot` as of a text; `active` (whether options can be chosen), `onChoose(text)`.
 */
export function Display({ blocks, run, slot, active, onChoose }) {
  const [text] = useBlocks({ blocks, run, slot });
  return text ? h(Drawn, { text, place: `${run}:${slot}`, active, onChoose }) : h(Fragment);
}
