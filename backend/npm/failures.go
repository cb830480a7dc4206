package npm

import (
	"crypto/tls"
	"fmt"
	"strings"
	"time"

	"portico/backend/extension"
)

func newTLS() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS12} }

// What a person is told. Each names the package and the registry as it is configured.
const checkSetting = "Check the network and `npm config get registry`, and install again."

func badSetting(name, value string, err error) *extension.Problem {
	return extension.NewProblem("npm.bad-setting", "npm's setting {name} can't be used: {why}.", "Mend it in your .npmrc or the environment, and try again.", "name", name, "why", err.Error()).At(value).Because(err)
}

func noRegistry(name string) *extension.Problem {
	return extension.NewProblem("npm.no-registry", "Nothing says which registry {package} comes from.", "Set one with `npm config set registry ADDRESS`, or JSR_URL for JSR's packages, and install again.", "package", name)
}

func unreachable(name, registry string, err error) *extension.Problem {
	return extension.NewProblem("npm.unreachable", "The registry {registry} can't be reached for {package}.", checkSetting, "registry", shown(registry), "package", name).Because(err)
}

func silent(name, registry string, after time.Duration) *extension.Problem {
	return extension.NewProblem("npm.silent", "The registry {registry} sent nothing of {package} for {seconds} seconds.", checkSetting,
		"registry", shown(registry), "package", name, "seconds", fmt.Sprint(max(1, int(after.Seconds()))))
}

func answered(name, registry string, status int) *extension.Problem {
	if status == 401 || status == 403 {
		return extension.NewProblem("npm.login", "The registry {registry} does not let you have {package}.", "Log in with `npm login`, and install again.", "registry", shown(registry), "package", name, "status", fmt.Sprint(status))
	}
	return extension.NewProblem("npm.failed", "The registry {registry} failed at {package} with {status}.", "Try again later.", "registry", shown(registry), "package", name, "status", fmt.Sprint(status))
}

// Missing says that there is no such package.
func Missing(name, registry string) *extension.Problem {
	return extension.NewProblem("npm.no-package", "The registry {registry} has no package {package}.",
		"Check the name where the extension asks for it, and that `npm config get registry` names a registry that has it.", "registry", shown(registry), "package", name)
}

// NoVersion says that a package has no version of that kind: none was published, or it was withdrawn.
func NoVersion(name, wanted, registry string) *extension.Problem {
	return extension.NewProblem("npm.no-version", "The registry {registry} has no version {version} of {package}: it was never there, or was withdrawn.",
		"The extension's author has to ask for another version.", "registry", shown(registry), "package", name, "version", wanted)
}

func strangeAnswer(name, registry string, err error) *extension.Problem {
	return extension.NewProblem("npm.strange", "What the registry {registry} says of {package} can't be read.", checkSetting, "registry", shown(registry), "package", name).Because(err)
}

func elsewhere(name, registry, host string) *extension.Problem {
	return extension.NewProblem("npm.elsewhere", "The registry {registry} sends to {host} for {package}, which is not asked.",
		"If you trust {host}, use it as your registry.", "registry", shown(registry), "package", name, "host", host)
}

func wrongHash(name, registry, want, got string) *extension.Problem {
	p := extension.NewProblem("npm.wrong-hash", "What the registry {registry} sent as {package} is not that package: its hash is another one.",
		"Try again. If it stays so, tell whoever runs the registry.", "registry", shown(registry), "package", name)
	p.Detail = "wanted " + want + ", got " + got
	return p
}

func noHash(name, registry string) *extension.Problem {
	return extension.NewProblem("npm.no-hash", "The registry {registry} states no hash for {package}, so it can't be checked.", "Use a registry that states them.", "registry", shown(registry), "package", name)
}

func tooLarge(name, registry, what string) *extension.Problem {
	return extension.NewProblem("npm.too-large", "{package} of the registry {registry} is too large: {limit}.", "Its author has to need less.", "registry", shown(registry), "package", name, "limit", what)
}

func unsafe(name, file, why string) *extension.Problem {
	return extension.NewProblem("npm.unsafe", "The package {package} is not unpacked: {file} in it {why}.", "Do not use it; tell the extension's author.", "package", name, "file", strings.ToValidUTF8(file, "?"), "why", why)
}

// otherLock says that an author's lock does not fit what would be fetched.
func otherHash(name, registry, locked, stated string) *extension.Problem {
	p := extension.NewProblem("npm.other-lock", "The extension's deno.lock and the registry {registry} disagree about {package}: {why}.",
		"The extension's author has to lock again, or somebody exchanged the package.", "registry", shown(registry), "package", name, "why", "its hash is another one")
	p.Detail = "locked " + locked + ", stated " + stated
	return p
}
