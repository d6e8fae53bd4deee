// The messages of a chat as elements. A message that has not changed is not drawn again.
import { copiedOf, textOf } from "./answer.js";
import { h, icon, keep, set, signButton } from "./dom.js";
import { Drawn } from "./drawing.js";

/** So near its end the thread follows what is added. */
const NEAR_PIXELS = 80;

export class Thread {
  #say;
  #actions;
  #rows = new Map();
  #list;
  #latest;
  #follows = true;

  /** `actions` are `retry(id)`, `like(id, feedback)` and `suggest(text)`. */
  constructor(say, actions) {
    this.#say = say;
    this.#actions = actions;
    this.welcome = h("div", { class: "welcome" });
    this.#list = h("ol", { class: "messages", role: "list" });
    this.waiting = h("p", { class: "waiting", hidden: true });
    this.scroller = h(
      "div",
      { class: "scroller", tabindex: 0, role: "region", "aria-label": say("widget.messages"), onScroll: () => this.#scrolled() },
      this.welcome,
      this.#list,
      this.waiting,
    );
    this.#latest = h(
      "button",
      { type: "button", class: "latest", "aria-label": say("widget.latest"), title: say("widget.latest"), hidden: true, onClick: () => this.toEnd() },
      icon("down"),
    );
    this.element = h("div", { class: "thread" }, this.scroller, this.#latest);
    new ResizeObserver(() => this.#follows && this.#rows.size && this.toEnd()).observe(this.scroller);
  }

  show(state) {
    this.#showWelcome(state);
    this.#showWaiting(state);
    const ids = new Set(state.messages.map(nameOf));
    for (const [id, row] of this.#rows)
      if (!ids.has(id)) {
        row.element.remove();
        this.#rows.delete(id);
      }
    const last = state.messages.length - 1;
    state.messages.forEach((message, place) => this.#showMessage(message, place, place === last, state));
    if (state.phase === "sending") this.#follows = true;
    if (this.#follows && state.messages.length) this.toEnd();
    this.#scrolled();
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.#follows = true;
    this.#latest.hidden = true;
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    this.#follows = scrollHeight - scrollTop - clientHeight < NEAR_PIXELS;
    this.#latest.hidden = this.#follows;
  }

  #showWelcome({ agent, messages, phase }) {
    const empty = messages.length === 0 && phase === "idle";
    const greeting = agent ? String(agent.welcome || this.#say("widget.greeting")) : "";
    this.welcome.hidden = !empty && !greeting;
    const key = JSON.stringify([greeting, empty && agent?.suggestions]);
    if (this.welcome.dataset.key === key) return;
    this.welcome.dataset.key = key;
    const suggestions = empty && Array.isArray(agent?.suggestions) ? agent.suggestions : [];
    const words = new Drawn(this.#say);
    words.show(greeting, false);
    this.welcome.replaceChildren(
      greeting ? h("div", { class: "bubble theirs" }, words.element) : "",
      h(
        "div",
        { class: "suggestions", hidden: suggestions.length === 0 },
        suggestions.map((text) =>
          h("button", { type: "button", dir: "auto", onClick: () => this.#actions.suggest(String(text)) }, String(text)),
        ),
      ),
    );
  }

  #showWaiting({ phase, messages }) {
    const last = messages[messages.length - 1];
    const silent = last?.role === "user" || (last?.role === "assistant" && last.parts.length === 0);
    const untaken = last?.untaken ? this.#say("widget.untaken") : "";
    const text = { opening: this.#say("widget.loading"), reconnecting: this.#say("widget.reconnecting"), writing: untaken }[phase];
    const dots = (phase === "sending" || phase === "writing") && silent;
    this.waiting.hidden = !text && !dots;
    if (text && this.waiting.textContent !== text) this.waiting.replaceChildren(text);
    if (!text && dots && !this.waiting.querySelector("i"))
      this.waiting.replaceChildren(h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")));
  }

  #showMessage(message, place, isLast, state) {
    const id = nameOf(message, place);
    let row = this.#rows.get(id);
    if (!row) {
      row = message.role === "user" ? new Question(this.#say, this.#actions) : new Answer(this.#say, this.#actions);
      this.#rows.set(id, row);
    }
    if (this.#list.children[place] !== row.element) this.#list.insertBefore(row.element, this.#list.children[place] ?? null);
    row.show(message, isLast, state);
  }
}

/** A question gets another id when it is stored: it is known by its place. */
const nameOf = (message, place) => (message.role === "user" ? `question-${place}` : message.id || "writing");

class Question {
  #say;
  #actions;
  #shown = null;
  constructor(say, actions) {
    this.#say = say;
    this.#actions = actions;
    this.text = h("p", { class: "bubble mine", dir: "auto" });
    this.fate = h("p", { class: "fate" });
    this.files = h("p", { class: "fate", dir: "auto" });
    this.element = h("li", { class: "question" }, h("span", { class: "unseen" }, say("widget.you")), this.text, this.files, this.fate);
  }

  show(message) {
    if (this.#shown === message) return;
    if (this.#shown?.text !== message.text) this.text.textContent = message.text;
    this.files.textContent = (message.files ?? []).join(", ");
    this.files.hidden = !this.files.textContent;
    this.#shown = message;
    const failed = message.state === "failed";
    this.element.classList.toggle("failed", failed);
    const retry = h("button", { type: "button", class: "plain", onClick: () => this.#actions.retry(message.id) }, this.#say("widget.retry"));
    this.fate.replaceChildren(...(failed ? [`${this.#say("widget.not_sent")} `, retry] : []));
  }
}

class Answer {
  #say;
  #actions;
  #shown = null;
  #last = false;
  #texts = [];
  constructor(say, actions) {
    this.#say = say;
    this.#actions = actions;
    this.name = h("span", { class: "unseen" });
    this.body = h("div", { class: "bubble theirs" });
    this.foot = h("div", { class: "foot" });
    this.element = h("li", { class: "answer" }, this.name, this.body, this.foot);
  }

  show(message, isLast, { agent }) {
    if (this.#shown === message && this.#last === isLast) return;
    this.name.textContent = agent?.name || this.#say("widget.assistant");
    if (this.#shown?.parts !== message.parts || this.#shown?.status !== message.status) this.#showParts(message);
    this.#showFoot(message, isLast, agent);
    this.#shown = message;
    this.#last = isLast;
  }

  #showParts({ parts, status }) {
    const growing = status === "writing";
    const elements = [];
    let text = 0;
    let tools = [];
    const flush = () => {
      if (tools.length) elements.push(this.#toolsOf(tools));
      tools = [];
    };
    for (const [place, part] of parts.entries()) {
      if (part.kind === "tool") {
        tools.push(part);
        continue;
      }
      flush();
      this.#texts[text] ??= new Drawn(this.#say);
      this.#texts[text].show(part.text, growing && place === parts.length - 1);
      elements.push(this.#texts[text].element);
      text += 1;
    }
    flush();
    this.#texts.length = text;
    // Elements that stay where they are keep what is selected in them.
    elements.forEach((element, at) => {
      if (this.body.children[at] !== element) this.body.insertBefore(element, this.body.children[at] ?? null);
    });
    while (this.body.children.length > elements.length) this.body.lastChild.remove();
    this.body.hidden = elements.length === 0;
  }

  #toolsOf(tools) {
    const names = [...new Set(tools.map((tool) => tool.name.replaceAll("_", " ")))].join(", ");
    const running = tools.some((tool) => tool.state === "running");
    const sources = [...new Set(tools.flatMap((tool) => tool.sources))].join(", ");
    const words = sources && !running ? this.#say("widget.sources", { names: sources }) : this.#say(running ? "widget.looking" : "widget.look", { names });
    return h("p", { class: running ? "tools running" : "tools" }, icon("looked"), h("span", null, words));
  }

  #showFoot(message, isLast, agent) {
    const over = message.status !== "writing";
    const failed = message.status === "error";
    const words = failed ? message.problem || this.#say("widget.ended_failed") : message.status === "stopped" ? this.#say("widget.ended_stopped") : "";
    set(this.foot, { class: isLast ? "foot last" : "foot", hidden: !over });
    if (!over) return;
    const told = words ? [[words, () => h("p", { class: failed ? "fate bad" : "fate", dir: "auto" }, words)]] : [];
    const liked = agent?.feedback && message.id ? ["up", "down"] : [];
    const copied = navigator.clipboard ? [["copy", () => this.#copyButton()]] : [];
    const buttons = [...copied, ...liked.map((feedback) => [feedback, () => this.#feedbackButton(feedback)])];
    keep(this.foot, textOf(message) ? [...told, ...buttons] : told);
    for (const button of this.foot.querySelectorAll("[aria-pressed]"))
      set(button, { "aria-pressed": String(button.dataset.key === message.feedback) });
  }

  #copyButton() {
    const copy = signButton("copy", this.#say("widget.copy"), async () => {
      await navigator.clipboard.writeText(copiedOf(this.#shown));
      copy.replaceChildren(icon("check"));
      this.#actions.tell(this.#say("widget.copied"));
      setTimeout(() => copy.replaceChildren(icon("copy")), 2000);
    });
    return copy;
  }

  #feedbackButton(feedback) {
    const [sign, label] = feedback === "up" ? ["up", this.#say("widget.good")] : ["unhappy", this.#say("widget.bad")];
    return signButton(sign, label, () => this.#actions.like(this.#shown.id, feedback), { "aria-pressed": "false" });
  }
}
