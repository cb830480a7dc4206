"""A screen of its own with a window manager, and a program on it that is found and pressed through AT-SPI.

What was learnt of WebKitGTK's tree (2.40 to 2.50), and is relied on here:
- The page hangs below the window in the same tree: frame > filler > ... > scroll pane > document web > the page. GTK
  makes it when the accessibility bus is there at the program's start; no setting is needed.
- A button's action is "press", a link's "jump", a menu item's "click" (GTK). They do what a click does.
- A text field has no EditableText: it is focused through its component, and typed into with real keys.
- Any node may vanish between two questions (the page draws again): a node that fails to answer is not there, and what
  is looked for is looked for again until the time is over.
"""
import os
import re
import signal
import subprocess
import tempfile
import time

import pyatspi

PATIENCE = 20.0  # seconds that anything may take to appear
PAUSE = 0.1


class NotThere(Exception):
    pass


def until(what, ask, patience=PATIENCE):
    """Asks until the answer is something; fails with what was waited for."""
    end = time.monotonic() + patience
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > end:
            raise NotThere(what() if callable(what) else what)
        time.sleep(PAUSE)


class Screen:
    """An X server with a window manager, ended by process id."""

    def __init__(self, width=1400, height=960):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as said:
            number = said.readline().strip()  # the server chose it, and is ready
        if not number:
            raise NotThere("Xvfb did not start")
        self.display = ":" + number
        os.environ["DISPLAY"] = self.display
        os.environ.pop("WAYLAND_DISPLAY", None)
        # Maximising, focus and the place of a window are a window manager's doing.
        self.manager = subprocess.Popen(["openbox"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("a window manager", lambda: "window id" in self.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"))

    def run(self, *command):
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def picture(self, path):
        subprocess.run(["import", "-window", "root", path], check=True)

    def close(self):
        for process in (self.manager, self.server):
            end(process)


def end(process, patience=5):
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return process.returncode


class Program:
    """The program under test, in its window."""

    def __init__(self, screen, argv, env, name, first=None):
        """Starts a program and waits for its window; first is where the window's very first look is kept."""
        self.screen, self.name = screen, name
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(argv, env={**os.environ, **env}, stdout=self.log, stderr=self.log)
        try:
            self.window = until(lambda: f"a window on the screen; the program said:\n{self.said()}", self.shown)
            if first is not None:
                self.picture(first)
            self.frame = until("the window in the accessibility tree", self.find_frame)
        except NotThere:
            end(self.process)
            raise

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def shown(self):
        if self.process.poll() is not None:
            raise NotThere(f"the program ended with {self.process.returncode}:\n{self.said()}")
        ids = self.screen.run("xdotool", "search", "--onlyvisible", "--pid", str(self.process.pid), "--name", f"^{self.name}$").split()
        return ids[-1] if ids else None

    def find_frame(self):
        for application in list(pyatspi.Registry.getDesktop(0)):
            try:
                if application is not None and application.get_process_id() == self.process.pid and application.childCount:
                    return application[0]
            except Exception:
                continue
        return None

    # Finding. Roles are those of AT-SPI ("push button"); a name is text, or a compiled pattern that it must contain.

    def walk(self, node=None):
        node = self.frame if node is None else node
        stack = [node]
        while stack:
            at = stack.pop()
            yield at
            try:
                stack.extend(child for child in reversed(list(at)) if child is not None)
            except Exception:
                continue  # it went

    def all(self, role, name, within=None):
        found = []
        for node in self.walk(within):
            try:
                if node.getRoleName() == role and matches(name, node.name) and node.getState().contains(pyatspi.STATE_SHOWING):
                    found.append(node)
            except Exception:
                continue
        return found

    def find(self, role, name, within=None, patience=PATIENCE):
        roles = role if isinstance(role, tuple) else (role,)

        def ask():
            for r in roles:
                found = self.all(r, name, within)
                if found:
                    return found[0]
            return None

        return until(lambda: f"{' or '.join(roles)} {shown(name)}; there is:\n{self.outline()}", ask, patience)

    def gone(self, role, name, patience=PATIENCE):
        until(lambda: f"no more {role} {shown(name)}", lambda: not self.all(role, name), patience)

    def texts(self, within=None):
        """All text in view, in order."""
        pieces = []
        for node in self.walk(within):
            try:
                if not node.getState().contains(pyatspi.STATE_SHOWING):
                    continue
                if node.name:
                    pieces.append(node.name)
                text = node.queryText()
                pieces.append(text.getText(0, -1).replace("\ufffc", ""))
            except Exception:
                continue
        return pieces

    def read(self, pattern, within=None, patience=PATIENCE):
        """Waits for a text in the window, and gives the match."""
        compiled = re.compile(pattern)
        return until(lambda: f"the text /{pattern}/; there is:\n{self.outline()}",
                     lambda: next((m for m in map(compiled.search, self.texts(within)) if m), None), patience)

    def outline(self, limit=160):
        """What there is, for a failure's words; the native menu is always the same."""
        lines = []
        for node in self.walk():
            try:
                if node.getRoleName() in ("menu", "menu item"):
                    continue
                if node.getState().contains(pyatspi.STATE_SHOWING) and node.name:
                    lines.append(f"  {node.getRoleName()} {node.name!r}")
            except Exception:
                continue
            if len(lines) >= limit:
                break
        return "\n".join(lines)

    # Doing.

    def press(self, role, name, within=None):
        node = self.find(role, name, within)
        action = node.queryAction()
        action.doAction(0)
        return node

    def open(self, name):
        """Opens the menu of a button, which the tree calls a combo box, by the keyboard: its action is a click without a
        pointer, and menus of the page open when a pointer goes down."""
        self.put_focus("combo box", name)
        self.screen.run("xdotool", "key", "--clearmodifiers", "Return")

    def menu(self, *path):
        """Chooses an item of the native menu."""
        within = self.find("menu bar", "")
        for label in path[:-1]:
            within = until(f"the menu {label!r}", lambda: next((n for n in self.walk(within) if n.getRoleName() == "menu" and n.name == label), None))
        item = until(f"the menu item {path[-1]!r}", lambda: next((n for n in self.walk(within) if n.getRoleName() == "menu item" and n.name == path[-1]), None))
        item.queryAction().doAction(0)

    def focus(self):
        self.screen.run("xdotool", "windowactivate", "--sync", self.window)

    def put_focus(self, role, name, within=None):
        node = self.find(role, name, within)
        self.focus()
        node.queryComponent().grabFocus()
        until(lambda: f"the focus in {role} {shown(name)}", lambda: node.getState().contains(pyatspi.STATE_FOCUSED), 5)
        return node

    def key(self, *keys):
        self.focus()
        self.screen.run("xdotool", "key", "--clearmodifiers", *keys)

    def type(self, role, name, text, within=None):
        """Types into a field in place of what it holds."""
        node = self.put_focus(role, name, within)
        self.screen.run("xdotool", "key", "--clearmodifiers", "ctrl+a")
        self.screen.run("xdotool", "type", "--clearmodifiers", "--delay", "4", text)
        until(lambda: f"{text!r} in {role} {shown(name)}, which holds {held(node)!r}", lambda: text.strip() in held(node), 10)
        return node

    def picture(self, path):
        """The window alone, without the window manager's frame."""
        subprocess.run(["import", "-window", self.window, path], check=True)

    def difference(self, before, after, rows):
        """The part of the pixels, from 0 to 1, in which two pictures of one size differ in their lowest rows."""
        foot = ["-gravity", "south", "-crop", f"x{rows}+0+0", "+repage"]
        said = subprocess.run(["convert", before, *foot, "(", after, *foot, ")", "-metric", "AE", "-fuzz", "0.5%", "-compare", "-format", "%[distortion]", "info:"],
                              capture_output=True, text=True, check=True).stdout
        return float(said) / (self.geometry()["WIDTH"] * rows)

    def geometry(self):
        said = self.screen.run("xdotool", "getwindowgeometry", "--shell", self.window)
        return {key: int(value) for key, value in (line.split("=") for line in said.split()) if key in ("X", "Y", "WIDTH", "HEIGHT")}

    def close(self):
        """Ends the program as a desktop does at log-out; gives its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return end(self.process, patience=15)


def held(node):
    try:
        return node.queryText().getText(0, -1)
    except Exception:
        return ""


def matches(name, text):
    return bool(name.search(text)) if isinstance(name, re.Pattern) else text.strip() == name


def shown(name):
    return f"/{name.pattern}/" if isinstance(name, re.Pattern) else repr(name)
