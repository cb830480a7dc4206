package vault

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// bareBus is a session bus that starts no service by itself.
const bareBus = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><keep_umask/><listen>unix:dir=%DIR%</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

// startBus starts a session bus and gives the variable that leads to it.
func startBus(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "bus") // the address of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	config := filepath.Join(folder, "bus.conf")
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(bareBus, "%DIR%", folder)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start a session bus (Debian: dbus): %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "DBUS_SESSION_BUS_ADDRESS=" + strings.TrimSpace(address)
}

// keyringService is a running gnome-keyring.
type keyringService struct {
	t   *testing.T
	pid int
	bus *dbus.Conn
}

const login = "the login's password"

// startKeyring starts gnome-keyring with an unlocked login collection.
func startKeyring(t *testing.T, bus string) *keyringService {
	t.Helper()
	home := t.TempDir()
	k := &keyringService{t: t}
	cmd := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets", "--control-directory="+home)
	cmd.Env = []string{bus, "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "XDG_DATA_HOME=" + home, "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = strings.NewReader(login)
	if err := cmd.Start(); err != nil {
		t.Fatalf("start a keyring (Debian: gnome-keyring): %v", err)
	}
	k.pid = cmd.Process.Pid
	t.Cleanup(func() {
		syscall.Kill(k.pid, syscall.SIGCONT)
		cmd.Process.Kill()
		cmd.Wait()
	})
	_, address, _ := strings.Cut(bus, "=")
	var err error
	if k.bus, err = dbus.Connect(address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.bus.Close() })
	k.await(false)
	return k
}

// await waits until the login collection is locked, or is not.
func (k *keyringService) await(locked bool) {
	k.t.Helper()
	for ends := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var is dbus.Variant
		ctx, cancel := context.WithTimeout(k.t.Context(), 5*time.Second)
		err := k.bus.Object(secrets, loginPath).CallWithContext(ctx, properties, 0, collection, "Locked").Store(&is)
		cancel()
		if err == nil && is.Value() == locked {
			return
		}
		if time.Now().After(ends) {
			k.t.Fatalf("the keyring does not become locked=%v: %v %v", locked, is, err)
		}
	}
}

func (k *keyringService) lock() {
	k.t.Helper()
	if err := k.bus.Object(secrets, secretsPath).CallWithContext(k.t.Context(), serviceType+".Lock", 0, []dbus.ObjectPath{loginPath}).Err; err != nil {
		k.t.Fatal(err)
	}
	k.await(true)
}

// unlock does what gnome-keyring's dialog does with what is typed into it.
func (k *keyringService) unlock() {
	k.t.Helper()
	service := k.bus.Object(secrets, secretsPath)
	var nothing dbus.Variant
	var session dbus.ObjectPath
	if err := service.CallWithContext(k.t.Context(), serviceType+".OpenSession", 0, "plain", dbus.MakeVariant("")).Store(&nothing, &session); err != nil {
		k.t.Fatal(err)
	}
	typed := wireSecret{Session: session, Parameters: []byte{}, Value: []byte(login), ContentType: "text/plain"}
	if err := service.CallWithContext(k.t.Context(), "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface.UnlockWithMasterPassword", 0, loginPath, typed).Err; err != nil {
		k.t.Fatal(err)
	}
	k.await(false)
}

func (k *keyringService) signal(signal syscall.Signal) {
	k.t.Helper()
	if err := syscall.Kill(k.pid, signal); err != nil {
		k.t.Fatal(err)
	}
}

// keys counts what Portico has in the keyring.
func (k *keyringService) keys() int {
	k.t.Helper()
	var found []dbus.ObjectPath
	err := k.bus.Object(secrets, loginPath).CallWithContext(k.t.Context(), collection+".SearchItems", 0, map[string]string{"service": service}).Store(&found)
	if err != nil {
		k.t.Fatal(err)
	}
	return len(found)
}
