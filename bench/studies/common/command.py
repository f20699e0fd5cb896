"""The command line that studies have in common: their options, and how chosen figures become files."""

import argparse
import json
import os
import pathlib
import sys

from points import Study

ROOT = pathlib.Path(__file__).resolve().parents[3]


def parser(description, out, figures):
    """Options of every study; `out`: where results go unless told otherwise; `figures`: the names there are."""
    result = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tilewright"))
    result.add_argument("--out", default=out, help="folder for results, resumed if it exists")
    result.add_argument("--figures", default="", help=f"{figures}; separated by commas (default all)")
    result.add_argument("--threads", type=int, default=0, help="0: all there are; does not change the results")
    result.add_argument("--quick", action="store_true", help="less effort: the shape of the results, not their figures")
    return result


def open_study(options):
    if not os.path.exists(options.program):
        sys.exit(f"no {options.program}: build it (scripts/build release tilewright) or name one with --program")
    return Study(options.program, options.out, options.threads, lambda text: print(text, file=sys.stderr, flush=True))


def zoo(*names):
    return {name: (ROOT / "data" / "arch" / f"{name}.yaml").read_text() for name in names}


def markdown(title, tables):
    """Tables: a header and rows each."""
    lines = [f"### {title}", ""]
    for header, rows in tables:
        lines += ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
        lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def summary_option(parser):
    parser.add_argument("--summary", action="store_true", help="print one line a figure, as docs/papers.md has it, and no tables")


def run(study, figures, wanted, lines=None):
    """`figures`: by name, a function that returns title, tables and a value. Prints the tables, and writes them and the
    values into the study's folder. `wanted`: names between commas, or all. `lines`: in the place of the tables prints what
    the function of a figure's name makes of its value."""
    names = wanted.split(",") if wanted else list(figures)
    for name in names:
        if name not in figures:
            sys.exit(f"there is no figure '{name}'; there are {', '.join(figures)}")
        if lines is not None and name not in lines:
            sys.exit(f"figure '{name}' has no summary; there are those of {', '.join(lines)}")
    text, results = "", {}
    for name in names:
        title, tables, results[name] = figures[name]()
        section = markdown(title, tables)
        print(section if lines is None else lines[name](results[name]), flush=True)
        text += section + "\n"
    (study.folder / "results.md").write_text(text)
    (study.folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
