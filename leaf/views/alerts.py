"""Texts of a site's budget alerts. Pure."""

from leaf import texts
from leaf.services.sites import Alert

_USED_UP_PERCENT = 100


def in_words(alert: Alert) -> str:
    """The alert in a sentence. A limit of messages is the agent's; budgets of tokens and dollars are the site's."""
    is_used_up = alert.percent >= _USED_UP_PERCENT
    name = alert.site
    if alert.unit == "messages":
        key, name = "insights.all_messages" if is_used_up else "insights.most_messages", alert.agent
    elif alert.unit == "tokens":
        key = "insights.all_tokens" if is_used_up else "insights.most_tokens"
    else:
        key = "insights.all_dollars" if is_used_up else "insights.most_dollars"
    return texts.say(key, name=name, percent=alert.percent)
