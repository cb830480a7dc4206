package core

// desktopLocale: a desktop session on Linux has LANG.
func desktopLocale() string { return "" }
