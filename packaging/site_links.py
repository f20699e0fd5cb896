"""For mkdocs: what a document links to outside docs/ (sources, schemas, examples) is no page of the site; its name stays, the link goes."""

import posixpath
import re

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")


def on_page_markdown(markdown, page, **_):
    folder = posixpath.dirname(page.file.src_path)

    def linked(found):
        target = found[2].split("#")[0]
        outside = not re.match(r"[a-z]+:", target) and posixpath.normpath(posixpath.join(folder, target)).startswith("..")
        return found[1] if outside else found[0]

    return LINK.sub(linked, markdown)
