"""The card of an integration."""

from leaf.components import cards


def test_the_way_to_keep_no_texts_stands_behind_a_sentence_before_files_are_counted_too() -> None:
    """# 000-13"""
    before, found, after = str(cards.texts_kept()).partition('t("settings.keeps")')
    assert found
    assert "settings.stop_keeping" not in before
    assert "settings.stop_keeping" in after
