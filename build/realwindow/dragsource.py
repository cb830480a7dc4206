"""A small window from which files are dragged: dragsource.py TITLE PATH..."""
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
box.connect("drag-data-get", lambda _box, _context, data, _info, _time: data.set_uris([Path(p).as_uri() for p in sys.argv[2:]]))
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
