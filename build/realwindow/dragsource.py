"""A small window from which files are dragged: dragsource.py TITLE PATH...

It says "ready" when it is on the screen, "given" when the files were asked for, and "ended" when the drag is over."""
import sys
from pathlib import Path

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

window = Gtk.Window(title=sys.argv[1])
window.set_default_size(80, 80)
window.set_keep_above(True)
box = Gtk.EventBox()
window.add(box)
box.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [Gtk.TargetEntry.new("text/uri-list", 0, 0)], Gdk.DragAction.COPY)


def give(_box, _context, data, _info, _time):
    data.set_uris([Path(p).as_uri() for p in sys.argv[2:]])
    print("given", flush=True)


box.connect("drag-data-get", give)
box.connect("drag-end", lambda *_: print("ended", flush=True))
window.connect("map-event", lambda *_: print("ready", flush=True))
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
