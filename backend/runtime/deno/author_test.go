package deno

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAnAuthorIsToldWhichQuestionIsNoneAndWhy(t *testing.T) {
	for _, c := range []struct{ form, want string }{
		{`"no"`, "it takes a list of questions"},
		{`[]`, "the list is empty"},
		{`[{"question":"?"},{}]`, "question 2: question is missing"},
		{`["?"]`, "question 1: it must be an object"},
		{`[{"question":"?","options":"red"}]`, "question 1: options can't be string"},
		{`[{"question":"?","options":[{"value":"a"},{"value":"a"}]}]`, `question 1: options: the value "a" stands there twice`},
		{`[{"question":"?","options":[{}]}]`, "question 1: options[0] has neither label nor value"},
		{`[{"kind":"riddle","question":"?"}]`, `question 1: kind: there is no kind "riddle"; choice, diff, files, image and table are those there are`},
		{`[{"kind":"files","question":"?","files":["/a"]}]`, "question 1: entries is missing: a list of {path, label?, description?}"},
		{`[{"kind":"files","question":"?","entries":[{"label":"A"}]}]`, "question 1: entries[0].path is missing"},
		{`[{"kind":"image","question":"?","dataB64":"!"}]`, "question 1: dataB64 is not base64"},
		{`[{"kind":"image","question":"?","dataB64":"AAAA","mime":"text/html"}]`, `question 1: mime: "text/html" is no type of image`},
		{`[{"kind":"image","question":"?","dataB64":"AAAA","mime":"image/png"}]`, "question 1: actions is missing: a list of {label, value}"},
	} {
		if questions, why := checkQuestions(json.RawMessage(c.form)); why != c.want || questions != nil {
			t.Errorf("%s: got %q", c.form, why)
		}
	}
	s := onStage(t, examples+"/questions")
	s.works("ask_badly", `{}`, `[[],[],[],[],[],[],[],[]]`)
	if !s.person.logged(`warn: askUser was given no valid question: it resolves to []: question 1: question is missing`) {
		t.Errorf("got %q", s.person.logs)
	}
}

func TestAStackLeadsThroughTheExtensionAlone(t *testing.T) {
	own := "\n    at main (file:///home/ada/cache/worker-a2771ad9e5bb2f6e/worker.ts:294:54)\n    at async file:///home/ada/cache/worker-a2771ad9e5bb2f6e/worker.ts:316:1"
	for _, c := range []struct{ name, stack, want string }{
		{"the author's lines stay", "Error: boom\n    at tool (file:///home/ada/tool/index.ts:3:9)" + own, "Error: boom\n    at tool (file:///home/ada/tool/index.ts:3:9)"},
		{"Deno's own do not", "Error: boom\n    at Object.fetch (ext:deno_fetch/26_fetch.js:2:6346)\n    at new Promise (<anonymous>)\n    at tool (file:///home/ada/tool/index.ts:3:9)" + own, "Error: boom\n    at tool (file:///home/ada/tool/index.ts:3:9)"},
		{"a stack without the author is none", "Error: boom" + own, "boom"},
		{"no stack", "", "boom"},
		{"a file of the extension that is called worker.ts is the author's", "Error: boom\n    at tool (file:///home/ada/tool/worker.ts:3:9)" + own, "Error: boom\n    at tool (file:///home/ada/tool/worker.ts:3:9)"},
	} {
		if got := thrown(frame{Message: "boom", Stack: c.stack}).Error(); got != c.want {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
}

func TestARefusedAccessNamesNoFlagOfDenos(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{`Requires net access to "127.0.0.1:8766", run again with the --allow-net flag`, `Requires net access to "127.0.0.1:8766", which is not declared or was not allowed`},
		{`Requires write access to "/a, b", run again with the --allow-write flag`, `Requires write access to "/a, b", which is not declared or was not allowed`},
		{`Requires env access, run again with the --allow-env flag`, `Requires env access, which is not declared or was not allowed`},
		{`It was run again with the --allow-net flag`, `It was run again with the --allow-net flag`},
	} {
		if got := inPorticosWords(c.message); got != c.want {
			t.Errorf("got %q", got)
		}
	}
	s := onStage(t, examples+"/everything")
	p := s.fails("net_fetch", `{"url":"http://127.0.0.1:1/"}`, "call.failed")
	if strings.Contains(p.What+p.Detail, "--allow") || !strings.Contains(p.Detail, "index.ts") || strings.Contains(p.Detail, "ext:") {
		t.Errorf("got %q, %q", p.What, p.Detail)
	}
}
