"""Every string that people read, in each language.

A catalogue is made of TOML files, `<language>/<area>.toml`: the key `rename` of `chat.toml` is named `chat.rename`. A
text has parameters in braces, and two forms where it depends on `count`:

    rename = "Rename"
    greeting = "Hello, {name}"
    files_read = {one = "{count} file read", other = "{count} files read"}

Pages are drawn in their reader's language by the browser itself (`leaf.components.texts`, `assets/client/texts.js`).
What the server says to a page is said in the language of the event that is being handled (`use`, `say`). Everything
else, such as the routes and the log, is English.
"""

from leaf.texts.catalogue import AREAS_OF_SERVER, Text, catalogue, for_browser, parameters
from leaf.texts.languages import COOKIE, DEFAULT, LANGUAGES, NAMES, preferred
from leaf.texts.phrases import Message, Texts, current, english, number, of, of_data, recognised, say, told, use

__all__ = [
    "AREAS_OF_SERVER", "COOKIE", "DEFAULT", "LANGUAGES", "NAMES", "Message", "Text", "Texts", "catalogue", "current",
    "english", "for_browser", "number", "of", "of_data", "parameters", "preferred", "recognised", "say", "told", "use",
]  # fmt: skip
