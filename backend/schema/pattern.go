package schema

import (
	"fmt"
	"regexp"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternLimit bounds one match: an author's pattern may be one that takes years on the wrong text, and it is the host
// that would hang.
const patternLimit = 250 * time.Millisecond

// maxPattern bounds a pattern's length in bytes; the longest ones known, for mail addresses, have 6,000.
const maxPattern = 20_000

// pattern reads as ECMAScript with its u flag does (JSON Schema 2020-12, 6.4), look-behind and named groups included.
type pattern struct {
	*regexp2.Regexp
	effort *effort
}

func (p pattern) MatchString(text string) bool {
	begin := time.Now()
	matched, err := p.Regexp.MatchString(text)
	if p.effort.matching -= time.Since(begin); err != nil || p.effort.matching < 0 {
		panic(exhausted{fmt.Sprintf("the pattern %q takes too long on this text", p.String())})
	}
	return matched
}

// pattern compiles one pattern whose matches count as this effort's.
func (e *effort) pattern(source string) (jsonschema.Regexp, error) {
	if len(source) > maxPattern {
		return nil, fmt.Errorf("a pattern is longer than %d bytes", maxPattern)
	}
	compiled, err := regexp2.Compile(properties.ReplaceAllStringFunc(source, shortProperty), regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q can't be read: %w", source, err)
	}
	compiled.MatchTimeout = patternLimit
	return pattern{compiled, e}, nil
}

// properties are ECMAScript's long forms of \p{…}, which the engine knows only short.
var properties = regexp.MustCompile(`\\[pP]\{(?:(?:Script|sc|Script_Extensions|scx|General_Category|gc)=)?[A-Za-z_]+\}`)

var longForm = regexp.MustCompile(`^(\\[pP]\{)(?:[A-Za-z_]+=)?([A-Za-z_]+)\}$`)

// categories are the long names of general categories (unicode.org, UAX 44, table 12).
var categories = map[string]string{
	"Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
	"Number": "N", "Decimal_Number": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
	"Punctuation": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe",
	"Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
	"Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So",
	"Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp",
	"Other": "C", "Control": "Cc", "Format": "Cf", "Private_Use": "Co", "Surrogate": "Cs",
	"Alphabetic": "L", "Uppercase": "Lu", "Lowercase": "Ll",
}

func shortProperty(long string) string {
	parts := longForm.FindStringSubmatch(long)
	if parts == nil {
		return long
	}
	name := parts[2]
	if short, ok := categories[name]; ok {
		name = short
	}
	return parts[1] + name + "}"
}
