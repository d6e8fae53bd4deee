"""All user texts, by language.

A catalogue consists of TOML files, `<language>/<area>.toml`. The entry `rename` of `chat.toml` has the key
`chat.rename`. A text has parameters in braces, and two forms if it depends on `count`:

    rename = "Rename"
    greeting = "Hello, {name}"
    files_read = {one = "{count} file read", other = "{count} files read"}

The browser draws pages in the reader's language (`leaf.components.texts`, `assets/client/texts.js`). Texts that the
server sends to a page are in the language of the current event (`use`, `say`). Everything else, such as routes and the
log, is English.
"""

from leaf.texts.catalogue import (
    AREAS_OF_SERVER,
    BIDI_CONTROLS,
    Text,
    catalogue,
    for_browser,
    parameters,
    without_bidi_controls,
)
from leaf.texts.languages import COOKIE, DEFAULT, LANGUAGES, NAMES, preferred
from leaf.texts.phrases import (
    Day,
    Message,
    Texts,
    advised,
    current,
    english,
    for_model,
    number,
    of,
    of_data,
    opening,
    say,
    stored,
    translated,
    use,
)
