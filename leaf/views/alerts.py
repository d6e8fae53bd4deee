"""Texts of a site's budget alerts. Pure."""

from leaf import texts
from leaf.services.sites import Alert

_ALL = 100


def in_words(alert: Alert) -> str:
    whole = alert.percent >= _ALL
    if alert.unit == "messages":
        key = "insights.all_messages" if whole else "insights.most_messages"
        return texts.say(key, name=alert.agent, percent=alert.percent)
    if alert.unit == "tokens":
        key = "insights.all_tokens" if whole else "insights.most_tokens"
    else:
        key = "insights.all_dollars" if whole else "insights.most_dollars"
    return texts.say(key, name=alert.site, percent=alert.percent)
