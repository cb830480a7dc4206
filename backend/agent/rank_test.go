package agent

import (
	"fmt"
	"strings"
	"testing"

	"portico/backend/extension"
)

// tools parses "extension/tool | description | trigger; trigger".
func tools(lines string) []Offer {
	var offers []Offer
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		fields := strings.SplitN(strings.TrimSpace(line), "|", 3)
		id, name, _ := extension.SplitAddress(strings.TrimSpace(fields[0]))
		tool := extension.Tool{Name: name, Description: strings.TrimSpace(fields[1])}
		if len(fields) == 3 {
			for _, t := range strings.Split(fields[2], ";") {
				if t = strings.TrimSpace(t); t != "" {
					tool.Triggers = append(tool.Triggers, t)
				}
			}
		}
		offers = append(offers, Offer{Copy: &extension.Copy{Extension: extension.Extension{ID: id, Format: extension.Loca, DisplayName: strings.ReplaceAll(id, "-", " "), Tools: []extension.Tool{tool}}}, Tool: tool})
	}
	return offers
}

const shelf = `
wordcount/word_count | Count the words and characters in a piece of text. Use when the user asks how long something is. | how many words is this; count the words in this; how long is this
files/list_files | List the files in a folder. | what is in this folder; show my files
files/read_file | Read a text file and give its content. | read this file; open the file
files/write_file | Write text into a file. | save this to a file
files/delete_file | Delete a file from disk. | remove this file
files/find_files | Find files by name or pattern. | where is my file
files/rename_file | Rename or move a file. | rename this; move this file
web/web_search | Search the web and give the best results. | search the web for; look this up online; google this
web/fetch_webpage | Fetch a web page and give its readable text. | read this page; summarise this website
web/download_url | Download a file from an address into Downloads. | download this
web/open_website | Open a website in the browser. | open the site; go to
calc/calculator | Evaluate an arithmetic expression. | what is 2 plus 2; calculate this; how much is
calc/convert_units | Convert between units of length, weight, temperature and volume. | convert miles to kilometres; how many grams in an ounce
calc/convert_currency | Convert an amount of money between currencies with today's rate. | how much is 20 dollars in euros; exchange rate
calc/percentage | Work out a percentage of a number. | what is 15 percent of 80
time/get_datetime | Get the current date and time. | what time is it; what day is today
time/world_clock | Get the time in another city. | what time is it in Tokyo
time/set_timer | Start a timer that rings after a while. | set a timer for ten minutes; remind me in
time/stopwatch | Start and stop a stopwatch. | start the stopwatch
weather/get_weather | Get the current weather for a place. | what's the weather like; is it raining
weather/forecast | Get the weather forecast for the coming days. | will it rain tomorrow; weather this weekend
mail/send_email | Send an email from the person's account. | email this to; write an email
mail/search_mail | Search the mailbox for messages. | find the email from
mail/list_unread | List unread emails. | any new mail; check my inbox
calendar/list_events | List the events in the calendar. | what's on my calendar; what do I have today
calendar/create_event | Create an event in the calendar. | schedule a meeting; add an appointment
calendar/delete_event | Delete an event from the calendar. | cancel the meeting
notes/create_note | Create a note. | take a note; write this down
notes/search_notes | Search the notes. | find my note about
notes/append_note | Add text to the end of a note. | add this to my note
tasks/add_task | Add a task to the to-do list. | remind me to; add a to-do
tasks/list_tasks | List open tasks. | what do I have to do; show my to-do list
tasks/complete_task | Mark a task as done. | I finished; tick off
translate/translate_text | Translate text from one language into another. | how do you say; translate this into Spanish; traduce esto
translate/detect_language | Detect the language of a text. | what language is this
images/resize_image | Resize an image to a given width and height. | make this picture smaller
images/convert_image | Convert an image between PNG, JPEG and WebP. | turn this png into a jpg
images/describe_image | Describe what is in a picture. | what is in this photo
images/remove_background | Remove the background of a picture. | cut out the background
pdf/merge_pdf | Merge several PDF files into one. | join these pdfs; combine pdf
pdf/split_pdf | Split a PDF into single pages. | extract pages from the pdf
pdf/pdf_to_text | Extract the text of a PDF. | read this pdf
music/play_music | Play a song, an album or an artist. | play some jazz; put on music
music/pause_music | Pause the music. | stop the music
music/next_track | Skip to the next song. | skip this song
system/battery_status | Tell the state of the battery. | how much battery is left
system/disk_usage | Tell how full the disks are. | how much space is left; is my disk full
system/list_processes | List running programs by memory or processor use. | what is slowing down my computer
system/set_volume | Set the volume of the sound. | turn it up; make it louder
system/take_screenshot | Take a picture of the screen. | screenshot this
system/open_app | Open an application. | launch; start the program
git/git_log | Show the last commits of a repository. | what changed lately
git/git_diff | Show uncommitted changes. | what did I change
git/create_branch | Create a git branch. | make a new branch
health/log_meal | Log a meal with its calories. | I ate; add a meal
health/count_calories | Estimate the calories of a dish. | how many calories are in
health/log_weight | Log the body weight. | I weigh
recipes/find_recipe | Find a recipe for given ingredients. | what can I cook with; recipe for
maps/directions | Give directions between two places. | how do I get to; way to
maps/nearby | Find places nearby, such as restaurants or pharmacies. | restaurants near me
news/headlines | Get today's news headlines. | what's in the news
text/summarize | Summarise a long text. | give me the gist; tl;dr
text/fix_spelling | Correct spelling and grammar. | fix the typos; proofread this
text/change_case | Change a text to upper or lower case. | make this uppercase
jokes/tell_joke | Tell a joke. | make me laugh
passwords/generate_password | Generate a strong random password. | I need a new password
qr/make_qr_code | Make a QR code for a text or an address. | qr for this link
es/contar_palabras | Cuenta las palabras y los caracteres de un texto. | cuántas palabras tiene esto; cuenta las palabras
es/buscar_vuelos | Busca vuelos entre dos ciudades en una fecha. | vuelos a; quiero volar a
es/clima | Da el tiempo que hace en una ciudad. | qué tiempo hace; va a llover
zh/天气 | 查询城市的天气 | 今天天气怎么样
`

func TestThePersonFindsTheToolTheyMean(t *testing.T) {
	offers := tools(shelf)
	if len(offers) < 60 {
		t.Fatalf("only %d tools are on the shelf", len(offers))
	}
	for query, want := range map[string]string{
		"how many words is this":                                 "wordcount/word_count",
		"How many words is this?":                                "wordcount/word_count",
		"count the words in this text for me please":             "wordcount/word_count",
		"word_count":                                             "wordcount/word_count",
		"run wordcount/word_count on my essay":                   "wordcount/word_count",
		"please use word_count to find files and search the web": "wordcount/word_count",
		"number of characters in a text":                         "wordcount/word_count",
		"what's in my downloads folder":                          "files/list_files",
		"delete the file report.txt":                             "files/delete_file",
		"renaming a file":                                        "files/rename_file",
		"search the web for cats":                                "web/web_search",
		"look up the capital of Peru online":                     "web/web_search",
		"download this video":                                    "web/download_url",
		"calculate 3 * 17":                                       "calc/calculator",
		"convert 5 miles to kilometres":                          "calc/convert_units",
		"how much is 30 dollars in euros":                        "calc/convert_currency",
		"what time is it":                                        "time/get_datetime",
		"what time is it in Tokyo":                               "time/world_clock",
		"set a timer for 5 minutes":                              "time/set_timer",
		"is it raining in Oslo":                                  "weather/get_weather",
		"weather forecast for the weekend":                       "weather/forecast",
		"send an email to Ana":                                   "mail/send_email",
		"do I have unread emails":                                "mail/list_unread",
		"what's on my calendar today":                            "calendar/list_events",
		"schedule a meeting with Bob":                            "calendar/create_event",
		"find my note about the boiler":                          "notes/search_notes",
		"take a note":                                            "notes/create_note",
		"add buy milk to my to-do list":                          "tasks/add_task",
		"translate this into French":                             "translate/translate_text",
		"translation":                                            "translate/translate_text",
		"what language is this":                                  "translate/detect_language",
		"resizing images":                                        "images/resize_image",
		"turn this png into a jpg":                               "images/convert_image",
		"combine these PDF files":                                "pdf/merge_pdf",
		"extract the text from a pdf":                            "pdf/pdf_to_text",
		"play some music":                                        "music/play_music",
		"how much battery is left":                               "system/battery_status",
		"is my disk full?":                                       "system/disk_usage",
		"take a screenshot":                                      "system/take_screenshot",
		"show the last commits":                                  "git/git_log",
		"how many calories are in a pizza":                       "health/count_calories",
		"recipe for lentils":                                     "recipes/find_recipe",
		"restaurants near me":                                    "maps/nearby",
		"news headlines":                                         "news/headlines",
		"summarise this article":                                 "text/summarize",
		"fix the typos in my letter":                             "text/fix_spelling",
		"tell me a joke":                                         "jokes/tell_joke",
		"generate a random password":                             "passwords/generate_password",
		"I need a QR code":                                       "qr/make_qr_code",
		"cuantas palabras tiene esto":                            "es/contar_palabras",
		"¿Cuántas PALABRAS tiene este texto?":                    "es/contar_palabras",
		"quiero volar a Lima":                                    "es/buscar_vuelos",
		"busca un vuelo para el lunes":                           "es/buscar_vuelos",
		"traduce esto":                                           "translate/translate_text",
		"¿va a llover mañana?":                                   "es/clima",
		"今天天气怎么样":                                                "zh/天气",
		"北京天气":                                                   "zh/天气",
		"passw":                                                  "passwords/generate_password",
	} {
		best := Rank(query, offers)
		if len(best) == 0 || best[0].Address != want {
			var got []string
			for _, m := range best[:min(len(best), 4)] {
				got = append(got, fmt.Sprintf("%s %.2f", m.Address, m.Score))
			}
			t.Errorf("%q gives %v, not %s first", query, got, want)
		}
	}
}

func TestWhatFitsNothingGivesNothing(t *testing.T) {
	offers := tools(shelf)
	for _, query := range []string{"", "   ", "?!…", "zxqv wvut", "the of and", "🦊"} {
		if best := Rank(query, offers); len(best) != 0 {
			t.Errorf("%q gives %d tools, the first %s with %.2f", query, len(best), best[0].Address, best[0].Score)
		}
	}
	if best := Rank("count words", nil); best == nil || len(best) != 0 {
		t.Errorf("without tools there is %v", best)
	}
}

func TestTheOrderDependsOnNothingElse(t *testing.T) {
	offers := tools(shelf)
	want := fmt.Sprint(Rank("find the file with the weather report", offers))
	for n := range len(offers) {
		turned := append(append([]Offer(nil), offers[n:]...), offers[:n]...)
		if got := fmt.Sprint(Rank("find the file with the weather report", turned)); got != want {
			t.Fatalf("turned by %d the order is\n%s\nnot\n%s", n, got, want)
		}
	}
}

func TestAMatchSaysWhatTheCardShows(t *testing.T) {
	offers := tools("wordcount/word_count | Counts. | x")
	offers[0].Tool.Permissions = []extension.Permission{{Kind: extension.Net, Host: "*"}}
	m := Rank("word count", offers)[0]
	if m.Title != "Word count" || m.Extension != "wordcount" || m.Text != "Counts." || !m.Touches || m.Score <= 0 {
		t.Errorf("the match is %+v", m)
	}
}

func TestTheModelSeesAllToolsWhileTheyAreFew(t *testing.T) {
	offers := tools(shelf)[:MaxTools]
	chosen := Choose("anything at all", nil, offers, MaxTools)
	if len(chosen) != MaxTools {
		t.Fatalf("%d of %d are shown", len(chosen), MaxTools)
	}
	for n := 1; n < len(chosen); n++ {
		if chosen[n-1].Address() >= chosen[n].Address() {
			t.Fatalf("%s stands before %s: the order is not stable", chosen[n-1].Address(), chosen[n].Address())
		}
	}
}

func TestOfManyToolsTheModelSeesThoseThatFit(t *testing.T) {
	offers := tools(shelf)
	for n := range offers {
		if offers[n].Tool.Name == "stopwatch" {
			offers[n].Tool.AlwaysAvailable = true
		}
	}
	has := func(chosen []Offer, address string) bool {
		for _, o := range chosen {
			if o.Address() == address {
				return true
			}
		}
		return false
	}
	chosen := Choose("merge these pdf files, then use git_diff", []string{"what's the weather like", "merge these pdf files, then use git_diff"}, offers, 5)
	for _, want := range []string{"pdf/merge_pdf", "git/git_diff", "time/stopwatch", "weather/get_weather"} {
		if !has(chosen, want) {
			t.Errorf("%s is not among %v", want, addresses(chosen))
		}
	}
	if len(chosen) != 5 {
		t.Errorf("%d are shown: %v", len(chosen), addresses(chosen))
	}
	chosen = Choose("word_count, git_log and git_diff", nil, offers, 2)
	for _, want := range []string{"wordcount/word_count", "git/git_log", "git/git_diff", "time/stopwatch"} {
		if !has(chosen, want) {
			t.Errorf("%s is named or always there, and not among %v", want, addresses(chosen))
		}
	}
	if len(Choose("zxqv", nil, offers, 7)) != 7 {
		t.Error("places stay empty when nothing fits")
	}
}

func addresses(offers []Offer) []string {
	var all []string
	for _, o := range offers {
		all = append(all, o.Address())
	}
	return all
}
