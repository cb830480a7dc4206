"""A desktop's settings portal with one setting: portal.py. It reads "dark" and "light" from its input, and says "ready"."""
import sys

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

INTERFACE = """<node><interface name="org.freedesktop.portal.Settings">
<method name="Read"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
<signal name="SettingChanged"><arg type="s"/><arg type="s"/><arg type="v"/></signal>
</interface></node>"""
PATH = "/org/freedesktop/portal/desktop"
SCHEMES = {"dark": 1, "light": 2}

scheme = SCHEMES["light"]


def call(_bus, _sender, _path, _interface, _method, _arguments, invocation):
    inner = GLib.Variant("v", GLib.Variant("u", scheme))  # Read wraps its answer twice
    invocation.return_value(GLib.Variant("(v)", (inner,)))


def read(channel, _condition):
    global scheme
    word = channel.readline().strip()
    if not word:
        loop.quit()
        return False
    scheme = SCHEMES[word]
    bus.emit_signal(None, PATH, "org.freedesktop.portal.Settings", "SettingChanged",
                    GLib.Variant("(ssv)", ("org.freedesktop.appearance", "color-scheme", GLib.Variant("u", scheme))))
    return True


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], call, None, None)
loop = GLib.MainLoop()
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, read)
Gio.bus_own_name_on_connection(bus, "org.freedesktop.portal.Desktop", Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None)
loop.run()
