"""Google: reading Drive (`drive`, `content`, `links`), signing in, and connecting a Drive (`oauth`)."""
