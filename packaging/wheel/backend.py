"""Makes a wheel of what CMake builds (PEP 517): the module tilewright, the program, and the libraries that both load.

It needs nothing of Python but its standard library; beside it CMake, a compiler, strip and patchelf. Settings
(`pip wheel . -C build-dir=...`, `python3 -m build -C build-dir=...`):

    build-dir   where CMake builds; one that is configured already is used as it is. Default: build/wheel
"""

import os
import pathlib
import platform
import subprocess
import sys
import sysconfig
import tarfile
import tempfile

import archive
import libraries
import project

ROOT = pathlib.Path(__file__).resolve().parents[2]


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def configure(folder):
    """Once, for the Python that runs this; without tests."""
    if (folder / "CMakeCache.txt").exists():
        return
    run("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTILEWRIGHT_UNITY=ON",
        "-DTILEWRIGHT_TESTS=OFF", "-DTILEWRIGHT_BENCH=OFF", f"-DPython3_EXECUTABLE={sys.executable}")


def run(*command):
    """Raises SystemExit with what the command said."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\nerror: the command above failed")


def build(folder):
    run("cmake", "--build", folder, "--target", "tilewright_cli", "tilewright_python", "tilewright_share")


def extension_in(folder):
    """The module for the Python that runs this. Raises SystemExit where `folder` is configured for another one."""
    name = "_core" + sysconfig.get_config_var("EXT_SUFFIX")
    found = folder / "python" / "tilewright" / name
    if not found.exists():
        raise SystemExit(f"error: {folder} has no {name}: it is configured for another Python, or without the module "
                         "(which needs pybind11-dev and python3-dev)")
    return found


def tag():
    """Of this Python and of machines with at least this glibc: what is brought along was compiled against it."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    glibc = platform.libc_ver()[1].replace(".", "_")
    return f"{python}-{python}-manylinux_{glibc}_{platform.machine()}"


def sources_of_package(folder):
    built = folder / "python" / "tilewright"
    return sorted(path for pattern in ("*.py", "*.pyi", "py.typed") for path in built.glob(pattern))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = pathlib.Path((config_settings or {}).get("build-dir", "build/wheel"))
    folder = folder if folder.is_absolute() else ROOT / folder
    configure(folder)
    build(folder)
    about = project.read(ROOT)
    with tempfile.TemporaryDirectory() as scratch, \
            archive.Wheel(wheel_directory, about, tag()) as wheel:
        for path in sources_of_package(folder):
            wheel.add(path, f"tilewright/{path.name}")
        wheel.add(pathlib.Path(__file__).with_name("_program.py"), "tilewright/_program.py")
        bundle = libraries.Bundle(pathlib.Path(scratch), "tilewright.libs")
        bundle.add(extension_in(folder), "tilewright")
        bundle.add(folder / "bin" / "tilewright", "tilewright/bin")
        for path, name in bundle.files():
            wheel.add(path, name)
        for path, package in bundle.licences():
            wheel.add_licence(path, package)
        wheel.add_licence(ROOT / "packaging" / "debian" / "copyright", about.name)  # with those of what pages carry
        for path, name in shared_files(folder):
            wheel.add_data(path, name)
    return wheel.name


def shared_files(folder):
    """What does not belong to Python: the man page, the completions, the schemas."""
    for name, place in (("1", "man/man1/tilewright.1"), ("bash", "bash-completion/completions/tilewright"),
                        ("zsh", "zsh/site-functions/_tilewright"), ("fish", "fish/vendor_completions.d/tilewright.fish")):
        yield folder / "share" / f"tilewright.{name}", f"share/{place}"
    for schema in sorted((ROOT / "schemas").glob("*.json")):
        yield schema, f"share/tilewright/schemas/{schema.name}"


def build_sdist(sdist_directory, config_settings=None):
    """What git knows of the tree, below one folder."""
    about = project.read(ROOT)
    base = f"{about.name}-{about.version}"
    named = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    target = os.path.join(sdist_directory, base + ".tar.gz")
    with tempfile.NamedTemporaryFile("w", suffix="PKG-INFO") as metadata, tarfile.open(target, "w:gz") as tar:
        metadata.write(about.metadata())
        metadata.flush()
        tar.add(metadata.name, f"{base}/PKG-INFO")
        for name in filter(None, named.split("\0")):
            tar.add(ROOT / name, f"{base}/{name}")
    return base + ".tar.gz"
