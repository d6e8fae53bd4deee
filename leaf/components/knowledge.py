"""The knowledge of a site's agent: the files and folders from which it may answer."""

import reflex as rx

from leaf.components import forms, links
from leaf.components.basics import Shown, banner, button, icon, icon_button, list_or, match
from leaf.components.files import upload_list, upload_zone
from leaf.components.texts import t
from leaf.services.sites import KNOWLEDGE_FILE_BYTES, TITLE_CHARACTERS
from leaf.state.knowledge import KnowledgeState
from leaf.state.site_agent import SiteAgentState


def knowledge() -> rx.Component:
    """The list of files and folders, and the forms that add more."""
    sources: Shown = KnowledgeState.sources
    return rx.el.section(
        rx.el.h3(t("sites.knowledge")),
        rx.el.p(t("sites.knowledge_lead"), class_name="lead"),
        list_or(
            sources,
            _source,
            rx.cond(KnowledgeState.loaded, rx.el.p(t("sites.source_empty"), class_name="quiet-line")),
        ),
        file_zone(),
        rx.el.form(
            rx.el.label(t("sites.knowledge_folder"), html_for="knowledge-folder"),
            rx.el.div(
                forms.line(
                    id="knowledge-folder",
                    name="folder",
                    required=True,
                    max_length=2000,
                    auto_complete="off",
                    # A new key empties the field when the folder is in the list.
                    key=sources.length().to(str),
                ),
                button(t("sites.knowledge_add_folder"), type="submit"),
                class_name="field-row",
            ),
            rx.el.p(t("sites.knowledge_folder_note"), class_name="small-note"),
            on_submit=KnowledgeState.add_folder,
            class_name="setting first",
        ),
        rx.cond(KnowledgeState.problem != "", banner("error", "circle-alert", KnowledgeState.problem)),
        class_name="card stack",
    )


@rx.memo
def file_zone() -> rx.Component:
    """The button that uploads files to the agent, and the list of uploads."""
    address = links.backend("/api/agents/") + SiteAgentState.agent + "/knowledge"
    return rx.fragment(
        upload_zone(
            address,
            address,
            rx.fragment(icon("file-plus", 15), t("sites.knowledge_files")),
            t("sites.knowledge_drop", limit=f"{KNOWLEDGE_FILE_BYTES // 1_000_000} MB"),
            limit=KNOWLEDGE_FILE_BYTES,
            on_taken=KnowledgeState.load,
            multiple=True,
            aria_label=t("sites.knowledge_file"),
        ),
        upload_list(place=address),
    )


def _source(row: Shown) -> rx.Component:
    about = match(
        row.state,
        ("not_connected", _warning(t("sites.source_not_connected", name=row.owner))),
        ("refused", _warning(t("sites.source_refused", name=row.owner))),
        ("unavailable", _warning(t("sites.source_unavailable"))),
        rx.el.p(rx.cond(row.kind == "folder", t("sites.source_folder", name=row.owner), row.about)),
    )
    return rx.el.li(
        rx.cond(row.kind == "folder", icon("folder", 18), icon("file-text", 18)),
        rx.el.div(
            rx.el.form(
                rx.el.input(type="hidden", name="source", value=row.id),
                rx.el.input(type="hidden", name="kind", value=row.kind),
                forms.line(
                    name="title",
                    default_value=row.title,
                    required=True,
                    max_length=TITLE_CHARACTERS,
                    auto_complete="off",
                    aria_label=t("sites.source_title"),
                    key=row.title,
                ),
                button(t("common.save"), type="submit"),
                on_submit=KnowledgeState.rename,
                class_name="field-row",
            ),
            about,
        ),
        icon_button(
            t("sites.source_remove", name=row.title),
            "trash-2",
            size=16,
            once=True,
            on_click=KnowledgeState.remove(row.kind, row.id),
        ),
        key=row.id,
    )


def _warning(words: Shown) -> rx.Component:
    return rx.el.p(words, class_name="state bad")
