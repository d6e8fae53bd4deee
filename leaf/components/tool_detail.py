"""The details of a step: the input and output of its tool, or the diff of a file that it changed."""

import reflex as rx

from leaf.components import containers, markdown
from leaf.components.basics import Shown, bones, icon, match, outer_link, spinner
from leaf.components.diffs import diff
from leaf.components.texts import t


def tool_detail(detail: Shown, place: Shown) -> rx.Component:
    """A tool call in full. Each of its four states looks different.

    Args:
        detail: The details of the call.
        place: The name of the step on the page.
    """
    changed: Shown = detail.diff
    return rx.cond(
        changed.length() > 0,
        rx.el.div(
            rx.el.h4(
                rx.cond(detail.state == "output-available", t("messages.changes"), t("messages.changes_under_way"))
            ),
            containers.artifact(
                diff(changed),
                place="diff:" + place,
                title=rx.cond(detail.about != "", detail.about, t("messages.changes")),
            ),
            class_name="step-detail",
            custom_attrs={"data-tool-state": detail.state},
        ),
        _input_and_output(detail),
    )


def _input_and_output(detail: Shown) -> rx.Component:
    return rx.el.div(
        rx.cond(
            detail.tool != "",
            rx.fragment(rx.el.h4(t("research.tool")), rx.el.code(detail.tool, class_name="tool-name")),
        ),
        match(
            detail.state,
            ("input-streaming", rx.el.div(bones("40%", "70%"), t("messages.writing_input"), class_name="step-writing")),
            rx.fragment(rx.el.h4(t("messages.input")), markdown.source(detail.input, t("messages.input"), "json")),
        ),
        match(
            detail.state,
            ("input-streaming", rx.fragment()),
            (
                "output-error",
                rx.fragment(
                    rx.el.h4(t("messages.error"), class_name="bad"),
                    markdown.source(detail.output, t("messages.error"), detail.language, "bad"),
                ),
            ),
            (
                "output-available",
                rx.fragment(
                    rx.cond(detail.links.length() > 0, _links(detail.links)),
                    rx.el.h4(t("messages.output")),
                    markdown.source(detail.output, t("messages.output"), detail.language),
                ),
            ),
            rx.fragment(
                rx.el.h4(t("messages.output")),
                rx.el.p(spinner(), t("messages.waiting_result"), class_name="quiet-line"),
            ),
        ),
        rx.cond(detail.note != "", rx.el.p(detail.note, class_name="small-note")),
        class_name="step-detail",
        custom_attrs={"data-tool-state": detail.state},
    )


def _links(found: Shown) -> rx.Component:
    """The links of a tool's result: pages that a search found, a page that was read, or files."""

    def draw(link: Shown) -> rx.Component:
        return rx.el.li(
            rx.cond(link.number != "", rx.el.span(link.number, class_name="source-number")),
            match(
                link.form,
                ("video", rx.el.span(icon("clapperboard", 15), role="img", aria_label=t("research.video"))),
                ("picture", rx.el.span(icon("image", 15), role="img", aria_label=t("research.picture"))),
                rx.fragment(),
            ),
            outer_link(link.title, url=link.url, rel="noopener noreferrer nofollow"),
            rx.el.span(link.host, class_name="step-note"),
            key=link.url,
            class_name=rx.cond(link.form != "", "page-card", ""),
        )

    return rx.fragment(
        rx.el.h4(rx.cond(found[0].number == "", t("files.title"), t("messages.pages"))),
        rx.el.ol(rx.foreach(found, draw), class_name="page-links"),
    )
