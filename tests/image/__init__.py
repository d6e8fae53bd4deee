"""`make image-check`: the container image is built and run from deploy/, without a container engine."""
