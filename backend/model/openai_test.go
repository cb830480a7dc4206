package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"portico/backend/extension"
	"portico/backend/model"
	"portico/backend/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a scripted model for one test.
func serve(t *testing.T, script modeltest.Script) *modeltest.Server {
	t.Helper()
	server, err := modeltest.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// client makes one that leaves no connection behind and does not wait between tries.
func client(t *testing.T, url string, options ...model.Option) *model.OpenAI {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return model.NewOpenAI(url, append([]model.Option{model.WithHTTP(&http.Client{Transport: transport}), model.WithRetries(4, time.Millisecond)}, options...)...)
}

type heard struct {
	text, thinking string
	calls          []model.ToolCall
	usage          *model.Usage
	reason         model.Reason
	events         int
}

func listen(t *testing.T, c *model.OpenAI, r model.Request) (heard, error) {
	t.Helper()
	var h heard
	for event, err := range c.Stream(t.Context(), r) {
		if err != nil {
			return h, err
		}
		h.events++
		switch event.Kind {
		case model.Text:
			h.text += event.Text
		case model.Reasoning:
			h.thinking += event.Text
		case model.Call:
			h.calls = append(h.calls, *event.Call)
		case model.Used:
			h.usage = event.Usage
		case model.Finish:
			h.reason = event.Reason
		}
	}
	return h, nil
}

func question(text string) model.Request {
	return model.Request{Model: "scripted", Messages: []model.Message{{Role: model.User, Text: text}}}
}

func TestTextArrivesInPiecesAndInOrder(t *testing.T) {
	server := serve(t, modeltest.Always(modeltest.Say("The quick brown fox says “¡olé!” to 🦊.")))
	h, err := listen(t, client(t, server.URL), question("speak"))
	if err != nil {
		t.Fatal(err)
	}
	if h.text != "The quick brown fox says “¡olé!” to 🦊." || h.events < 5 {
		t.Errorf("heard %q in %d events", h.text, h.events)
	}
	if h.reason != model.Stopped || h.usage == nil || h.usage.Input != 1 {
		t.Errorf("the answer ended with %q and usage %+v", h.reason, h.usage)
	}
}

func TestToolCallsThatAreSplitInTheMiddleOfATokenAreWhole(t *testing.T) {
	args := `{"text":"naïve \"quoted\" \u00e9 line\nbreak","n":12345678901234567,"deep":{"a":[1,2,{"b":null}]}}`
	server := serve(t, modeltest.Always(modeltest.Reply{Steps: []modeltest.Step{
		{Text: "Let me count."},
		{Call: &modeltest.Call{ID: "call_a", Name: "word_count", ArgText: args}},
		{Call: &modeltest.Call{ID: "call_b", Name: "word_count", ArgText: `{"text":"b"}`}},
	}}))
	h, err := listen(t, client(t, server.URL), question("count"))
	if err != nil {
		t.Fatal(err)
	}
	want := []model.ToolCall{{ID: "call_a", Name: "word_count", Args: args}, {ID: "call_b", Name: "word_count", Args: `{"text":"b"}`}}
	if fmt.Sprint(h.calls) != fmt.Sprint(want) || h.text != "Let me count." || h.reason != model.Calls {
		t.Errorf("heard %+v", h)
	}
}

func TestTheRequestSaysEverything(t *testing.T) {
	server := serve(t, modeltest.Always(modeltest.Say("ok")))
	schema := `{"type":"object","required":["z","a"],"properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"type":"string"}}}`
	request := model.Request{Model: "scripted", System: "Be brief.", MaxTokens: 77,
		Messages: []model.Message{
			{Role: model.User, Text: "count"},
			{Role: model.Assistant, Text: "Sure.", Calls: []model.ToolCall{{ID: "c1", Name: "t", Args: `{"a":"x"}`}, {ID: "c2", Name: "t", Args: `{broken`}}},
			{Role: model.Result, CallID: "c1", Text: `{"n":1}`}, {Role: model.Result, CallID: "c2", Text: `{"error":"no JSON"}`},
		},
		Tools: []model.Tool{{Name: "t", Description: "does t", Schema: json.RawMessage(schema)}, {Name: "bare"}},
	}
	if _, err := listen(t, client(t, server.URL, model.WithKeys(func(context.Context) (string, error) { return "secret", nil })), request); err != nil {
		t.Fatal(err)
	}
	got := server.Requests()[0]
	if got.Model != "scripted" || !got.Stream || got.Header.Get("Authorization") != "Bearer secret" {
		t.Errorf("the request was for %q, streaming %v, key %q", got.Model, got.Stream, got.Header.Get("Authorization"))
	}
	if !strings.Contains(string(got.Raw), schema) {
		t.Errorf("the schema went out changed: %s", got.Raw)
	}
	if !strings.Contains(string(got.Raw), `"max_tokens":77`) || !strings.Contains(string(got.Raw), `"include_usage":true`) {
		t.Errorf("limit or usage is missing: %s", got.Raw)
	}
	roles := ""
	for _, m := range got.Messages {
		roles += m.Role + " "
	}
	if roles != "system user assistant tool tool " {
		t.Errorf("the roles were %s", roles)
	}
	calls := got.Messages[2].ToolCalls
	if len(calls) != 2 || calls[0].Function.Arguments != `{"a":"x"}` || calls[1].Function.Arguments != "{}" || calls[0].Type != "function" {
		t.Errorf("the calls went out as %+v", calls)
	}
	if bare := string(got.Tools[1].Function.Parameters); bare != `{"type":"object","properties":{}}` {
		t.Errorf("a tool without a schema went out with %s", bare)
	}
}

func TestTheEnvironmentDoesNotLeakIn(t *testing.T) {
	server := serve(t, modeltest.Always(modeltest.Say("ok")))
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request went where the environment says") }))
	defer elsewhere.Close()
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "leaked", "OPENAI_BASE_URL": elsewhere.URL, "OPENAI_ORG_ID": "leaked", "OPENAI_PROJECT_ID": "leaked",
		"OPENAI_CUSTOM_HEADERS": "X-Leak: leaked", "HTTP_PROXY": elsewhere.URL, "http_proxy": elsewhere.URL,
	} {
		t.Setenv(name, value)
	}
	if _, err := listen(t, client(t, server.URL), question("hi")); err != nil {
		t.Fatal(err)
	}
	if _, err := model.List(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	for name, values := range server.Requests()[0].Header {
		if strings.Contains(strings.Join(values, " "), "leaked") {
			t.Errorf("the header %s carries %v", name, values)
		}
	}
}

// chunk writes one SSE event.
func chunk(text string) string { return "data: " + text + "\n\n" }

func delta(fields string) string {
	return chunk(`{"choices":[{"index":0,"delta":{` + fields + `}}]}`)
}

const done = "data: [DONE]\n\n"

func TestServersThatBendTheProtocolAreUnderstood(t *testing.T) {
	finish := func(reason string) string {
		return chunk(`{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`)
	}
	for _, c := range []struct {
		name, wire, text, thinking, calls string
		reason                            model.Reason
	}{
		{name: "ids are missing", wire: delta(`"tool_calls":[{"index":0,"function":{"name":"t","arguments":"{\"a\":1}"}}]`) + finish("tool_calls") + done, calls: `t{"a":1}`, reason: model.Calls},
		{name: "indexes are missing, whole calls", wire: delta(`"tool_calls":[{"id":"x","function":{"name":"t","arguments":"{}"}},{"id":"y","function":{"name":"u","arguments":"{}"}}]`) + finish("tool_calls") + done, calls: `t{} u{}`, reason: model.Calls},
		{name: "ids and indexes are missing", wire: delta(`"tool_calls":[{"function":{"name":"t","arguments":""}}]`) + delta(`"tool_calls":[{"function":{"arguments":"{\"a\""}}]`) + delta(`"tool_calls":[{"function":{"arguments":":1}"}}]`) + delta(`"tool_calls":[{"function":{"name":"t","arguments":"{\"a\":2}"}}]`) + finish("stop") + done, calls: `t{"a":1} t{"a":2}`, reason: model.Calls},
		{name: "every call has the index 0", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":"{\"a\":1}"}}]`) + delta(`"tool_calls":[{"index":0,"id":"y","function":{"name":"t","arguments":"{\"a\":2}"}}]`) + finish("stop") + done, calls: `t{"a":1} t{"a":2}`, reason: model.Calls},
		{name: "two calls have one id", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":"{}"}},{"index":1,"id":"x","function":{"name":"u","arguments":"{}"}}]`) + finish("stop") + done, calls: `t{} u{}`, reason: model.Calls},
		{name: "the name comes with every chunk", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":"{\"a\""}}]`) + delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":":1}"}}]`) + finish("tool_calls") + done, calls: `t{"a":1}`, reason: model.Calls},
		{name: "an id is made up for every chunk", wire: delta(`"tool_calls":[{"index":0,"id":"x1","function":{"name":"t","arguments":"{\"a\""}}]`) + delta(`"tool_calls":[{"index":0,"id":"x2","function":{"arguments":":1}"}}]`) + finish("tool_calls") + done, calls: `t{"a":1}`, reason: model.Calls},
		{name: "the finished call is sent again", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":"{\"a\":1}"}}]`) + delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":"{\"a\":1}"}}]`) + finish("tool_calls") + done, calls: `t{"a":1}`, reason: model.Calls},
		{name: "the name comes in pieces", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"word_"}}]`) + delta(`"tool_calls":[{"index":0,"function":{"name":"count","arguments":"{}"}}]`) + finish("tool_calls") + done, calls: `word_count{}`, reason: model.Calls},
		{name: "arguments are an object", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":{"a":[1,2]}}}]`) + finish("tool_calls") + done, calls: `t{"a":[1,2]}`, reason: model.Calls},
		{name: "arguments are an empty string", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":""}}]`) + finish("tool_calls") + done, calls: `t{}`, reason: model.Calls},
		{name: "arguments are null", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":null}}]`) + finish("tool_calls") + done, calls: `t{}`, reason: model.Calls},
		{name: "arguments are missing", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t"}}]`) + finish("tool_calls") + done, calls: `t{}`, reason: model.Calls},
		{name: "arguments are JSON in JSON", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":"\"{\\\"a\\\":1}\""}}]`) + finish("tool_calls") + done, calls: `t{"a":1}`, reason: model.Calls},
		{name: "arguments are broken", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":"{\"a\":"}}]`) + finish("tool_calls") + done, calls: `t{"a":`, reason: model.Calls},
		{name: "calls end with stop", wire: delta(`"tool_calls":[{"index":0,"id":"x","function":{"name":"t","arguments":"{}"}}]`) + finish("stop") + done, calls: `t{}`, reason: model.Calls},
		{name: "chunks without choices come in between", wire: chunk(`{"choices":[]}`) + delta(`"content":"a"`) + chunk(`{"choices":null}`) + chunk(`{"id":"x"}`) + delta(`"content":"b"`) + finish("stop") + done, text: "ab", reason: model.Stopped},
		{name: "comments keep the connection alive", wire: ": OPENROUTER PROCESSING\n\n" + delta(`"content":"a"`) + ":\n\n: ping\n" + delta(`"content":"b"`) + finish("stop") + done, text: "ab", reason: model.Stopped},
		{name: "reasoning_content", wire: delta(`"reasoning_content":"hm","content":null`) + delta(`"content":"a"`) + finish("stop") + done, text: "a", thinking: "hm", reason: model.Stopped},
		{name: "reasoning", wire: delta(`"reasoning":"hm","content":""`) + delta(`"reasoning":null,"content":"a"`) + finish("stop") + done, text: "a", thinking: "hm", reason: model.Stopped},
		{name: "thinking stands in the text", wire: delta(`"content":"\n<thi"`) + delta(`"content":"nk>so <b"`) + delta(`"content":">x</th"`) + delta(`"content":"ink>\n"`) + delta(`"content":"\nans <think> wer"`) + finish("stop") + done, text: "ans <think> wer", thinking: "so <b>x", reason: model.Stopped},
		{name: "a text begins like thinking", wire: delta(`"content":"<th"`) + delta(`"content":"ead>"`) + finish("stop") + done, text: "<thead>", reason: model.Stopped},
		{name: "a text is only the beginning of a mark", wire: delta(`"content":"<thi"`) + finish("stop") + done, text: "<thi", reason: model.Stopped},
		{name: "blank lines are missing between events", wire: strings.ReplaceAll(delta(`"content":"a"`)+delta(`"content":"b"`)+finish("stop"), "\n\n", "\n") + "data: [DONE]", text: "ab", reason: model.Stopped},
		{name: "lines end as on Windows", wire: strings.ReplaceAll(delta(`"content":"a"`)+finish("stop")+done, "\n", "\r\n"), text: "a", reason: model.Stopped},
		{name: "the last event has no end of line", wire: delta(`"content":"a"`) + strings.TrimSpace(finish("stop")), text: "a", reason: model.Stopped},
		{name: "no space follows the colon", wire: strings.ReplaceAll(delta(`"content":"a"`)+finish("stop")+done, "data: ", "data:"), text: "a", reason: model.Stopped},
		{name: "one event stands on several lines", wire: "data: {\"choices\":\ndata: [{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n" + finish("stop") + done, text: "a", reason: model.Stopped},
		{name: "error is null in every chunk", wire: chunk(`{"error":null,"choices":[{"index":0,"delta":{"content":"a"}}]}`) + finish("stop") + done, text: "a", reason: model.Stopped},
		{name: "the word error in the text", wire: delta(`"content":"\"error\": none"`) + finish("stop") + done, text: `"error": none`, reason: model.Stopped},
		{name: "no reason is given but the end is said", wire: delta(`"content":"a"`) + done, text: "a", reason: model.Stopped},
		{name: "the end is not said but a reason is given", wire: delta(`"content":"a"`) + finish("stop"), text: "a", reason: model.Stopped},
		{name: "cut at the limit", wire: delta(`"content":"a"`) + finish("length") + done, text: "a", reason: model.Length},
		{name: "withheld", wire: finish("content_filter") + done, reason: model.Filtered},
		{name: "the server does not stream", wire: `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"a","tool_calls":[{"id":"x","type":"function","function":{"name":"t","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, text: "a", calls: `t{"a":1}`, reason: model.Calls},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := listen(t, client(t, wire(t, http.StatusOK, c.wire)), question("go"))
			if err != nil {
				t.Fatal(err)
			}
			var calls []string
			ids := map[string]bool{}
			for _, call := range h.calls {
				calls = append(calls, call.Name+call.Args)
				if call.ID == "" || ids[call.ID] {
					t.Errorf("the id %q is empty or there twice", call.ID)
				}
				ids[call.ID] = true
			}
			if h.text != c.text || h.thinking != c.thinking || strings.Join(calls, " ") != c.calls || h.reason != c.reason {
				t.Errorf("heard text %q, thinking %q, calls %v, reason %q", h.text, h.thinking, calls, h.reason)
			}
		})
	}
}

// wire serves one body for every request, and gives the base address.
func wire(t *testing.T, status int, body string, headers ...string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func TestWhatGoesWrongIsSaidInWords(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		code   string
	}{
		{"OpenAI refuses the key", 401, `{"error":{"message":"Incorrect API key provided: sk-x.","type":"invalid_request_error","code":"invalid_api_key"}}`, "model.refused-key"},
		{"a proxy refuses with a page", 403, `<html>Forbidden</html>`, "model.refused-key"},
		{"Ollama has no such model", 404, `{"error":{"message":"model \"llama9\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`, "model.unknown"},
		{"OpenAI has no such model", 404, `{"error":{"message":"The model ` + "`x`" + ` does not exist or you do not have access to it.","code":"model_not_found"}}`, "model.unknown"},
		{"OpenRouter has no such model", 400, `{"error":{"message":"nope/x is not a valid model ID","code":400}}`, "model.unknown"},
		{"vLLM has no such model", 404, `{"object":"error","message":"The model ` + "`x`" + ` does not exist.","type":"NotFoundError","code":404}`, "model.unknown"},
		{"LM Studio has none loaded", 400, `{"error":{"message":"No models loaded. Please load a model in the developer page."}}`, "model.unknown"},
		{"a path that is not there", 404, `404 page not found`, "model.bad-answer"},
		{"another program's 404", 404, `<!doctype html><title>Not found</title>`, "model.bad-answer"},
		{"OpenAI finds it too long", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`, "model.too-long"},
		{"llama.cpp finds it too long", 400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":2048}}`, "model.too-long"},
		{"LM Studio finds it too long", 400, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens."}`, "model.too-long"},
		{"the body is too large", 413, ``, "model.too-long"},
		{"too many requests", 429, `{"error":{"message":"Rate limit reached"}}`, "model.busy"},
		{"no quota", 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, "model.no-credit"},
		{"no credit", 402, `{"error":{"message":"Insufficient credits","code":402}}`, "model.no-credit"},
		{"tools are not for this model", 400, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools"}}`, "model.no-tools"},
		{"a gateway's page", 502, `<html><body>502 Bad Gateway</body></html>`, "model.server-error"},
		{"a server says why it failed", 500, `{"error":{"message":"CUDA out of memory"}}`, "model.server-failed"},
		{"FastAPI's way", 422, `{"detail":"max_tokens must be positive"}`, "model.refused"},
		{"a web page answers", 200, `<!doctype html><title>My router</title>`, "model.bad-answer"},
		{"other JSON answers", 200, `{"hello":"world"}`, "model.bad-answer"},
		{"an error with a good status", 200, `{"error":{"message":"model 'x' not found"}}`, "model.unknown"},
		{"nothing at all", 200, ``, "model.dropped"},
		{"an error within the stream", 200, delta(`"content":"a"`) + chunk(`{"error":{"message":"Provider disconnected","code":502}}`), "model.server-failed"},
		{"a busy error within the stream", 200, chunk(`{"error":{"message":"slow down","code":429}}`), "model.busy"},
		{"an error as text within the stream", 200, chunk(`{"error":"llama runner process has terminated"}`), "model.server-failed"},
		{"an error event", 200, "event: error\n" + chunk(`{"message":"the prompt exceeds the context window"}`), "model.too-long"},
		{"the end comes before the end", 200, delta(`"content":"a"`), "model.dropped"},
		{"a chunk is no JSON", 200, chunk(`{"choices":[`) + done, "model.bad-answer"},
		{"a redirect", 307, ``, "model.bad-answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := listen(t, client(t, wire(t, c.status, c.body), model.WithRetries(1, time.Millisecond)), question("go"))
			var p *extension.Problem
			if !errors.As(err, &p) || p.Code != c.code {
				t.Fatalf("the error is %v (%T), not %s", err, err, c.code)
			}
			if p.What == "" || p.Next == "" || p.Detail == "" || strings.ContainsAny(p.What+p.Next, "{}") {
				t.Errorf("a person is told: what %q, next %q, detail %q", p.What, p.Next, p.Detail)
			}
		})
	}
}

func TestNobodyThereIsSaidAtOnce(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	closed.Close()
	_, err = listen(t, client(t, "http://"+address+"/v1", model.WithRetries(4, time.Hour)), question("go"))
	var p *extension.Problem
	if !errors.As(err, &p) || p.Code != "model.unreachable" || p.Params["address"] != address {
		t.Errorf("the error is %#v", err)
	}
}

func TestAPassingFailureIsTriedAgain(t *testing.T) {
	for name, fails := range map[string][]modeltest.Reply{
		"too many requests":  {{Status: 429, Headers: map[string]string{"Retry-After": "0"}}, {Status: 429, Body: `{}`}},
		"a gateway's page":   {{Status: 502, Body: "<html>"}, {Status: 503, Body: "Loading model"}},
		"a reset connection": {{Hangup: true}, {Hangup: true}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, modeltest.Script{Turns: []modeltest.Turn{{Fails: fails, Rounds: []modeltest.Reply{modeltest.Say("at last")}}}})
			h, err := listen(t, client(t, server.URL), question("go"))
			if err != nil || h.text != "at last" {
				t.Errorf("heard %q, %v", h.text, err)
			}
			if asked := len(server.Requests()); asked != 3 {
				t.Errorf("%d requests were made", asked)
			}
		})
	}
}

func TestTryingAgainHasAnEnd(t *testing.T) {
	for _, c := range []struct {
		name    string
		reply   modeltest.Reply
		asked   int
		code    string
		retries int
	}{
		{"a server that always fails", modeltest.Reply{Status: 500}, 3, "model.server-error", 2},
		{"a server that wants an hour", modeltest.Reply{Status: 429, Headers: map[string]string{"Retry-After": "3600"}}, 1, "model.busy", 2},
		{"a refusal that will not pass", modeltest.Reply{Status: 400, Body: `{"error":{"message":"no"}}`}, 1, "model.refused", 2},
		{"an answer that had begun", modeltest.Reply{Steps: []modeltest.Step{{Text: "Once upon a time"}, {Drop: true}}}, 1, "model.dropped", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := serve(t, modeltest.Always(c.reply))
			_, err := listen(t, client(t, server.URL, model.WithRetries(c.retries, time.Millisecond)), question("go"))
			var p *extension.Problem
			if !errors.As(err, &p) || p.Code != c.code {
				t.Errorf("the error is %v", err)
			}
			if asked := len(server.Requests()); asked != c.asked {
				t.Errorf("%d requests were made, not %d", asked, c.asked)
			}
		})
	}
}

func TestTextBeforeADroppedConnectionIsKept(t *testing.T) {
	server := serve(t, modeltest.Always(modeltest.Reply{Steps: []modeltest.Step{{Text: "Once upon a time"}, {DelayMs: 20, Drop: true}}}))
	h, err := listen(t, client(t, server.URL), question("go"))
	if err == nil || h.text != "Once upon a time" {
		t.Errorf("heard %q, %v", h.text, err)
	}
}

func TestASilentServerIsGivenUp(t *testing.T) {
	for name, steps := range map[string][]modeltest.Step{
		"within the answer":    {{Text: "Once"}, {Hang: true}},
		"with an open thought": {{Reasoning: "hm"}, {Hang: true}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, modeltest.Always(modeltest.Reply{Steps: steps}))
			_, err := listen(t, client(t, server.URL, model.WithWaits(time.Minute, 50*time.Millisecond)), question("go"))
			var p *extension.Problem
			if !errors.As(err, &p) || p.Code != "model.silent" {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestKeepAlivesAreNoSilence(t *testing.T) {
	steps := []modeltest.Step{{Text: "Once"}}
	for range 15 {
		steps = append(steps, modeltest.Step{DelayMs: 100, Comment: "processing"})
	}
	server := serve(t, modeltest.Always(modeltest.Reply{Steps: append(steps, modeltest.Step{Text: " more"})}))
	h, err := listen(t, client(t, server.URL, model.WithWaits(time.Minute, time.Second)), question("go"))
	if err != nil || h.text != "Once more" {
		t.Errorf("heard %q, %v", h.text, err)
	}
}

func TestCancellingEndsTheRequest(t *testing.T) {
	server := serve(t, modeltest.Always(modeltest.Reply{Steps: []modeltest.Step{{Text: "Once"}, {Hang: true}}}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for event, err := range client(t, server.URL).Stream(ctx, question("go")) {
		if last = err; event.Kind == model.Text {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("the sequence ended with %v", last)
	}
	var p *extension.Problem
	if errors.As(last, &p) {
		t.Errorf("a cancel became a problem: %v", p)
	}
}

func TestCancellingEndsAPauseBetweenTries(t *testing.T) {
	server := serve(t, modeltest.Always(modeltest.Reply{Status: 503}))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	for _, err := range client(t, server.URL, model.WithRetries(1, time.Hour)).Stream(ctx, question("go")) {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the sequence gave %v", err)
		}
	}
}

func TestBreakingOffTheLoopEndsTheRequest(t *testing.T) {
	server := serve(t, modeltest.Always(modeltest.Reply{Steps: []modeltest.Step{{Text: "Once upon a time"}, {Hang: true}}}))
	for range client(t, server.URL).Stream(t.Context(), question("go")) {
		break // goleak sees a request that goes on
	}
}

// A model that runs in circles, and a server that means harm, send without an end. Each kind of it ends the answer in
// words, with memory that is bounded.
func TestAnAnswerWithoutEndIsEnded(t *testing.T) {
	chunk := func(delta string) string { return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n" }
	long := strings.Repeat("x", 64<<10)
	call := func(n int, args string) string {
		return chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"f","arguments":%q}}]}`, n, n, args))
	}
	for name, piece := range map[string]func(n int) string{
		"thoughts":             func(int) string { return chunk(`{"reasoning_content":"` + long + `"}`) },
		"a text":               func(int) string { return chunk(`{"content":"` + long + `"}`) },
		"blanks":               func(int) string { return chunk(`{"content":"` + strings.Repeat(" ", 64<<10) + `"}`) },
		"arguments":            func(int) string { return call(0, long) },
		"arguments that close": func(int) string { return call(0, strings.Repeat("{}", 32<<10)) },
		"calls":                func(n int) string { return call(n, "{}") },
		"a name":               func(int) string { return chunk(`{"tool_calls":[{"index":0,"function":{"name":"` + long + `"}}]}`) },
		"empty lines of data":  func(int) string { return strings.Repeat("data:\n", 64<<10) },
		"many calls of a chunk": func(n int) string {
			return chunk(`{"tool_calls":[` + strings.Repeat(`{"id":"","function":{"name":"f","arguments":"{}"}},`, 2000) + `{"index":0}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for n := 0; ; n++ {
					if _, err := fmt.Fprint(w, piece(n)); err != nil || r.Context().Err() != nil {
						return
					}
				}
			}))
			defer server.Close()
			_, err := listen(t, client(t, server.URL+"/v1"), question("go"))
			var p *extension.Problem
			if !errors.As(err, &p) || p.Code != "model.endless" && p.Code != "model.bad-answer" {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestLongArgumentsInSmallPiecesArePutTogether(t *testing.T) {
	text := strings.Repeat(`a}"{]\\`, 40_000)
	want, err := json.Marshal(map[string]any{"text": text, "list": []any{map[string]any{}, "}"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for at := 0; at < len(want); at += 7 {
			fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":%q}}]}}]}`+"\n\n", want[at:min(at+7, len(want))])
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	defer server.Close()
	got, err := listen(t, client(t, server.URL+"/v1"), question("go"))
	if err != nil || len(got.calls) != 1 || got.calls[0].Args != string(want) {
		t.Errorf("got %d calls, %v", len(got.calls), err)
	}
}

// What a model made up goes back to its server in the next request. Servers refuse a name of another shape, and with it
// the whole conversation from there on.
func TestNamesAndIDsThatAModelMadeUpCanBeSentBack(t *testing.T) {
	long := strings.Repeat("é", 300)
	server := serve(t, modeltest.Always(
		modeltest.Reply{Steps: []modeltest.Step{{Call: &modeltest.Call{ID: long, Name: "functions.word count\u001b[2J" + long, ArgText: "{}"}}}},
		modeltest.Say("Done."),
	))
	c := client(t, server.URL)
	got, err := listen(t, c, question("go"))
	if err != nil || len(got.calls) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if len(got.calls[0].Name) > 256 || len(got.calls[0].ID) > 256 {
		t.Errorf("the call is %+v", got.calls[0])
	}
	again := question("go")
	again.Messages = append(again.Messages, model.Message{Role: model.Assistant, Calls: got.calls}, model.Message{Role: model.Result, CallID: got.calls[0].ID, Text: "{}"})
	if _, err := listen(t, c, again); err != nil {
		t.Fatal(err)
	}
	requests := server.Requests()
	sent, err := json.Marshal(requests[len(requests)-1].Messages)
	if err != nil {
		t.Fatal(err)
	}
	body := string(sent)
	if !regexp.MustCompile(`"name":"[a-zA-Z0-9_-]{1,64}"`).MatchString(body) || strings.Contains(body, "word count") {
		t.Errorf("it was sent %s", body)
	}
}

func TestAnEventWithoutEndIsNoReasonToRunOutOfMemory(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		junk := strings.Repeat("x", 1<<20)
		fmt.Fprint(w, "data: ")
		for range 64 {
			if _, err := fmt.Fprint(w, junk); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	_, err := listen(t, client(t, server.URL+"/v1"), question("go"))
	var p *extension.Problem
	if !errors.As(err, &p) || p.Code != "model.bad-answer" {
		t.Errorf("the error is %v", err)
	}
}
