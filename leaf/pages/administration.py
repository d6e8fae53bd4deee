"""The administration page: members, usage, feedback, failures and health, without the content of any chat."""

import reflex as rx

from leaf.components.basics import Shown, button, centred, facts, icon, list_or, match, skeleton
from leaf.components.charts import chart, figures, folded_figures
from leaf.components.client import link
from leaf.components.security import event_text
from leaf.components.shell import shell
from leaf.components.texts import ago, date, number, t
from leaf.services.administration import DAYS
from leaf.state.administration import AdministrationState


def administration() -> rx.Component:
    """The page. For everybody but administrators, it looks like a missing page."""
    return shell(
        rx.el.div(
            rx.cond(
                AdministrationState.phase == "ready",
                rx.el.h1(t("account.administration"), class_name="chat-title"),
            ),
            class_name="title-row",
        ),
        rx.el.div(
            match(
                AdministrationState.phase,
                (
                    "ready",
                    rx.el.div(
                        _leaf(),
                        _models(),
                        _health(),
                        _usage(),
                        _people(),
                        _feedback(),
                        _failures(),
                        _security(),
                        class_name="usage",
                    ),
                ),
                (
                    "missing",
                    centred(
                        "leaf",
                        t("account.no_such_page"),
                        link(t("account.to_leaf"), to="/dashboard", class_name="button secondary"),
                    ),
                ),
                skeleton(t("common.loading"), "24%", "92%", "84%", "88%", "30%", "76%"),
            ),
            class_name="page-column scroll",
        ),
    )


def _section(title: Shown, *content: rx.Component) -> rx.Component:
    return rx.el.section(rx.el.h2(title, class_name="section-title"), *content, class_name="usage-section")


def _leaf() -> rx.Component:
    """The version of Leaf, and alerts for the administrator."""
    alerts: Shown = AdministrationState.alerts
    return _section(
        rx.fragment("Leaf ", AdministrationState.version),
        rx.cond(
            alerts.length() > 0,
            rx.el.ul(rx.foreach(alerts, _alert), class_name="alerts", role="list", aria_label=t("operation.alerts")),
            rx.el.p(t("operation.no_alerts"), class_name="lead"),
        ),
    )


def _alert(text: Shown) -> rx.Component:
    return rx.el.li(icon("triangle-alert", 16), rx.el.span(text), key=text)


def _models() -> rx.Component:
    """The models of this installation, each with a button to try it, and the API keys that are configured."""
    models: Shown = AdministrationState.models
    keys: Shown = AdministrationState.keys
    columns: tuple[Shown, ...] = (
        t("account.model"),
        t("operation.state"),
        rx.el.th(rx.el.span(t("operation.try"), class_name="unseen"), scope="col"),
    )
    return _section(
        t("operation.models"),
        figures(t("operation.models"), columns, models, _model, worded=True),
        rx.el.div(
            button(t("operation.look_for_servers"), once=True, on_click=AdministrationState.look_for_servers),
            class_name="filters",
        ),
        rx.el.details(
            rx.el.summary(t("operation.keys")),
            figures(
                t("operation.keys"),
                (t("operation.variable"), t("operation.provider"), t("operation.state")),
                keys,
                _key,
                worded=True,
            ),
        ),
    )


def _model(one: Shown) -> rx.Component:
    state = AdministrationState
    on = rx.cond(one.usual, t("operation.on_usual"), t("operation.on"))
    return rx.el.tr(
        rx.el.th(
            one.label,
            rx.el.div(one.provider, class_name="small-note"),
            rx.el.div(rx.el.code(one.id), class_name="small-note"),
            scope="row",
        ),
        rx.el.td(
            rx.cond(one.off != "", one.off, on),
            rx.cond(
                one.trial != "",
                rx.el.div(one.trial, role="status", class_name=rx.cond(one.failed, "small-note bad", "small-note")),
            ),
        ),
        rx.el.td(
            rx.cond(
                (one.off == "") | one.id.startswith("local:"),
                rx.el.button(
                    rx.cond(state.tried == one.id, t("operation.trying"), t("operation.try")),
                    type="button",
                    disabled=state.tried != "",
                    aria_label=t("operation.try_model", model=one.label),
                    class_name="button small",
                    on_click=state.try_model(one.id),
                ),
            )
        ),
        key=one.id,
    )


def _key(one: Shown) -> rx.Component:
    return rx.el.tr(
        rx.el.th(rx.el.code(one.variable), scope="row"),
        rx.el.td(one.provider),
        rx.el.td(rx.cond(one.present, t("operation.present"), t("operation.missing"))),
        key=one.variable,
    )


def _health() -> rx.Component:
    state = AdministrationState
    away = t("account.no_answer")
    named: tuple[tuple[Shown, Shown], ...] = (
        (t("account.database"), rx.fragment("PostgreSQL ", state.database, ", ", number(state.megabytes), " MB")),
        (t("account.revision"), state.revision),
        ("Redis", rx.cond(state.redis != "", rx.fragment(state.redis, ", ", state.redis_memory), away)),
        (t("account.worker"), rx.cond(state.worker != "", state.worker, away)),
        (t("account.queue"), number(state.queue)),
        (t("account.unfinished"), number(state.unfinished)),
        (t("account.large_chats"), number(state.large_chats)),
    )

    def package(one: Shown) -> rx.Component:
        return rx.el.div(rx.el.dt(one.name), rx.el.dd(one.version), key=one.name)

    return _section(
        t("account.health"),
        facts(*named, further=rx.foreach(state.packages, package)),
    )


def _usage() -> rx.Component:
    days: Shown = AdministrationState.days
    return _section(
        t("account.used_lately", count=DAYS),
        chart(
            t("account.tokens"),
            t("account.tokens_in_all", count=AdministrationState.tokens),
            AdministrationState.bars,
            first=date(days[0].day, dateStyle="medium", timeZone="UTC"),
            last=t("account.today"),
        ),
        folded_figures(
            t("account.days_as_table"),
            (t("account.day"), t("account.people"), t("account.tokens"), t("account.cost")),
            days,
            _day,
        ),
    )


def _day(day: Shown) -> rx.Component:
    return rx.el.tr(
        rx.el.th(date(day.day, dateStyle="medium", timeZone="UTC"), scope="row"),
        rx.el.td(number(day.people)),
        rx.el.td(number(day.tokens)),
        rx.el.td(day.cost),
        key=day.day,
    )


def _people() -> rx.Component:
    columns: tuple[Shown, ...] = (
        t("account.person"),
        t("account.last_seen"),
        t("account.chats"),
        t("account.tokens_this_month"),
        t("account.cost"),
    )
    people: Shown = AdministrationState.people
    title = t("account.people_count", count=people.length())
    return _section(title, figures(title, columns, people, _person))


def _person(one: Shown) -> rx.Component:
    return rx.el.tr(
        rx.el.th(one.name, rx.el.div(one.email, class_name="small-note"), scope="row"),
        rx.el.td(rx.cond(one.seen != "", ago(one.seen), "–")),
        rx.el.td(number(one.chats)),
        rx.el.td(number(one.tokens)),
        rx.el.td(one.cost),
        key=one.id,
    )


def _feedback() -> rx.Component:
    names: dict[str, Shown] = {
        "all": t("account.all_feedback"),
        "up": t("account.good"),
        "neutral": t("account.neutral"),
        "down": t("account.bad"),
        "comment": t("account.with_comment"),
    }
    return _section(
        t("account.feedback"),
        rx.el.div(
            *(
                rx.el.button(
                    name,
                    type="button",
                    class_name="button small",
                    on_click=AdministrationState.choose(value),
                    custom_attrs={"aria-pressed": AdministrationState.wanted == value},
                )
                for value, name in names.items()
            ),
            role="group",
            aria_label=t("account.filter"),
            class_name="filters",
        ),
        list_or(
            AdministrationState.feedback_entries,
            _feedback_item,
            rx.el.p(t("account.no_feedback"), class_name="lead"),
            class_name="said-list",
        ),
    )


def _feedback_item(one: Shown) -> rx.Component:
    return rx.el.li(
        match(
            one.sentiment,
            ("up", rx.el.span(icon("thumbs-up", 16), role="img", aria_label=t("account.good"))),
            ("neutral", rx.el.span(icon("meh", 16), role="img", aria_label=t("account.neutral"))),
            ("down", rx.el.span(icon("thumbs-down", 16), role="img", aria_label=t("account.bad"))),
            rx.el.span(icon("message-circle", 16)),
        ),
        rx.el.div(
            rx.cond(one.comment != "", rx.el.p(one.comment, class_name="said")),
            rx.el.p(
                rx.cond(one.email != "", one.email, t("account.signed_out")),
                " · ",
                ago(one.at),
                rx.cond(one.page != "", rx.fragment(" · ", one.page)),
                " · ",
                one.device,
                rx.cond(one.run_id != "", rx.fragment(" · ", one.model, " · ", rx.el.code(one.run_id))),
                class_name="small-note",
            ),
        ),
        key=one.id,
    )


def _failures() -> rx.Component:
    failures: Shown = AdministrationState.failures
    columns: tuple[Shown, ...] = (t("account.error_code"), t("account.when"), t("account.model"), t("account.run"))
    return _section(
        t("account.failures"),
        rx.cond(
            failures.length() > 0,
            figures(t("account.failures"), columns, failures, _failure),
            rx.el.p(t("account.no_failures"), class_name="lead"),
        ),
    )


def _security() -> rx.Component:
    columns: tuple[Shown, ...] = (
        t("security.what"),
        t("security.when"),
        t("security.who"),
        t("security.where"),
        t("security.about"),
    )
    title = t("security.all")
    return _section(title, figures(title, columns, AdministrationState.events, _event))


def _event(one: Shown) -> rx.Component:
    return rx.el.tr(
        rx.el.th(event_text(one.kind), scope="row"),
        rx.el.td(date(one.at, dateStyle="medium", timeStyle="short")),
        rx.el.td(rx.cond(one.email != "", one.email, t("security.nobody"))),
        rx.el.td(one.network, rx.cond(one.device != "", rx.el.div(one.device, class_name="small-note"))),
        rx.el.td(rx.el.code(one.about)),
        key=one.id,
    )


def _failure(one: Shown) -> rx.Component:
    return rx.el.tr(
        rx.el.th(one.code, scope="row"),
        rx.el.td(date(one.at, dateStyle="medium", timeStyle="short")),
        rx.el.td(one.model),
        rx.el.td(rx.el.code(one.run_id), rx.el.div(t("account.trace", id=one.trace_id), class_name="small-note")),
        key=one.run_id,
    )
