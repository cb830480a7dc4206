package window

import "strings"

// word is one text of the native menu in each language.
type word struct{ en, es string }

func (w word) in(language string) string {
	if language == "es" {
		return w.es
	}
	return w.en
}

// languageOf is the language of the menu: what the person chose, else the system's where Portico speaks it, else English.
func languageOf(chosen, locale string) string {
	if chosen == "en" || chosen == "es" {
		return chosen
	}
	if base, _, _ := strings.Cut(locale, "-"); base == "es" {
		return "es"
	}
	return "en"
}

var (
	wordFile        = word{"File", "Archivo"}
	wordNewChat     = word{"New Chat", "Chat nuevo"}
	wordCloseTab    = word{"Close Tab", "Cerrar pestaña"}
	wordReopenTab   = word{"Reopen Closed Tab", "Reabrir pestaña cerrada"}
	wordSettings    = word{"Settings…", "Ajustes…"}
	wordQuit        = word{"Quit", "Salir"}
	wordEdit        = word{"Edit", "Editar"}
	wordUndo        = word{"Undo", "Deshacer"}
	wordRedo        = word{"Redo", "Rehacer"}
	wordCut         = word{"Cut", "Cortar"}
	wordCopy        = word{"Copy", "Copiar"}
	wordPaste       = word{"Paste", "Pegar"}
	wordSelectAll   = word{"Select All", "Seleccionar todo"}
	wordView        = word{"View", "Ver"}
	wordPalette     = word{"Command Palette…", "Paleta de comandos…"}
	wordSidebar     = word{"Show or Hide Sidebar", "Mostrar u ocultar barra lateral"}
	wordNextTab     = word{"Next Tab", "Pestaña siguiente"}
	wordPreviousTab = word{"Previous Tab", "Pestaña anterior"}
	wordZoomIn      = word{"Zoom In", "Ampliar"}
	wordZoomOut     = word{"Zoom Out", "Reducir"}
	wordZoomReset   = word{"Actual Size", "Tamaño real"}
	wordTheme       = word{"Theme", "Tema"}
	wordSystem      = word{"Follow the System", "Como el sistema"}
	wordLight       = word{"Light", "Claro"}
	wordDark        = word{"Dark", "Oscuro"}
	wordHelp        = word{"Help", "Ayuda"}
	wordLogs        = word{"Show Logs", "Mostrar registros"}
	wordAbout       = word{"About Portico", "Acerca de Portico"}
)
