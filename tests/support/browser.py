"""A browser without a screen, driven by a test: pages, scripts, pictures. Standard library only.

Chromium speaks its debugging protocol over two pipes, Firefox Marionette over a socket. A test of a browser that is not
installed is skipped."""

import base64
import ctypes
import json
import os
import shutil
import socket
import subprocess
import time

from program import skip


def dies_with_test():
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL


class Browser:
    """A page of this size."""

    def wait(self, script, seconds=60):
        """Until the expression is true."""
        end = time.monotonic() + seconds
        while not self.value(script):
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {script}")
            time.sleep(0.1)

    def stop(self):
        self.process.kill()
        self.process.wait()


class Chromium(Browser):
    def __init__(self, width=1280, height=720):
        name = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not name:
            skip("there is no Chromium")
        ours, its = os.pipe(), os.pipe()  # it reads from 3 and writes to 4

        def streams():
            dies_with_test()
            os.dup2(os.dup(ours[0]), 13), os.dup2(os.dup(its[1]), 14)
            os.dup2(13, 3), os.dup2(14, 4)

        self.process = subprocess.Popen(
            [name, "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader", "--hide-scrollbars", f"--user-data-dir={os.path.abspath('chromium')}",
             f"--window-size={width},{height}", "--no-first-run", "about:blank"],
            pass_fds=(3, 4), preexec_fn=streams, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ours[0]), os.close(its[1])
        self.write, self.read, self.rest, self.number, self.session = ours[1], its[0], b"", 0, None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.write, text):]
        while True:
            while b"\0" not in self.rest:
                got = os.read(self.read, 1 << 20)
                if not got:
                    raise AssertionError("Chromium has ended")
                self.rest += got
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(answer["error"])
                return answer["result"]

    def open(self, path):
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait("document.readyState === 'complete'")

    def value(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


class Firefox(Browser):
    """On a virtual display, because it has no WebGL without one."""

    def __init__(self, width=1280, height=720):
        name = shutil.which("firefox-esr") or shutil.which("firefox")
        if not name or not shutil.which("Xvfb"):
            skip("there is no Firefox" if not name else "there is no Xvfb")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        os.makedirs("firefox", exist_ok=True)
        with open("firefox/user.js", "w") as f:
            for key, value in (("marionette.port", port), ("webgl.force-enabled", "true"),
                               ("browser.shell.checkDefaultBrowser", "false"),
                               ("datareporting.policy.dataSubmissionEnabled", "false"), ("app.update.auto", "false"),
                               ("browser.aboutwelcome.enabled", "false")):
                f.write(f'user_pref("{key}", {value});\n')
        here, there = os.pipe()
        self.display = subprocess.Popen(["Xvfb", "-displayfd", str(there), "-screen", "0", "1920x1200x24"],
                                        pass_fds=(there,), preexec_fn=dies_with_test, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(there)
        number = os.read(here, 16).decode().strip()
        environment = dict(os.environ, DISPLAY=":" + number, LIBGL_ALWAYS_SOFTWARE="1", HOME=os.path.abspath("firefox"))
        self.process = subprocess.Popen([name, "--marionette", "--no-remote", "--profile", os.path.abspath("firefox")],
                                        env=environment, preexec_fn=dies_with_test, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 60)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
        self.rest, self.number = b"", 0
        self.read()
        self.call("WebDriver:NewSession")
        self.call("WebDriver:SetWindowRect", x=0, y=0, width=width, height=height)
        inner = self.call("WebDriver:ExecuteScript", script="return [innerWidth, innerHeight]", args=[])["value"]
        self.call("WebDriver:SetWindowRect", width=2 * width - inner[0], height=2 * height - inner[1])

    def read(self):
        while b":" not in self.rest:
            self.rest += self.socket.recv(1 << 16)
        length, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(length):
            self.rest += self.socket.recv(1 << 20)
        line, self.rest = self.rest[:int(length)], self.rest[int(length):]
        return json.loads(line)

    def call(self, method, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, method, parameters]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, result = self.read()
        if error:
            raise AssertionError(error)
        return result

    def open(self, path):
        self.call("WebDriver:Navigate", url="file://" + os.path.abspath(path))

    def value(self, script):
        # In an element of its own it sees what the page's script declares.
        text = """const e = document.createElement('script');
          e.textContent = 'document.documentElement.dataset.said = JSON.stringify(' + arguments[0] + ')';
          document.head.append(e), e.remove();
          return document.documentElement.dataset.said;"""
        said = self.call("WebDriver:ExecuteScript", script=text, args=[script], newSandbox=True)["value"]
        return None if said is None or said == "undefined" else json.loads(said)

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("WebDriver:TakeScreenshot", full=False)["value"]))

    def stop(self):
        super().stop()
        self.display.kill()
        self.display.wait()
