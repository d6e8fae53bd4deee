"""The usage of an agent by its site visitors: charts like those of the Usage page, and a table of days."""

import reflex as rx

from leaf.components.basics import Shown, button
from leaf.components.charts import daily_chart, folded_figures
from leaf.components.texts import date, t
from leaf.services.sites import SPANS_DAYS
from leaf.state.site_usage import SiteUsageState


def use() -> rx.Component:
    """The section with the charts and the table."""
    return rx.cond(
        SiteUsageState.loaded,
        rx.el.section(
            rx.el.h3(t("insights.use")),
            rx.el.div(
                *(_span(days) for days in SPANS_DAYS),
                role="group",
                aria_label=t("insights.span"),
                class_name="field-row",
            ),
            rx.el.p(t("usage.day_begins"), class_name="lead"),
            rx.cond(SiteUsageState.has_any, rx.fragment(_charts(), _table()), rx.el.p(t("insights.nothing"))),
            class_name="usage-section",
        ),
    )


def _span(days: int) -> rx.Component:
    return button(
        t("insights.days", count=days),
        once=True,
        on_click=SiteUsageState.choose(days),
        custom_attrs={"aria-pressed": rx.cond(SiteUsageState.span == days, "true", "false")},
    )


def _charts() -> rx.Component:
    shown: tuple[tuple[Shown, Shown], ...] = (
        (t("insights.messages"), SiteUsageState.messages),
        (t("insights.tokens"), SiteUsageState.tokens),
        (t("insights.cost"), SiteUsageState.cost),
        (t("insights.visitors"), SiteUsageState.visitors),
        (t("insights.errors"), SiteUsageState.failures),
        (t("insights.first"), SiteUsageState.first),
        (t("insights.whole"), SiteUsageState.whole),
    )
    return rx.el.div(
        *(rx.cond(one.words != "", daily_chart(name, one)) for name, one in shown), class_name="use-charts"
    )


def _table() -> rx.Component:
    heads = (
        t("usage.day"), t("insights.messages"), t("insights.tokens"), t("insights.cost"), t("insights.visitors"),
        t("insights.errors"), t("insights.first"), t("insights.whole"),
    )  # fmt: skip
    return folded_figures(t("usage.as_table"), heads, SiteUsageState.days, _day)


def _day(day: Shown) -> rx.Component:
    figures = (day.answers, day.tokens, day.cost, day.visitors, day.failed, day.first, day.whole)
    return rx.el.tr(
        rx.el.th(date(day.day, dateStyle="medium", timeZone="UTC"), scope="row"),
        *(rx.el.td(figure) for figure in figures),
        key=day.day,
    )
