"""Drives Portico's real window and says each case's outcome as a line of JSON. Run by realwindow_test.go."""
import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pyatspi

from desktop import NotThere, Program, Screen, end, until

here = Path(__file__).parent

# The rows at the foot of the window in which the composer stands, and the part of them that may change after the window's
# first look: a caret blinks, the words in an empty field follow the model. Without the composer most of it changes.
COMPOSER_ROWS = 120
MOST_CHANGED = 0.05


class Drive:
    def __init__(self, options):
        self.options = options
        self.home = Path(options.scratch) / "home"
        self.artefacts = Path(options.artefacts)
        for old in self.artefacts.glob("failed-*.png"):
            old.unlink()
        self.screen = Screen()
        self.portal = subprocess.Popen(["/usr/bin/python3", str(here / "portal.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        wait_for(self.portal, "ready")
        self.app = None
        self.failed = False

    def start(self, first=None):
        self.app = Program(self.screen, [self.options.binary], {
            "PORTICO_HOME": str(self.home), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
            # A person's desktop draws with what the screen has; a virtual one has no GPU to ask.
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }, "Portico", first)

    def case(self, name, do):
        try:
            do()
            outcome = {"case": name, "ok": True}
        except Exception as error:  # whatever it is, the case did not hold
            outcome = {"case": name, "ok": False, "why": f"{type(error).__name__}: {error}"}
            self.failed = True
            self.screen.picture(self.artefacts / f"failed-{re.sub('[^a-z0-9]+', '-', name.lower())}.png")
        print(json.dumps(outcome), flush=True)
        return outcome["ok"]

    def drop(self, path):
        """Drags a file from another program onto the middle of the window, and lets go."""
        source = subprocess.Popen(["/usr/bin/python3", str(here / "dragsource.py"), "Drag from here", str(path)], stdout=subprocess.PIPE, text=True)
        try:
            wait_for(source, "ready")
            window = until("the window to drag from", lambda: self.screen.run("xdotool", "search", "--onlyvisible", "--name", "^Drag from here$").split())[-1]
            self.screen.run("xdotool", "windowmove", "--sync", window, "1300", "20")
            place = dict(line.split("=") for line in self.screen.run("xdotool", "getwindowgeometry", "--shell", window).split())
            x, y = int(place["X"]) + 30, int(place["Y"]) + 30
            self.screen.run("xdotool", "mousemove", "--sync", str(x), str(y))
            self.screen.run("xdotool", "mousedown", "1")
            for step in range(1, 13):  # a drag begins with movement, and is told of by it
                time.sleep(0.05)
                self.screen.run("xdotool", "mousemove", str(x - 50 * step), str(y + 30 * step))
            wait_for(source, "given")
            time.sleep(0.3)
            self.screen.run("xdotool", "mouseup", "1")
            wait_for(source, "ended")
            time.sleep(1)  # long enough for a page to be replaced
        finally:
            end(source)

    # Cases, in the order in which a person meets them.

    def opens(self):
        first, settled = Path(self.options.scratch) / "first.png", Path(self.options.scratch) / "settled.png"
        self.start(first)
        self.app.find("document web", re.compile("."))
        self.app.find("entry", "Message")
        time.sleep(1.5)  # whatever was still to be drawn is drawn by now
        self.app.picture(settled)
        part = self.app.difference(first, settled, COMPOSER_ROWS)
        if part > MOST_CHANGED:
            raise NotThere(f"a composer that is drawn when the window is shown: {part:.1%} of its place changed afterwards")

    def has_a_native_menu(self):
        bar = self.app.find("menu bar", "")
        names = [n.name for n in self.app.walk(bar) if n.getRoleName() in ("menu", "menu item") and n.name]
        for wanted in ("File", "New Chat", "Settings…", "Edit", "Paste", "View", "Command Palette…", "Help", "About Portico"):
            if wanted not in names:
                raise NotThere(f"{wanted!r} in the menu, which has {names}")

    def stays_on_its_page_when_a_file_is_dropped(self):
        before = self.app.find("document web", re.compile(".")).name
        dropped = Path(self.options.scratch) / "dropped page.html"
        dropped.write_text("<title>Taken over</title><h1>Taken over</h1>")
        self.drop(dropped)
        # What is no extension is said so, in a dialog that goes.
        self.app.read("It cannot be installed")
        self.app.key("Escape")
        after = self.app.find("document web", re.compile(".")).name
        if after != before or any("Taken over" in text for text in self.app.texts()):
            raise NotThere(f"the page {before!r}: in its place is {after!r}")

    def installs_from_a_folder(self):
        app = self.app
        app.press("push button", "Settings")
        app.open("Add")
        app.press("menu item", "From a path…")
        app.type("entry", "Folder", self.options.example)
        app.press("push button", "Look at it")
        app.press("push button", re.compile("^Install"))
        app.read("Word Count is installed")

    def runs_a_tool_without_a_model(self):
        app = self.app
        app.press("push button", "Chats")
        app.type("entry", "Message", "count the words in this")
        app.key("Return")
        app.type("entry", re.compile("text", re.I), "one two three")
        app.press("push button", "Run")
        call = app.find("push button", re.compile(r"^Word count .* ms$"))
        if not call.getState().contains(pyatspi.STATE_EXPANDED):
            call.queryAction().doAction(0)
        app.read(r"words: 3\b")
        app.read(r"characters: 13\b")

    def is_light_and_dark(self):
        for theme, low, high in (("Light", 200, 255), ("Dark", 0, 80)):
            self.app.menu("View", "Theme", theme)
            self.wait_for_brightness(low, high)
            self.app.put_focus("entry", "Message")  # where a person's focus is
            until("the end of the notice", lambda: not any("is installed" in text for text in self.app.texts()))
            self.app.picture(self.artefacts / f"window-{theme.lower()}.png")
        self.app.menu("View", "Theme", "Follow the System")
        self.wait_for_brightness(200, 255)

    def keeps_the_conversation(self):
        self.app.read("count the words in this")
        self.app.find("push button", re.compile(r"^Word count .* ms$"))

    def comes_back_where_it_was(self):
        window = self.app.window
        self.screen.run("xdotool", "windowmove", "--sync", window, "150", "90")
        self.screen.run("xdotool", "windowsize", "--sync", window, "1000", "700")
        time.sleep(1)  # more than the rest after which a place is kept
        before = self.app.geometry()
        code = self.app.close()
        if code != 0:
            raise NotThere(f"a good end: the app ended with {code}:\n{self.app.said()}")
        self.start()
        after = self.app.geometry()
        if after != before:
            raise NotThere(f"the window at {before}: it is at {after}")

    def follows_the_desktop(self):
        for scheme, low, high in (("dark", 0, 80), ("light", 200, 255)):
            self.portal.stdin.write(scheme + "\n")
            self.portal.stdin.flush()
            self.wait_for_brightness(low, high)

    def wait_for_brightness(self, low, high):
        until(lambda: f"a page of brightness {low} to {high}; it is {self.brightness()}", lambda: low <= self.brightness() <= high, 5)

    def brightness(self):
        """Of the page's lower right corner, 0 to 255: a place where it has no text."""
        page = self.app.find("document web", re.compile(".")).queryComponent().getExtents(0)  # 0: of the screen
        x, y = page.x + page.width - 12, page.y + page.height - 12
        said = self.screen.run("import", "-window", "root", "-crop", f"4x4+{x}+{y}", "-resize", "1x1", "-colorspace", "Gray", "-depth", "8", "txt:-")
        return int(re.search(r"gray\((\d+)", said).group(1))

    def leaves_no_process_behind(self):
        tree = descendants(self.app.process.pid)
        code = self.app.close()
        if code != 0:
            raise NotThere(f"a good end: the app ended with {code}:\n{self.app.said()}")
        until(lambda: f"the end of {[describe(p) for p in tree if alive(p)]}", lambda: not any(alive(p) for p in tree), 5)

    def run(self):
        try:
            if self.case("it opens", self.opens):
                self.case("it has a native menu", self.has_a_native_menu)
                self.case("an extension is installed from its folder", self.installs_from_a_folder)
                self.case("a tool runs without a model", self.runs_a_tool_without_a_model)
                self.case("it is light and dark", self.is_light_and_dark)
                self.case("a dropped file leaves the page in its place", self.stays_on_its_page_when_a_file_is_dropped)
                self.case("it comes back where it was", self.comes_back_where_it_was)
                self.case("the conversation is still there", self.keeps_the_conversation)
                self.case("it follows the desktop between light and dark", self.follows_the_desktop)
                self.case("it leaves no process behind", self.leaves_no_process_behind)
        finally:
            if self.app is not None:
                end(self.app.process)
            end(self.portal)
            self.screen.close()
        return 1 if self.failed else 0


def wait_for(process, word):
    """Reads what a program says up to a word."""
    for line in process.stdout:
        if line.strip() == word:
            return
    raise NotThere(f"{word!r} from {process.args[1]}, which ended")


def descendants(root):
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
    found, frontier = [], [root]
    while frontier:
        frontier = [child for child, parent in parents.items() if parent in frontier]
        found.extend(frontier)
    return found


def alive(pid):
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def describe(pid):
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return str(pid)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("binary", "example", "scratch", "artefacts"):
        parser.add_argument("--" + name, required=True)
    sys.exit(Drive(parser.parse_args()).run())
