"""The widget API: what pages of tenants' sites call, known by an agent's public key (docs/widget-api.md)."""

from leaf.api.widget.mounting import mount

__all__ = ["mount"]
