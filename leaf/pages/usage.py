"""The usage and the budgets of the member."""

import reflex as rx

from leaf.components.answer_usage import facts
from leaf.components.basics import Shown, list_or, skeleton
from leaf.components.charts import daily_chart, figures, folded_figures
from leaf.components.client import link
from leaf.components.sections import section
from leaf.components.texts import t
from leaf.services.usage.reports import DAYS
from leaf.state.usage import UsageState


def usage() -> rx.Component:
    return section(
        "/usage",
        rx.cond(
            UsageState.loaded,
            rx.el.div(_now(), _limits(), _charts(), _tables(), class_name="usage"),
            skeleton(t("usage.adding_up"), "24%", "92%", "84%", "88%", "30%", "76%"),
        ),
    )


def _now() -> rx.Component:
    def card(name: Shown, found: Shown) -> rx.Component:
        return rx.el.section(rx.el.h2(name, class_name="section-title"), facts(found), class_name="card")

    return rx.el.div(
        card(t("usage.today"), UsageState.today), card(t("usage.month"), UsageState.month), class_name="usage-cards"
    )


def _limits() -> rx.Component:
    return rx.el.section(
        rx.el.h2(t("usage.limits"), class_name="section-title"),
        list_or(UsageState.budgets, _budget, rx.el.p(t("usage.no_budget"), class_name="lead"), class_name="budgets"),
        rx.cond(UsageState.rate != "", rx.el.p(UsageState.rate, class_name="lead")),
        class_name="usage-section",
    )


def _budget(budget: Shown) -> rx.Component:
    return rx.el.li(
        rx.el.div(rx.el.h3(budget.name), rx.el.span(budget.used), class_name="budget-head"),
        rx.el.progress(
            value=budget.percent,
            max=100,
            aria_label=budget.name,
            class_name=rx.cond(budget.full, "budget-bar full", "budget-bar"),
        ),
        rx.el.div(rx.el.span(budget.left), rx.el.span(budget.reset), class_name="budget-foot"),
        class_name="card",
        key=budget.name,
    )


def _charts() -> rx.Component:
    return rx.el.section(
        rx.el.h2(t("usage.last_days", count=DAYS), class_name="section-title"),
        rx.el.p(t("usage.day_begins"), class_name="lead"),
        rx.cond(
            UsageState.tokens.words != "",
            rx.fragment(
                daily_chart(t("usage.tokens"), UsageState.tokens),
                rx.cond(UsageState.cost.words != "", daily_chart(t("usage.dollars"), UsageState.cost)),
                _days(),
            ),
            rx.el.p(t("usage.nothing")),
        ),
        class_name="usage-section",
    )


def _days() -> rx.Component:
    def row(day: Shown) -> rx.Component:
        return rx.el.tr(rx.el.th(day.label, scope="row"), rx.el.td(day.tokens), rx.el.td(day.cost), key=day.label)

    columns = (t("usage.day"), t("usage.tokens"), t("usage.cost"))
    return folded_figures(t("usage.as_table"), columns, UsageState.days, row)


def _tables() -> rx.Component:
    return rx.cond(
        UsageState.tokens.words != "",
        rx.fragment(
            _table(t("usage.by_model"), t("usage.model"), UsageState.by_model),
            _table(t("usage.by_chat"), t("usage.chat"), UsageState.by_chat),
            _table(t("usage.by_purpose"), t("usage.purpose"), UsageState.by_purpose),
        ),
    )


def _table(title: Shown, what: Shown, lines: Shown) -> rx.Component:
    requests = rx.el.th(t("usage.requests"), scope="col", class_name="minor")
    columns = (what, requests, t("usage.input"), t("usage.output"), t("usage.cost"))
    return rx.el.section(
        rx.el.h2(title, class_name="section-title"), figures(title, columns, lines, _line), class_name="usage-section"
    )


def _line(line: Shown) -> rx.Component:
    return rx.el.tr(
        rx.el.th(rx.cond(line.path != "", link(line.name, to=line.path), line.name), scope="row"),
        rx.el.td(line.requests, class_name="minor"),
        rx.el.td(line.input),
        rx.el.td(line.output),
        rx.el.td(line.cost),
        key=line.name + line.path,
    )
