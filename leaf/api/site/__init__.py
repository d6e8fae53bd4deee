"""The site API. Pages of sites call it with the public key of an agent (docs/widget-api.md)."""

from leaf.api.site.mounts import apart, mounts
