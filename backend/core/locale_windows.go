package core

import "golang.org/x/sys/windows"

// desktopLocale is the first display language that the person chose; Windows has no LANG.
func desktopLocale() string {
	names, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil || len(names) == 0 {
		return ""
	}
	return names[0]
}
