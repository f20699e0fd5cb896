"""A headless chromium that a test can ask, point with and take pictures of: DevTools over its pipe, without a port."""

import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading

CHROMIUM = shutil.which("chromium")
PATIENCE = 600  # seconds, for a chromium that hangs: how fast the machine is decides nothing


def dumped(*arguments):
    """What a headless chromium writes, as (standard output, standard error). One that hangs is started once more."""
    for _ in range(2):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            out, err = (pathlib.Path(folder) / name for name in ("out", "err"))
            with open(out, "wb") as stdout, open(err, "wb") as stderr:
                process = subprocess.Popen([CHROMIUM, *arguments, f"--user-data-dir={folder}/profile"], stdin=subprocess.DEVNULL,
                                           stdout=stdout, stderr=stderr, start_new_session=True)
            try:
                process.wait(timeout=PATIENCE)
                return out.read_text(), err.read_text()
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # its helpers, too
                process.wait()
    raise RuntimeError(f"chromium did not end twice within {PATIENCE} s: {arguments[-1]}")


class Browser:
    """with Browser(1280, 900) as browser: page = browser.open(path)"""

    def __init__(self, width, height):
        self.size = (width, height)
        self.last = 0
        self.console = []

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.ours_out = os.pipe()
        self.ours_in, theirs_out = os.pipe()

        def take_pipe():  # chromium reads file 3 and writes file 4
            first, second = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
             f"--window-size={self.size[0]},{self.size[1]}", "about:blank"],
            preexec_fn=take_pipe, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.guard = threading.Timer(PATIENCE, self.process.kill)
        self.guard.start()
        self.reader = os.fdopen(self.ours_in, "rb")
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Page.bringToFront")  # what is not seen draws nothing
        self.ask("Emulation.setDeviceMetricsOverride", width=self.size[0], height=self.size[1], deviceScaleFactor=1, mobile=False)
        return self

    def __exit__(self, *_):
        self.guard.cancel()
        os.close(self.ours_out)
        self.process.kill()
        self.process.wait()
        self.reader.close()
        self.profile.cleanup()

    def message(self):
        text = b""
        while (byte := self.reader.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("chromium ended")
            text += byte
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.ours_out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
                self.console.append(answer["params"])
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def ask(self, method, **parameters):
        return self.call(method, self.session, **parameters)

    def open(self, path):
        """Returns when the page's script says that it is ready."""
        self.ask("Page.navigate", url=path.as_uri())
        while not self.value("document.querySelector('[data-ready=\"true\"]') !== null"):
            pass

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def point(self, x, y):
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self):
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])
