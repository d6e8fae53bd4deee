"""The results of display tools, and the agent's to-do list, inside an answer.

A model writes all of this content. It is drawn as text, and links lead only to http and https
(`leaf.views.displays`).
"""

from collections.abc import Callable
from typing import Any

import reflex as rx
from reflex_base.vars.function import FunctionVar

from leaf.components import containers, links
from leaf.components.basics import Shown, bones, button, each, icon, match, match_text, outer_link
from leaf.components.client import anchor, boundary
from leaf.components.hooks import calls, hook, pretty_json
from leaf.components.tables import table
from leaf.components.texts import t

_OBJECT = dict[str, Any]
_OBJECTS = list[dict[str, Any]]
_WORDS = {
    "displayPlan": ("display.preparing_plan", "display.failed_plan", "display.raw_plan"),
    "displayTable": ("display.preparing_table", "display.failed_table", "display.raw_table"),
    "displayCitations": ("display.preparing_sources", "display.failed_sources", "display.raw_sources"),
    "displayLinkPreview": ("display.preparing_link", "display.failed_link", "display.raw_link"),
    "displayOptionList": ("display.preparing_options", "display.failed_options", "display.raw_options"),
    "compute": ("charts.raw", "charts.raw", "charts.raw"),
    "todoWrite": ("display.preparing_todos", "display.failed_todos", "display.raw_todos"),
}
"""For each tool, the text keys for a result that is being prepared, has failed, or cannot be drawn."""
_PREPARING, _FAILED, _RAW = range(3)


@rx.memo
def display(
    blocks: rx.Var[list[str]],
    run: rx.Var[str],
    slot: rx.Var[int],
    active: rx.Var[bool],
    on_choose: rx.EventHandler[rx.event.passthrough_event_spec(str)],
) -> rx.Component:
    """The result of a display tool.

    Args:
        blocks: The result as one block of JSON; empty while the answer is being written.
        run: The run that writes the answer.
        slot: The index of the call in the message.
        active: Whether options can be chosen.
        on_choose: Receives the labels of the chosen options.
    """
    shown = hook("shown", "useBlock", "live", blocks, run, slot)
    tool, data = shown["tool"].to(str), shown["data"].to(_OBJECT)
    place: Shown = run.to(str) + ":" + slot.to_string()
    drawn = boundary(
        match(
            tool,
            ("displayPlan", _plan(data)),
            ("displayTable", table(data=data, place=place)),
            ("displayCitations", _sources(data)),
            ("displayLinkPreview", _link_card(data)),
            ("compute", _chart(data, run, place)),
            ("todoWrite", _todos(data)),
            rx.fragment(option_list(data=data, place=place, active=active, on_choose=on_choose)),
        ),
        fallback=_raw(tool, data),
        reset_keys=[shown],
    )
    title = rx.cond(data["title"], data["title"], rx.cond(data["question"], data["question"], t("display.sources")))
    return rx.cond(
        shown,
        match(
            shown["state"].to(str),
            (
                "output-available",
                rx.cond(tool == "todoWrite", drawn, containers.artifact(drawn, place=place, title=title)),
            ),
            ("output-error", _failure(tool, shown["error"])),
            ("unfit", _raw(tool, data)),
            _preparation(tool, shown["state"].to(str), data),
        ),
    )


def _plan(data: Shown) -> rx.Component:
    def draw(step: Shown, place: Shown) -> rx.Component:
        return rx.el.li(
            rx.el.span(place + 1, class_name="plan-number", aria_hidden=True),
            rx.el.div(rx.el.p(step["label"], class_name="plan-label"), _about(step["description"])),
            _status(step["status"]),
            key=place,
            class_name="plan-step",
            custom_attrs={"data-status": step["status"]},
        )

    return rx.el.section(
        rx.el.p(data["title"], class_name="display-title"),
        _about(data["description"]),
        rx.el.ol(rx.foreach(data["steps"].to(_OBJECTS), draw), class_name="plan-steps"),
        class_name="display plan",
        aria_label=data["title"],
    )


def _picture(node: Shown) -> rx.Component:
    """The picture of a chart (`leaf.charts.node`): shapes, some with a tooltip. They follow the theme of the page."""

    def draw(shape: Shown) -> rx.Component:
        tag, attributes, text, children = (shape.to(list[Any])[place] for place in range(4))
        tooltips = each(children.to(list[Any]), lambda one: rx.el.title(one.to(list[Any])[2].to(str)))
        makers = {name: getattr(rx.el, name) for name in ("rect", "line", "path", "circle", "text")}
        drawn = ((name, make(text.to(str), tooltips, special_props=[attributes])) for name, make in makers.items())
        return match(tag.to(str), *drawn, rx.fragment())

    return rx.el.svg(each(node[3].to(list[Any]), draw), special_props=[node[1]])


def _chart(data: Shown, run: Shown, place: Shown) -> rx.Component:
    """A chart with a table of its values. When the answer is stored, it also has links to download the chart."""
    address = links.backend("/api/runs/") + run.to(str) + "/charts/" + data["call"].to(str)

    def save(ending: str, label: Shown) -> rx.Component:
        return anchor(icon("download", 14), label, href=address + ending, custom_attrs={"download": True})

    return rx.el.figure(
        rx.el.div(
            _picture(data["picture"].to(list[Any])),
            class_name="chart-frame",
            tab_index=0,
            role="region",
            aria_label=t("charts.chart"),
        ),
        rx.cond(data["note"], rx.el.p(data["note"], class_name="small-note")),
        rx.cond(
            data["call"],
            rx.el.p(save(".svg", t("charts.save_svg")), save(".png", t("charts.save_png")), class_name="chart-files"),
        ),
        rx.el.details(
            rx.el.summary(t("charts.table")),
            table(data=data["table"].to(_OBJECT), place=place),
            class_name="chart-values",
        ),
        class_name="display drawn-chart",
        aria_label=data["table"].to(_OBJECT)["title"],
    )


def _sources(data: Shown) -> rx.Component:
    title = rx.cond(data["title"], data["title"], t("display.sources"))

    def draw(item: Shown, place: Shown) -> rx.Component:
        domain, published = item["domain"], item["published"]
        return rx.el.li(
            rx.el.span(place + 1, class_name="citation-number", aria_hidden=True),
            rx.el.div(
                _web_link(item["title"], url=item["url"], class_name="citation-title"),
                rx.el.p(domain, rx.cond(domain & published, " · ", ""), published, class_name="display-domain"),
                rx.cond(item["snippet"], rx.el.blockquote(item["snippet"])),
            ),
            key=place,
        )

    return rx.el.section(
        rx.el.p(title, class_name="display-title"),
        rx.el.ol(rx.foreach(data["items"].to(_OBJECTS), draw)),
        class_name="display citations",
        aria_label=title,
    )


def _link_card(data: Shown) -> rx.Component:
    return _web_link(
        rx.el.span(icon("globe", 14), data["domain"], class_name="display-domain"),
        rx.el.span(data["title"], class_name="display-title"),
        rx.cond(data["description"], rx.el.span(data["description"], class_name="display-text")),
        rx.icon("external-link", size=15, aria_hidden="true", class_name="link-mark"),
        url=data["url"],
        class_name="display link-card",
    )


def _web_link(*children: Any, url: Shown, class_name: str) -> rx.Component:
    """A link out of Leaf; only the text if there is no web address."""
    return rx.cond(
        url,
        outer_link(*children, url=url, class_name=class_name, rel="noopener noreferrer nofollow"),
        rx.el.span(*children, class_name=class_name),
    )


@rx.memo
def option_list(
    data: rx.Var[dict[str, Any]],
    place: rx.Var[str],
    active: rx.Var[bool],
    on_choose: rx.EventHandler[rx.event.passthrough_event_spec(str)],
) -> rx.Component:
    """A choice of options. The labels of the chosen options are sent once, as the next message."""
    form = hook("form", "useForm", "controls", place)
    shown: Shown = data
    picked, multiple, options = form["picked"].to(list[str]), shown["multiple"], shown["options"].to(_OBJECTS)
    disabled = ~active | form["busy"].to(bool)

    def draw(option: Shown) -> rx.Component:
        name, is_picked = option["id"], picked.contains(option["id"])
        words = option_words(option)
        attributes: dict[str, Any] = {"class_name": "option", "custom_attrs": {"data-picked": is_picked}, "key": name}
        return rx.cond(
            multiple,
            rx.el.label(
                rx.el.input(
                    type="checkbox", checked=is_picked, disabled=disabled, on_change=calls(form["toggle"], name)
                ),
                words,
                **attributes,
            ),
            rx.el.button(
                words,
                rx.cond(is_picked, icon("check", 15), icon("corner-down-left", 15)),
                type="button",
                disabled=disabled,
                on_click=[calls(form["begin"]), calls(form["pick"], name), on_choose(option["label"])],
                **attributes,
            ),
        )

    return rx.el.fieldset(
        rx.el.legend(shown["question"], class_name="display-title"),
        rx.foreach(options, draw),
        rx.cond(
            multiple,
            button(
                t("display.send"),
                kind="primary small",
                disabled=disabled | (picked.length() == 0),
                on_click=[calls(form["begin"]), on_choose(form["labels"].to(FunctionVar).call(options).to(str))],
            ),
        ),
        custom_attrs={"aria-busy": form["busy"]},
        class_name="display options",
    )


def option_words(option: Shown) -> rx.Component:
    """The label of an option, with its description if it has one."""
    label = rx.el.span(option["label"], class_name="option-label")
    return rx.el.span(label, _about(option["description"], rx.el.span), class_name="option-words")


def _todos(data: Shown) -> rx.Component:
    done, total = data["completedCount"].to(int), data["totalCount"].to(int)

    def draw(todo: Shown, place: Shown) -> rx.Component:
        return rx.el.li(
            _status(todo["status"]),
            rx.el.span(todo["content"]),
            key=place,
            class_name="todo",
            custom_attrs={"data-status": todo["status"]},
        )

    return rx.el.section(
        rx.el.div(
            rx.el.p(t("display.to_do"), class_name="display-title"),
            rx.el.span(
                done,
                "/",
                total,
                class_name="todo-count",
                aria_label=t("display.done_of", done=done, total=total),
                role="img",
            ),
            rx.el.progress(max=total, value=done, aria_hidden=True),
            class_name="todo-head",
        ),
        rx.el.ul(rx.foreach(data["todos"].to(_OBJECTS), draw)),
        class_name="display todos",
        aria_label=t("display.to_do"),
    )


def _status(status: Shown) -> rx.Component:
    """The status of a step of a plan, or of a task of a to-do list."""
    return rx.el.span(
        match(
            status, ("in_progress", icon("circle-dot", 17)), ("completed", icon("circle-check", 17)), icon("circle", 17)
        ),
        rx.el.span(
            " ",
            match_text(
                status,
                ("in_progress", t("display.status_in_progress")),
                ("completed", t("display.status_completed")),
                t("display.status_pending"),
            ),
            " ",
            class_name="unseen",
        ),
        class_name="status",
        custom_attrs={"data-status": status},
    )


def _about(text: Shown, element: Callable[..., rx.Component] = rx.el.p) -> rx.Component:
    return rx.cond(text, element(text, class_name="display-text"))


def _words(tool: Shown, which: int) -> Shown:
    *others, (_, last) = ((name, t(keys[which])) for name, keys in _WORDS.items())
    return match_text(tool, *others, last)


def _preparation(tool: Shown, state: Shown, data: Shown) -> rx.Component:
    """The progress of a call, while the model writes it and while the tool runs."""
    return rx.el.div(
        rx.el.p(_words(tool, _PREPARING), class_name="shimmer display-text"),
        rx.cond(
            state == "input-streaming",
            bones("70%", "92%", "48%"),
            rx.el.pre(pretty_json(data), tab_index=0, aria_label=t("messages.input")),
        ),
        class_name="display display-waiting",
        custom_attrs={"data-tool-state": state},
    )


def _failure(tool: Shown, error: Shown) -> rx.Component:
    return rx.el.div(
        rx.el.p(icon("triangle-alert", 16), _words(tool, _FAILED), class_name="display-title"),
        rx.el.p(error, class_name="display-error"),
        class_name="display display-failed",
        custom_attrs={"data-tool-state": "output-error"},
    )


def _raw(tool: Shown, data: Shown) -> rx.Component:
    """A result that cannot be drawn, shown as JSON."""
    return rx.el.details(
        rx.el.summary(_words(tool, _RAW)),
        rx.el.pre(pretty_json(data), tab_index=0, aria_label=t("messages.output")),
        class_name="display display-raw",
    )
