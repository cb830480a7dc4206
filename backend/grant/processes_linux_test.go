package grant

import "testing"

func TestWhatOtherProcessesHoldIsInNoGrant(t *testing.T) {
	p := computer(t)
	for path, refused := range map[string]bool{"/proc": true, "/proc/self/environ": true, "/proc/1/environ": true, "/proc/thread-self": true, "/proc/../proc/1": true, "/proc/meminfo": false, "/proc/sys/kernel/ostype": false} {
		if layers := Compile(allowed(read(path)), p); (len(layers.Refused) == 1) != refused {
			t.Errorf("%s: got %+v", path, layers)
		}
		if layers := Compile(allowed(writing(path)), p); len(layers.Refused) != 1 {
			t.Errorf("write %s: got %+v", path, layers)
		}
	}
	for _, granted := range Compile(allowed(read("/")), p).System.Read {
		if Within("/proc/1/environ", granted) {
			t.Errorf("%s covers /proc", granted)
		}
	}
}
