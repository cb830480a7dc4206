package model

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"portico/backend/extension"
)

// endpoints are what people copy along with a base address, out of a server's manual.
var endpoints = []string{"/chat/completions", "/completions", "/responses", "/embeddings", "/models", "/audio/speech", "/audio/transcriptions"}

// bases are the paths of public servers whose API is not at /v1.
var bases = map[string]string{"openrouter.ai": "/api/v1", "api.groq.com": "/openai/v1", "generativelanguage.googleapis.com": "/v1beta/openai"}

// NormalizeBaseURL writes the address of a model server as clients take it, "http://127.0.0.1:11434/v1": with a scheme
// (http for this computer and the local network, https for the rest), with the path of the API where none was given, and
// without endpoint, query or last slash. An address that cannot be one is a Problem "model.bad-address".
func NormalizeBaseURL(address string) (string, error) {
	bad := func(why string) error {
		return extension.NewProblem("model.bad-address", "{address} is no address of a model server: {why}.", "Write it as in http://127.0.0.1:11434/v1.",
			"address", clip(strings.TrimSpace(address), maxSaidChars), "why", why)
	}
	text := strings.TrimSpace(address)
	if text == "" {
		return "", bad("it is empty")
	}
	if strings.ContainsAny(text, " \t\r\n") {
		return "", bad("it has a space in it")
	}
	if !strings.Contains(text, "://") {
		text = "//" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", bad("it could not be read")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	host := strings.ToLower(u.Hostname())
	switch {
	case u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https":
		return "", bad("only http and https work, not " + u.Scheme)
	case host == "":
		return "", bad("it names no host")
	case u.User != nil:
		return "", bad("a name or a key does not belong into it")
	case u.Port() == "" && strings.HasSuffix(u.Host, ":"):
		return "", bad("its port is missing")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "", bad("there is no port " + port)
		}
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1" // what a server listens on is no address to call
	}
	if u.Scheme == "" {
		u.Scheme = "https"
		if isNear(host) {
			u.Scheme = "http"
		}
	}
	return u.Scheme + "://" + joinHost(host, u.Port()) + basePath(host, u.EscapedPath()), nil
}

func joinHost(host, port string) string {
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func basePath(host, path string) string {
	path = strings.TrimRight(path, "/")
	for _, endpoint := range endpoints {
		if cut, ok := strings.CutSuffix(path, endpoint); ok {
			path = strings.TrimRight(cut, "/")
			break
		}
	}
	// "/api" is Ollama's own API, which has the other one at /v1 beside it; "/api/v0" is LM Studio's.
	if slices.Contains([]string{"", "/api", "/api/v0", "/api/chat", "/api/generate", "/api/tags"}, path) {
		if known, ok := bases[host]; ok {
			return known
		}
		return "/v1"
	}
	return path
}

// isNear says whether a host is this computer or on the local network, where nobody has certificates.
func isNear(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	return isLoopback(host) || !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".lan") || strings.HasSuffix(host, ".internal")
}

func isLoopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// hostOf is how a person names a server: host and port.
func hostOf(baseURL string) string {
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		return u.Host
	}
	return baseURL
}
