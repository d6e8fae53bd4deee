"""One run in four stages: prepare, write, conclude, store."""
