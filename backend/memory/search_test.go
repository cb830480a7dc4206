package memory

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// library is what a person might keep.
var library = map[string]string{
	"Wi-Fi at home":       "The network is called Alder. The router stands in the hall; restart it when the internet is slow.",
	"Allergies":           "I am allergic to peanuts and to penicillin. My sister Ana can't eat gluten.",
	"Car":                 "A blue Škoda, plate 4321 KLM. Its insurance ends in March. Tyres: 205/55 R16.",
	"Coffee":              "I drink it black. The grinder is set to 14 for espresso and 28 for filter.",
	"Garden":              "Tomatoes stand by the south wall. The drip irrigation runs at six in the morning. Compost behind the shed.",
	"House style":         "Write dates as 3 May 2026. No exclamation marks. British spelling in everything that goes to customers.",
	"Vacaciones en Cádiz": "El apartamento está en la calle Sagasta. Las llaves las tiene la vecina, Pilar.",
	"会议记录":                "每周一上午十点开会，地点在三楼。",
	"Deploy":              "The staging server is deployed with make stage; production needs two approvals and happens on Tuesdays.",
	"Team":                "Maya leads design, Tom writes the backend, and Ines does support. Standup is at half past nine.",
}

func TestWhatFitsAMessageIsFoundAndOnlyThat(t *testing.T) {
	d := open(t)
	for title, text := range library {
		d.put("knowledge/"+nameOf(title)+".md", text)
	}
	d.put("skills/meeting-notes/SKILL.md", "---\nname: meeting-notes\ndescription: How to take minutes of a meeting and send them around.\n---\nWrite who was there.")
	for message, want := range map[string]string{
		"What is our wifi at home called?":                           "Wi-Fi at home",
		"my internet is slow again, the router?":                     "Wi-Fi at home",
		"plan a dinner for my sister, she has allergies":             "Allergies",
		"when does the insurance of my car end":                      "Car",
		"ESPRESSO: which setting for the grinder?":                   "Coffee",
		"When should I water the tomatoes in the garden":             "Garden",
		"¿Quién tiene las llaves del apartamento de las vacaciones?": "Vacaciones en Cádiz",
		"vacaciones en cadiz":                                        "Vacaciones en Cádiz",
		"会议记录在哪里":                                                    "会议记录",
		"how do I deploy to production":                              "Deploy",
		"who does support in the team":                               "Team",
		"take minutes of the meeting":                                "meeting-notes",
		"write this text in our house style: Dear customer":          "House style",
	} {
		found, err := d.Relevant(t.Context(), message, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 || found[0].Title != want {
			t.Errorf("%q finds %v, not %q first", message, found, want)
		}
	}
	for _, message := range []string{
		"", " ", "?", "hello", "thanks, that is all", "What is the capital of Mongolia?", "translate “good night” into Portuguese", "explain how a transistor amplifies a current",
		"¿cuánto es 12 por 14?", "qué tiempo hace hoy en Oslo", "\x00\xff", "🙂",
	} {
		if found, err := d.Relevant(t.Context(), message, 3); err != nil || len(found) != 0 {
			t.Errorf("%q finds %v, %v", message, found, err)
		}
	}
}

func TestALongMessageIsRankedByItsBeginning(t *testing.T) {
	d := open(t)
	for title, text := range library {
		d.put("knowledge/"+nameOf(title)+".md", text)
	}
	noise := strings.Repeat("lorem ipsum dolor sit amet consectetur adipiscing elit sed eiusmod tempor ", 100_000)
	found, err := d.Relevant(t.Context(), "When does the insurance of my car end? Here is a letter: "+noise, 3)
	if err != nil || len(found) != 1 || found[0].Title != "Car" {
		t.Errorf("got %v, %v", found, err)
	}
}

func TestTheIndexFollowsTheFiles(t *testing.T) {
	d := open(t)
	for n := range 300 {
		d.put(fmt.Sprintf("knowledge/note %d.md", n), fmt.Sprintf("The zebra number%d lives here.", n))
	}
	first := func(message string) string {
		found, err := d.Relevant(t.Context(), message, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			return ""
		}
		return found[0].Title
	}
	if got := first("number77"); got != "note 77" {
		t.Errorf("got %q", got)
	}
	for round := range 5 { // removed and changed ones leave no trace
		d.put("knowledge/note 77.md", fmt.Sprintf("A walrus%d.", round))
		os.Remove(d.file(fmt.Sprintf("knowledge/note %d.md", round)))
		walrus, zebra := fmt.Sprintf("walrus%d", round), fmt.Sprintf("number%d", 250+round)
		d.soon("the change", func() bool { return first(walrus) == "note 77" && len(d.items()) == 299-round })
		if got := first(zebra); got != fmt.Sprintf("note %d", 250+round) {
			t.Errorf("got %q", got)
		}
	}
	if first("walrus3") == "note 77" && first("walrus3 walrus4") != "note 77" {
		t.Error("an old text is still found")
	}
	if d.index.live != 295 || len(d.index.documents) > 600 { // a look takes in what it read before it lets go of the old
		t.Errorf("%d of %d documents", d.index.live, len(d.index.documents))
	}
}

func TestTheSameMessageFindsTheSame(t *testing.T) {
	d := open(t)
	for n := range 50 {
		d.put(fmt.Sprintf("knowledge/%02d.md", n), "The same words in each.")
	}
	first, err := d.Relevant(t.Context(), "the same words", 3)
	if err != nil || len(first) != 3 {
		t.Fatalf("got %v, %v", first, err)
	}
	for range 20 {
		if again, _ := d.Relevant(t.Context(), "the same words", 3); !slices.Equal(first, again) {
			t.Fatalf("first %v, then %v", first, again)
		}
	}
}

func TestMentionsAreTitlesAfterAnAt(t *testing.T) {
	d := open(t)
	for _, title := range []string{"car", "car insurance", "Café", "C++ notes", "v1.0", "a/b", "会议记录", "trip (2026)"} {
		d.put("knowledge/"+nameOf(title)+".md", "x")
	}
	d.put("knowledge/broken.md", "\x00")
	for text, want := range map[string]string{
		"see @car": "car", "@car": "car", "@CAR, please": "car", "(@car)": "car", "@car.": "car", "@car's plate": "car", "see\n@car\nnow": "car",
		"@car insurance ends": "car insurance", "@Car Insurance": "car insurance", "@\"car\" insurance": "car", "@\"car insurance\"!": "car insurance",
		"@cafe\u0301": "Café", "@CAFÉ": "Café", "@C++ notes": "C++ notes", "@v1.0.": "v1.0", "@a/b": "a/b", "@会议记录": "会议记录", "看 @会议记录 吧": "会议记录", "@trip (2026)": "trip (2026)",
		"@car and @v1.0 and @Car": "car|v1.0", "@v1.0 @car": "v1.0|car",
		"@cars": "", "@carpet": "", "@ca": "", "me@car": "", "@@car": "car", "@": "", "@@": "", "@ car": "", "@\"car": "", "@\"\"": "", "@nobody": "", "@broken": "", "car": "", "@car_x": "",
		"@car\xff": "car", "\xff@car": "car", "@\xffcar": "", strings.Repeat("@", 10_000): "", "@" + strings.Repeat("car ", 10_000): "car",
	} {
		found, err := d.Mentions(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, m := range found {
			titles = append(titles, m.Title)
		}
		if got := strings.Join(titles, "|"); got != want {
			t.Errorf("%.60q mentions %q, not %q", text, got, want)
		}
	}
}
