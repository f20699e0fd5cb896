#!/usr/bin/env python3
"""Pictures of every view of report.html: docs/pictures/make.py FOLDER [TILEWRIGHT]

Makes pages of one run, of two, of a front, an exploration, a schedule, a simulation and a race of mappers; opens them in chromium;
and writes a PNG of each view at 1400 pixels, and of the first page of a run at 1400, 768 and 420, light and dark and as it is
printed, into FOLDER.
docs/pictures/before holds the pictures of the page as it was before its redesign, docs/pictures/after those of today.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
import browser  # noqa: E402

COMMANDS = [
    ("run", "map --arch eyeriss --net data/onnx/resnet50.onnx -q -o OUT/run"),
    ("pareto", "map --arch simba --net resnet18 --objective pareto -q -o OUT/pareto"),
    ("two", "report OUT/run OUT/other -o OUT/two/report.html"),
    ("explore", "explore --arch simba --net alexnet --set GlobalBuffer.depth=1k,2k,4k,8k --set PE.meshX=2,4,8 "
                "--pareto energy,latency,area -q --html OUT/explore/report.html"),
    ("schedule", "schedule --arch arch5 --net alexnet --layers conv3 -q -o OUT/schedule"),
    ("llm", "llm --arch h100 --net llama3-8b --batch 1,8,64 --prompt 512,2048 -q -o OUT/llm"),
    ("simulate", "simulate --arch simba-cosa --net resnet18 --layers layer4.0.conv2 --mapper hybrid --evaluations 200 -q -o OUT/simulate"),
]
WIDTHS = [1400, 768, 420]
SCALE = 0.6  # of a picture's pixels to the page's


def make_pages(program, out):
    """The pages by name, as far as the program makes them."""
    (out / "two").mkdir()
    (out / "explore").mkdir()
    run(program, "map --arch simba --net data/onnx/resnet50.onnx -q -o OUT/other", out)
    for name, command in COMMANDS:
        run(program, command, out)
    (out / "race").mkdir()
    race = run(program, "compare --mappers random,hybrid --arch eyeriss --net resnet18 --layers conv1 --evaluations 200 --json", out)
    (out / "race/race.json").write_text(race)
    run(program, "report OUT/race/race.json -o OUT/race/report.html", out)
    return {name: out / name / "report.html" for name in [*(name for name, _ in COMMANDS), "race"]}


def run(program, command, out):
    words = [word.replace("OUT", str(out)) for word in command.split()]
    return subprocess.run([program, *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def shoot(page, path, box):
    clip = {**box, "scale": SCALE}
    data = page.ask("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
    path.write_bytes(browser.base64.b64decode(data))


def settle(page):
    """Draws all charts: they are drawn as they come into view, or before printing."""
    page.value("window.dispatchEvent(new Event('beforeprint')); window.dispatchEvent(new Event('afterprint')); new Promise(done => setTimeout(done, 300))")


def printed(page, path):
    page.ask("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "light"}])
    whole(page, path)


def whole(page, path, most=2600):
    height = page.value("document.documentElement.scrollHeight")
    width = page.value("document.documentElement.clientWidth")
    shoot(page, path, {"x": 0, "y": 0, "width": width, "height": min(height, most)})


VIEWS = {"two": ["totals", "overview", "compare"], "pareto": ["pareto", "network"]}  # where a page repeats what another shows


def views(page, name, folder):
    for view in page.value("[...document.querySelectorAll('main section[id]')].map(one => one.id)"):
        if view not in VIEWS.get(name, [view]):
            continue
        box = page.value(f"""(() => {{ const r = document.getElementById({view!r}).getBoundingClientRect();
            return {{x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: Math.min(r.height, 1200)}}; }})()""")
        shoot(page, folder / f"{name}_{view}.png", box)


def picture(name, path, folder):
    for width in WIDTHS:
        for scheme in ["light", "dark"]:
            if name != "run" and (width, scheme) != (1400, "light"):
                continue
            with browser.Browser(width, 1000) as page:
                page.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                page.ask("Emulation.setScrollbarsHidden", hidden=True)
                page.open(path)
                settle(page)
                if name == "run":
                    whole(page, folder / f"{name}_{width}_{scheme}.png")
                if width == 1400 and scheme == "light":
                    views(page, name, folder)
                if name == "run" and width == 768 and scheme == "light":
                    printed(page, folder / f"{name}_print.png")


def main():
    folder = pathlib.Path(sys.argv[1])
    program = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / "build/release/bin/tilewright")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as out:
        for name, path in make_pages(program, pathlib.Path(out)).items():
            picture(name, path, folder)


if __name__ == "__main__":
    main()
