# SPDX-License-Identifier: Apache-2.0
"""Reports as HTML: in a notebook, or in a file."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Dict, Optional, Sequence

from . import _core
from .arguments import usage_error
from .costs import table_of
from .paths import Path


class Page:
    """Something that a report page shows: prints as text, shows as the page of report.html in a notebook."""

    def to_json(self) -> str:
        raise NotImplementedError

    def to_html(self) -> str:
        """The page of report.html (docs/reports.md): one file without a network."""
        return _core.page([self.to_json()])

    def to_dict(self) -> Dict[str, Any]:
        """What --json prints, as a dictionary."""
        made: Dict[str, Any] = json.loads(self.to_json())
        return made

    def plot(self, kind: str = "energy") -> "Picture":
        """A picture, as `tilewright plot KIND` draws it: "energy", "latency", "roofline", ...; shows in a notebook."""
        return picture_of([self], kind)

    def save(self, directory: Path) -> None:
        """Writes what `-o` writes of it: report.json, report.txt and report.html, and for some more."""
        for name, text in self._files().items():
            file = os.path.join(directory, name)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)

    def _files(self) -> Dict[str, str]:
        return {"report.json": self.to_json(), "report.txt": str(self), "report.html": self.to_html()}

    def _repr_html_(self) -> str:
        return frame(self.to_html())


class Table(Page):
    """A page that is a table of costs, too."""

    def _csv(self) -> str:
        raise NotImplementedError

    def to_csv(self, path: Optional[Path] = None) -> str:
        """What --csv writes. path: a file that gets it, too."""
        table = self._csv()
        if path is not None:
            with open(path, "w", encoding="utf-8") as out:
                out.write(table)
        return table

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of the table that to_csv() writes."""
        import pandas

        return pandas.DataFrame(table_of(self._csv()))


class SideBySide:
    """A page of several runs; shows in a notebook."""

    def __init__(self, page: str) -> None:
        self._page = page

    def to_html(self) -> str:
        return self._page

    def save(self, file: Path) -> None:
        with open(os.fspath(file), "w", encoding="utf-8") as out:
            out.write(self._page)

    def _repr_html_(self) -> str:
        return frame(self._page)


class Picture:
    """A picture as SVG; shows in a notebook."""

    def __init__(self, title: str, svg: str) -> None:
        self.title = title
        self.svg = svg

    def save(self, file: Path) -> None:
        """Writes a file, whose name should end in .svg."""
        with open(os.fspath(file), "w", encoding="utf-8") as out:
            out.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture {self.title}>"


def picture_of(runs: Sequence[Page], kind: str) -> Picture:
    """The first picture of a kind; raises InputError for a kind that there is not, or of which the runs have nothing."""
    kinds = _core.picture_kinds()
    if kind not in kinds:
        raise usage_error(f"unknown kind '{kind}'; expected one of {', '.join(kinds)}")
    pictures = _core.pictures([run.to_json() for run in runs], kind)
    if not pictures:
        raise usage_error(f"the result holds nothing for '{kind}'")
    return Picture(*pictures[0])


def side_by_side(runs: Sequence[Page]) -> SideBySide:
    """One page of several runs, as `tilewright report A B` makes it."""
    return SideBySide(_core.page([run.to_json() for run in runs]))


def frame(page: str) -> str:
    """The page inside a frame of its own: its script and its style touch nothing outside of it."""
    return ('<iframe sandbox="allow-scripts" style="border: 0; width: 100%; height: 40em" '
            f'title="Tilewright report" srcdoc="{html.escape(page, quote=True)}"></iframe>')
