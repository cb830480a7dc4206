// Package core puts the parts together: one value that the window, the browser page and the command line all stand on. It
// outlives its windows. Several cores may share one data folder (the app and a command line beside it); each takes part
// in the locks that keep them from each other's way.
package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"portico/backend/agent"
	"portico/backend/capability"
	"portico/backend/confine"
	"portico/backend/event"
	"portico/backend/extdb"
	"portico/backend/extension"
	"portico/backend/grant"
	"portico/backend/install"
	"portico/backend/memory"
	"portico/backend/npm"
	"portico/backend/planted"
	"portico/backend/runtime"
	"portico/backend/runtime/deno"
	"portico/backend/session"
	"portico/backend/store"
	"portico/backend/vault"
	"portico/backend/voice"
)

// undoTime is how long a deleted session can be restored; it is purged at the first start after that.
const undoTime = 24 * time.Hour

// Options are what differs between the app and a command line.
type Options struct {
	Data    string            // the data folder; see DataFolder
	Locale  string            // BCP 47; empty: the system's
	Present bool              // a person is there to answer questions
	Opener  capability.Opener // the desktop; nil: there is none
	Brings  planted.Archive   // the extension to install at the first start; none where there are no files
}

// Core is Portico without a window.
type Core struct {
	Events   *event.Hub
	Sessions *session.Store

	options   Options
	places    Places
	db        *store.DB
	kept      kept
	switches  switches
	installer *install.Installer
	grants    *grant.Store
	workers   *deno.Runtime
	databases *extdb.Databases
	schedules scheduled
	memories  *memory.Store
	vault     *vault.Vault
	voice     *voice.Voice
	agent     *agent.Agent
	instances *instances
	level     confine.Level
	unplanted error // why what it brings could not be installed

	jobs  sync.Mutex
	byJob map[string]context.CancelFunc

	stop    context.CancelFunc
	running sync.WaitGroup
}

// Open starts a core. It starts no extension: their code runs when it is first needed.
func Open(ctx context.Context, options Options) (*Core, error) {
	places := placesIn(options.Data)
	if err := places.make(); err != nil {
		return nil, extension.NewProblem("core.no-data-folder", "Portico can't use its data folder {folder}.",
			"Make it writable, or name another in $PORTICO_HOME.", "folder", places.Data).Because(err)
	}
	if options.Locale == "" {
		options.Locale = systemLocale(os.Getenv, desktopLocale)
	}
	db, err := store.Open(ctx, places.Database)
	if err != nil {
		return nil, err
	}
	c := &Core{
		Events: event.NewHub(), options: options, places: places, db: db,
		kept: kept{db}, switches: switches{db}, grants: grant.NewStore(db), level: confine.InForce(), byJob: map[string]context.CancelFunc{},
	}
	if err := c.assemble(ctx); err != nil {
		if c.Sessions != nil {
			err = errors.Join(err, c.Sessions.Close())
		}
		return nil, errors.Join(err, db.Close())
	}
	return c, nil
}

func (c *Core) assemble(ctx context.Context) error {
	var err error
	if c.Sessions, err = session.NewStore(c.db, c.Events.Publish, c.places.Data); err != nil {
		return err
	}
	if err := c.Sessions.Recover(ctx); err != nil {
		return fmt.Errorf("mark what the last run left unfinished: %w", err)
	}
	if err := c.Sessions.Purge(ctx, time.Now().Add(-undoTime)); err != nil {
		return fmt.Errorf("purge deleted sessions: %w", err)
	}
	settings, err := c.Settings(ctx)
	if err != nil {
		return err
	}
	c.workers, err = deno.New(deno.Options{Data: c.places.Data, Cache: c.places.Cache, Logs: c.places.Logs, Models: c.places.Models, Sessions: c.places.Sessions, Opener: c.options.Opener, Registries: npm.OnThisComputer(registry)})
	if err != nil {
		return err
	}
	c.workers.Limit(settings.Workers)
	c.installer = install.New(install.Options{
		Data: c.places.Data, Formats: formats(), Now: time.Now, Confirmed: c.confirmed, Confirm: c.confirm,
		Dependencies: map[extension.Format]install.Dependencies{extension.Loca: c.workers},
	})
	if err := c.installer.Recover(ctx); err != nil {
		return fmt.Errorf("tidy up an install that was cut off: %w", err)
	}
	if c.options.Brings.Files != nil {
		c.unplanted = c.garden().Plant(ctx, c.options.Brings) // all the rest works without it
	}
	c.instances = newInstances(map[extension.Format]runtime.Runtime{extension.Loca: c.workers})
	c.databases = extdb.New(c.places.ExtensionData)
	c.memories = c.openMemories()
	c.vault = vault.Open(vault.Options{Folder: c.places.Vault, Changed: func() { c.Events.Publish(event.Event{Topic: event.Vault}) }})
	c.voice = c.openVoice()
	if err := c.openSchedules(ctx); err != nil {
		return err
	}
	c.agent = agent.New(agent.Options{
		Sessions: c.Sessions, Tools: (*toolbox)(c), Grants: c.grants, Model: c.modelOf, Explain: c.explain, Steps: c.stepLimit,
		Services: c.services(), Memories: c.memories, Locale: c.locale, Present: c.options.Present,
	})
	background, stop := context.WithCancel(context.Background())
	c.stop = stop
	return c.watchLocks(background)
}

// Close ends every turn and every extension's process, and returns when they are gone.
func (c *Core) Close(ctx context.Context) error {
	c.stop()
	c.schedules.runner.Close() // before its turns end by themselves, and look as if they had failed
	err := c.agent.Close(ctx)
	err = errors.Join(err, c.instances.close(ctx))
	c.running.Wait()
	return errors.Join(err, c.databases.Close(ctx), c.memories.Close(), c.Sessions.Close(), c.db.Close())
}
