// Where the visitor writes. Enter sends, Shift and Enter begin a new line.
import { h, icon, keep, set } from "./dom.js";
import { busy } from "./store.js";

export class Composer {
  #say;
  #actions;
  #most = 8000;
  #busy = false;
  #still = false;
  #files = null;

  /** `actions` are `send(text)`, `stop()`, `attach(file)` and `detach(id)`; `draft` keeps what is not sent yet: `{get(), set(text)}`. */
  constructor(say, actions, draft) {
    this.#say = say;
    this.#actions = actions;
    this.draft = draft;
    this.box = h("textarea", {
      rows: 1,
      dir: "auto",
      placeholder: say("widget.ask"),
      "aria-label": say("widget.ask"),
      "aria-describedby": "problem",
      enterkeyhint: "send",
      autocomplete: "off",
      onInput: () => this.#typed(),
      onKeydown: (event) => this.#key(event),
    });
    this.button = h("button", { type: "button", class: "send", onClick: () => this.#pressed() });
    this.problem = h("p", { class: "problem", id: "problem" });
    this.picker = h("input", { type: "file", hidden: true, multiple: true, tabindex: "-1", "aria-hidden": "true", onChange: () => this.#picked() });
    const attach = say("widget.attach");
    this.clip = h("button", { type: "button", class: "sign", hidden: true, "aria-label": attach, title: attach, onClick: () => this.picker.click() }, icon("clip"));
    this.files = h("ul", { class: "files", role: "list", hidden: true });
    this.element = h("div", { class: "composer" }, this.problem, this.files, h("div", { class: "field" }, this.picker, this.clip, this.box, this.button), h("p", { class: "small" }, say("widget.may_be_wrong")));
    this.box.value = draft.get() ?? "";
  }

  show(state) {
    this.#most = state.agent?.messageCharacters || 8000;
    this.#busy = busy(state);
    this.#still = state.phase === "sending" || state.phase === "opening";
    this.clip.hidden = !state.agent?.attachments;
    this.#drawFiles(state.files);
    this.#drawButton();
    this.#measure();
  }

  #drawFiles(files) {
    if (this.#files === files) return;
    this.#files = files;
    this.files.hidden = files.length === 0;
    keep(this.files, files.map(({ id, name }) => [id, () => this.#file(id, name)]));
    for (const [at, { path }] of files.entries()) set(this.files.children[at], { "aria-busy": path ? null : "true" });
  }

  #file(id, name) {
    const label = this.#say("widget.detach", { name });
    const off = h("button", { type: "button", class: "sign", "aria-label": label, title: label, onClick: () => (this.#actions.detach(id), this.box.focus()) }, icon("close"));
    return h("li", null, h("span", { dir: "auto" }, name), off);
  }

  #picked() {
    for (const file of this.picker.files) this.#actions.attach(file);
    this.picker.value = "";
    this.box.focus();
  }

  /** Fits the box to its text; it has a width only once it is shown. */
  fit() {
    this.box.style.height = "auto";
    if (this.box.scrollHeight) this.box.style.height = `${Math.min(this.box.scrollHeight, 160)}px`;
  }

  put(text) {
    this.box.value = text;
    this.#typed();
  }

  #pressed() {
    if (this.#still) return;
    if (this.#busy) this.#actions.stop();
    else this.send();
  }

  send() {
    const text = this.box.value.trim();
    if (!text || this.#busy || this.#still || this.#coming() || text.length > this.#most) return;
    this.put("");
    this.#actions.send(text);
  }

  #drawButton() {
    const name = this.#busy ? this.#say("widget.stop") : this.#say("widget.send");
    const sign = this.#busy ? "stop" : "send";
    if (this.button.dataset.sign !== sign) {
      this.button.dataset.sign = sign;
      this.button.replaceChildren(icon(sign));
      set(this.button, { "aria-label": name, title: name });
    }
    // Not `disabled`: that would take the focus from whoever is on it.
    const off = this.#still || this.#coming() || (!this.#busy && (!this.box.value.trim() || this.#over() > 0));
    set(this.button, { "aria-disabled": off ? "true" : null });
  }

  /** Whether a file is still on its way. */
  #coming() {
    return Boolean(this.#files?.some((one) => !one.path));
  }

  #over() {
    return this.box.value.trim().length - this.#most;
  }

  #measure() {
    const over = this.#over();
    const words = over > 0 ? this.#say("widget.too_long", { count: over }) : "";
    if (this.problem.textContent !== words) this.problem.textContent = words;
    set(this.box, { "aria-invalid": over > 0 ? "true" : null });
  }

  #typed() {
    this.draft.set(this.box.value || null);
    this.fit();
    this.#measure();
    this.#drawButton();
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.send();
  }
}
