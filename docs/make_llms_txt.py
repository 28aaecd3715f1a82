"""Write the index of the documentation for language models, llms.txt, from the tables of README.md.

Run it with the development environment: `python docs/make_llms_txt.py`. A test fails if it is outdated.
The format is that of https://llmstxt.org: a title, a quotation that states what it is, lists of links.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "llms.txt"
_HEAD = """# trexreport

> {purpose}

Each link is a page in Markdown, relative to this file. `trexreport explain CODE` prints what `rules.md`
states of a rule, and `trexreport COMMAND --help` what `commands.md` states of a command.

- [Install trexreport](installing.md): pip, pipx, uv, a container, conda, pre-commit
- [Your first report](first-report.md): make a report of a bundled sample and read it
"""
_ROW = re.compile(r"\| \[([^\]]+)\]\(([\w/.-]+\.md)\) \| (.+) \|")
#: What a model can skip when it has little room, by the format's own name for it.
_OPTIONAL = ("Develop",)


def main() -> None:
    """Write the file."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the index: a section for each table of README.md, then the decisions and schemas."""
    _, introduction, *sections = re.split(
        r"\n## |(?<=^# trexreport)\n\n", (DOCS / "README.md").read_text("utf-8")
    )
    purpose = " ".join(introduction.partition("\n\n")[0].split())
    parts, optional = [_HEAD.format(purpose=purpose)], []
    for section in sections:
        title = section.partition("\n")[0]
        links = [f"- [{name}]({file}): {content}" for name, file, content in _ROW.findall(section)]
        if title in _OPTIONAL:
            optional += links
        else:
            parts.append("\n".join((f"## {title}", "", *links)) + "\n")
    optional += [f"- [{_title(file)}](decisions/{file.name}): a decision" for file in _decisions()]
    optional += [
        f"- [{file.name}]({file.name}): a JSON schema" for file in sorted(DOCS.glob("*.schema.json"))
    ]
    parts.append("\n".join(("## Optional", "", *optional)) + "\n")
    return "\n".join(parts)


def _decisions() -> list[Path]:
    return sorted(file for file in (DOCS / "decisions").glob("*.md") if file.name != "README.md")


def _title(file: Path) -> str:
    return file.read_text("utf-8").partition("\n")[0].removeprefix("# ")


if __name__ == "__main__":
    main()
