package words

import (
	"strings"
	"testing"
)

func TestWordsAreTheSameInEveryForm(t *testing.T) {
	for _, forms := range [][]string{
		{"translate", "translates", "translated", "translating", "translation", "translations"}, {"image", "images"}, {"file", "files"},
		{"plan", "plans", "planning", "planned"}, {"traducir", "traduce", "traduces"}, {"palabra", "palabras"}, {"vuelo", "vuelos"},
		{"count", "counts", "counting", "counted"}, {"convert", "converter", "converting"},
	} {
		for _, form := range forms[1:] {
			if Likeness(Stem(forms[0]), Stem(form)) < 0.6 {
				t.Errorf("%q (%s) and %q (%s) are not alike", forms[0], Stem(forms[0]), form, Stem(form))
			}
		}
	}
	for text, want := range map[string]string{
		"getWeather": "get weather", "word_count": "word count", "Traducción": "traduccion", "ＦＵＬＬ width": "full width", "HTTPServer2": "httpserver2",
		"naïve café-crème": "naive cafe creme", "天气预报": "天气 气预 预报", "雨": "雨", "": "",
	} {
		if got := strings.Join(Of(text), " "); got != want {
			t.Errorf("%q has the words %q, not %q", text, got, want)
		}
	}
}
