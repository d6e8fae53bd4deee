"""Google: reading Drive (`drive`, `links`, `reading`), and signing in and connecting (`oauth`)."""
