"""The Chromium of the gallery: with colours and without scrollbars as on every machine."""

from tests import chromium

FLAGS = (*chromium.FLAGS, "--force-color-profile=srgb", "--hide-scrollbars")
