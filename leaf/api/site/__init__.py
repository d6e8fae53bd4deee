"""The site API: called by pages of sites, which are known by the public key of an agent (docs/widget-api.md)."""

from leaf.api.site.mounts import apart, mounts
