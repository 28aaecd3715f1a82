"""What the codes of the facts are called (`texts.json`)."""

from typing import Any

from trexreport.resources import packaged_table

#: By the module that uses them, and by what the codes are of; names in braces are filled in there.
TEXTS: dict[str, Any] = packaged_table("wording/texts.json")
