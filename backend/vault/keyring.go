package vault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"filippo.io/age"
	"github.com/zalando/go-keyring"

	"portico/backend/extension"
)

// service is the name under which the system's keyring shows Portico's keys.
const service = "Portico"

// What a system's part says of its keyring; anything else is the keyring's own error.
var (
	errNoKeyring = errors.New("there is no keyring")
	errLocked    = errors.New("the keyring is locked")
	errDismissed = errors.New("the keyring stayed locked")
)

// patient asks the keyring and gives up on it after a while. The library's calls can't be cancelled: one that hangs keeps
// its goroutine until the keyring answers, and while one does no other is made. Nobody waits for it a second time.
type patient struct {
	wait time.Duration
	late func() // called when an answer came that nobody waited for any more

	mu        sync.Mutex
	running   *question
	rest      time.Time // until then a slow keyring is left alone
	dismissed bool      // the person closed the system's dialog: it comes again when they ask for it
}

// question is one thing that the keyring is asked.
type question struct {
	done    chan struct{}
	answer  string
	err     error
	overdue bool // nobody waits for it any more
	dialog  bool // the system asks the person
}

// again forgets what went wrong before.
func (p *patient) again() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest, p.dismissed = time.Time{}, false
}

// look says whether there is a keyring that takes and gives keys at once. It shows no dialog.
func (p *patient) look(ctx context.Context) error {
	_, err := p.ask(ctx, func(ctx context.Context, _ *question) (string, error) { return "", look(ctx) })
	return err
}

// unlock makes sure that the keyring is open, with the system's dialog if it takes one.
func (p *patient) unlock(ctx context.Context) error {
	_, err := p.ask(ctx, func(ctx context.Context, q *question) (string, error) { return "", p.reach(ctx, q, asked) })
	return err
}

// key gives the key of an id.
func (p *patient) key(ctx context.Context, id string, how manner) (string, error) {
	return p.ask(ctx, func(ctx context.Context, q *question) (string, error) {
		if err := p.reach(ctx, q, how); err != nil {
			return "", err
		}
		return keyring.Get(service, id)
	})
}

// keep puts a key into the keyring, and makes sure that it is there.
func (p *patient) keep(ctx context.Context, id, key string) error {
	_, err := p.ask(ctx, func(ctx context.Context, q *question) (string, error) {
		if err := p.reach(ctx, q, asked); err != nil {
			return "", err
		}
		if err := keyring.Set(service, id, key); err != nil {
			return "", err
		}
		kept, err := keyring.Get(service, id)
		if err == nil && kept != key {
			err = errors.New("the keyring gives another key than it was given")
		}
		return "", err
	})
	return err
}

// remove takes a key out of the keyring.
func (p *patient) remove(ctx context.Context, id string) error {
	_, err := p.ask(ctx, func(ctx context.Context, q *question) (string, error) {
		if err := p.reach(ctx, q, asked); err != nil {
			return "", err
		}
		err := keyring.Delete(service, id)
		if errors.Is(err, keyring.ErrNotFound) {
			err = nil
		}
		return "", err
	})
	if err != nil && ctx.Err() == nil {
		return extension.NewProblem("vault.key-left", "The passphrase keeps the vault's key now, but the keyring still has it as well.",
			"Remove “{service}” from the system's keyring by hand.", "service", service).Because(err)
	}
	return err
}

// reach makes sure that the keyring is there and open. Only where the person does something that needs it does the system
// ask them to unlock it.
func (p *patient) reach(ctx context.Context, q *question, how manner) error {
	err := look(ctx)
	if !errors.Is(err, errLocked) {
		return err
	}
	p.mu.Lock()
	if how == quietly || p.dismissed {
		p.mu.Unlock()
		return err
	}
	q.dialog = true
	p.mu.Unlock()
	// A person types longer than anybody waits for a machine.
	open, cancel := context.WithTimeout(context.WithoutCancel(ctx), dialogWait)
	defer cancel()
	err = unlock(open)
	p.mu.Lock()
	defer p.mu.Unlock()
	q.dialog = false
	p.dismissed = err != nil
	return err
}

// dialogWait is how long the system's dialog may stay open.
const dialogWait = 2 * time.Minute

// ask puts one question, and waits for the answer as long as the patience lasts.
func (p *patient) ask(ctx context.Context, do func(context.Context, *question) (string, error)) (string, error) {
	patience := time.NewTimer(p.wait)
	defer patience.Stop()
	var mine *question
	for mine == nil {
		p.mu.Lock()
		before := p.running
		switch {
		case before == nil && time.Now().Before(p.rest):
			p.mu.Unlock()
			return "", slow(p.wait)
		case before == nil:
			mine = &question{done: make(chan struct{})}
			p.running = mine
			p.mu.Unlock()
			go p.answer(mine, do)
			continue
		case before.overdue:
			err := p.why(before)
			p.mu.Unlock()
			return "", err
		}
		p.mu.Unlock()
		select { // somebody else's question; theirs was first
		case <-before.done:
		case <-patience.C:
			p.mu.Lock()
			err := p.why(before)
			p.mu.Unlock()
			return "", err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	select {
	case <-mine.done:
		return mine.answer, inWords(mine.err, p.wait)
	case <-patience.C:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	mine.overdue = true
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if !mine.dialog {
		p.rest = time.Now().Add(slowRest)
	}
	return "", p.why(mine)
}

// why says what an unanswered question waits for.
func (p *patient) why(q *question) error {
	if q.dialog {
		return inWords(errLocked, p.wait)
	}
	return slow(p.wait)
}

// answer lets the keyring answer one question. It ends when the keyring does.
func (p *patient) answer(q *question, do func(context.Context, *question) (string, error)) {
	looking, cancel := context.WithTimeout(context.Background(), p.wait)
	defer cancel()
	answer, err := func() (answer string, err error) {
		defer func() {
			if r := recover(); r != nil { // the library takes for granted that the bus lives on
				err = fmt.Errorf("ask the keyring: %v", r)
			}
		}()
		return do(looking, q)
	}()
	p.mu.Lock()
	q.answer, q.err = answer, err
	p.running = nil
	late := q.overdue
	if err == nil {
		p.rest = time.Time{}
	}
	close(q.done)
	p.mu.Unlock()
	if late {
		p.late()
	}
}

func slow(wait time.Duration) *extension.Problem {
	return extension.NewProblem("vault.slow", "The system's keyring has not answered for {seconds} seconds.",
		"See whether it waits for an answer of yours. Else restart it, or go on with a passphrase, in Settings › Vault.", "seconds", fmt.Sprint(int(wait/time.Second)))
}

// inWords gives the Problem of what a keyring said. Its own words hold no secret: they are about what could not be done.
func inWords(err error, wait time.Duration) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errNoKeyring):
		return extension.NewProblem("vault.no-keyring", "This system has no keyring to keep the vault's key.",
			"Start one (GNOME Keyring, KWallet, KeePassXC), or go on with a passphrase, in Settings › Vault.").Because(err)
	case errors.Is(err, errLocked):
		return extension.NewProblem("vault.locked", "The system's keyring is locked.", "Unlock it, and try again in Settings › Vault.").Because(err)
	case errors.Is(err, errDismissed):
		return extension.NewProblem("vault.dismissed", "The system's keyring stayed locked.", "Unlock it, and try again in Settings › Vault.").Because(err)
	case errors.Is(err, keyring.ErrNotFound):
		return extension.NewProblem("vault.no-key", "The system's keyring has no key for this vault any more.",
			"Open the keyring that has it, or start a new vault in Settings › Vault; the files of this one are kept.").Because(err)
	case errors.Is(err, context.DeadlineExceeded):
		return slow(wait)
	}
	return extension.NewProblem("vault.keyring-failed", "The system's keyring failed.", "Try again, or go on with a passphrase, in Settings › Vault.").Because(err)
}

// makeInKeyring begins a vault whose key the keyring keeps. It is called in turn, when no other is there or it was kept.
func (v *Vault) makeInKeyring(ctx context.Context) (*seal, *age.X25519Identity, error) {
	s, identity, err := newSeal()
	if err != nil {
		return nil, nil, err
	}
	s.KeptIn = inKeyring
	if err := v.keyring.keep(ctx, s.ID, identity.String()); err != nil {
		return nil, nil, err
	}
	return s, identity, v.begin(s, identity)
}
