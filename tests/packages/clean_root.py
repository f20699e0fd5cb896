"""A Debian with some packages and nothing else, made of this machine's own files, for trying what is to be installed.

    with CleanRoot(["python3"]) as root:
        root.run("python3 -c 'print(1)'")

A package stands for what it depends on, by what dpkg knows of the installed ones: no registry is asked, nothing is
fetched. Commands see the folder as `/` (chroot in a mount namespace of its own), so no library of this machine is near.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

INSTALLED = "${Package}\t${Architecture}\t${db:Status-Status}\t${Essential}\t${Provides}\t${Pre-Depends}, ${Depends}\n"
# What no package owns: made when packages are installed.
MADE = ("/etc/passwd", "/etc/group", "/etc/shadow", "/etc/alternatives", "/etc/ld.so.conf.d", "/etc/nsswitch.conf")


def names_in(relation):
    """"a (>= 1) | b:any" -> ["a", "b"]"""
    return [re.split(r"[\s(:]", choice.strip())[0] for choice in relation.split("|")]


def relations_in(text):
    return [names_in(relation) for relation in text.split(",") if relation.strip()]


class Installed:
    """The packages of this machine."""

    def __init__(self):
        self.needs = {}
        self.essential = []
        self.providers = {}
        native = said("dpkg", "--print-architecture").strip()
        for line in said("dpkg-query", "-W", "-f", INSTALLED).splitlines():
            name, architecture, status, essential, provides, needs = line.split("\t")
            if status != "installed" or architecture not in (native, "all"):
                continue
            self.needs[name] = relations_in(needs)
            if essential == "yes":
                self.essential.append(name)
            for provided in relations_in(provides):
                self.providers.setdefault(provided[0], name)

    def one_of(self, choices):
        """The installed package that answers to one of these names."""
        for name in choices:
            if name in self.needs:
                return name
            if name in self.providers:
                return self.providers[name]
        raise LookupError(f"not installed here: {' | '.join(choices)}")

    def closure(self, relations):
        """Essential packages, these, and all that they depend on."""
        found = set()
        waiting = [[name] for name in self.essential] + relations
        while waiting:
            name = self.one_of(waiting.pop())
            if name not in found:
                found.add(name)
                waiting += self.needs[name]
        return sorted(found)


def said(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True, **options).stdout


def prefix():
    """What gives a command a mount namespace of its own, as root of it."""
    return ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])


def why_not():
    """Why there can be no clean root here; None: there can."""
    if not all(shutil.which(program) for program in ("dpkg-query", "unshare", "chroot")):
        return "a clean root needs dpkg, unshare and chroot"
    done = subprocess.run([*prefix(), "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return None if done.returncode == 0 else "a clean root needs the right to make mount namespaces (root, or user namespaces)"


class CleanRoot:
    def __init__(self, relations):
        """`relations`: lists of names of which one is to be there, or names."""
        self.packages = Installed().closure([[r] if isinstance(r, str) else r for r in relations])

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tilewright-root-")
        self.root = pathlib.Path(self.folder.name)
        self.root.chmod(0o755)
        self.fill()
        self.run("ldconfig")
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def fill(self):
        files = set(said("dpkg-query", "-L", *self.packages).splitlines()) - {"/."}
        files |= set(files_below(MADE)) | set(links_of_alternatives())
        # By their real folders: /bin is a link to /usr/bin.
        ordered = sorted({os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
                          for path in files if os.path.lexists(path)})
        archive = ["tar", "-C", "/", "--no-recursion", "--ignore-failed-read", "-cf", "-", "-T", "-"]
        packed = subprocess.run(archive, input="\n".join(path.lstrip("/") for path in ordered).encode(),
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        subprocess.run(["tar", "-C", str(self.root), "--keep-directory-symlink", "--no-same-owner", "-xf", "-"],
                       input=packed, check=True)
        for folder in ("tmp", "proc", "dev", "root", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        self.write_status()

    def write_status(self):
        """What dpkg finds installed: of the root, not of the machine."""
        kept = set(self.packages)
        entries = pathlib.Path("/var/lib/dpkg/status").read_text().split("\n\n")
        inside = [entry for entry in entries if entry.strip() and re.match(r"Package: (\S+)", entry)[1] in kept]
        (self.root / "var/lib/dpkg/status").write_text("\n\n".join(inside) + "\n\n")
        (self.root / "var/lib/dpkg/available").write_text("")
        for path in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
            if path.stem.split(":")[0] in kept:
                shutil.copy(path, self.root / "var/lib/dpkg/info")

    def copy_in(self, path, folder="tmp"):
        shutil.copy(path, self.root / folder)
        return f"/{folder}/{pathlib.Path(path).name}"

    def run(self, command, check=True):
        """What a shell command in the root prints. Raises AssertionError with all of it when it fails."""
        inside = ('mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" 2>/dev/null; '
                  'exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 sh -c "$1"')
        done = subprocess.run([*prefix(), "sh", "-c", inside, str(self.root), command], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"{command}\nended with status {done.returncode} in the clean root:\n{done.stdout}")
        return done.stdout


def links_of_alternatives():
    """liblapack.so.3 -> /etc/alternatives/...: links that no package owns."""
    for about in pathlib.Path("/var/lib/dpkg/alternatives").glob("*"):
        for line in about.read_text().splitlines():
            if line.startswith("/") and os.path.islink(line) and os.readlink(line).startswith("/etc/alternatives/"):
                yield line


def files_below(places):
    for place in places:
        yield place
        for folder, folders, files in os.walk(place):
            for name in folders + files:
                yield os.path.join(folder, name)
