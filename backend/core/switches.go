package core

import (
	"context"
	"database/sql"
	"fmt"

	"portico/backend/extension"
	"portico/backend/store"
)

// switches remembers which tools are switched on. A tool that was never touched is off.
type switches struct{ db *store.DB }

func (s switches) of(ctx context.Context, ref extension.Ref) (map[string]bool, error) {
	rows, err := s.db.Read().QueryContext(ctx,
		`SELECT tool, enabled FROM tool_switches WHERE scope=? AND project=? AND format=? AND id=?`, ref.Scope, ref.Project, ref.Format, ref.ID)
	if err != nil {
		return nil, fmt.Errorf("read which tools of %s are on: %w", ref.ID, err)
	}
	defer rows.Close()
	on := map[string]bool{}
	for rows.Next() {
		var tool string
		var enabled bool
		if err := rows.Scan(&tool, &enabled); err != nil {
			return nil, fmt.Errorf("read which tools of %s are on: %w", ref.ID, err)
		}
		on[tool] = enabled
	}
	return on, rows.Err()
}

func (s switches) set(ctx context.Context, ref extension.Ref, tool string, enabled bool) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO tool_switches(scope,project,format,id,tool,enabled) VALUES(?,?,?,?,?,?)
			ON CONFLICT(scope,project,format,id,tool) DO UPDATE SET enabled=excluded.enabled`,
			ref.Scope, ref.Project, ref.Format, ref.ID, tool, enabled)
		return err
	})
	if err != nil {
		return fmt.Errorf("switch %s: %w", extension.Address(ref.ID, tool), err)
	}
	return nil
}

func (s switches) forget(ctx context.Context, ref extension.Ref) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM tool_switches WHERE scope=? AND project=? AND format=? AND id=?`,
			ref.Scope, ref.Project, ref.Format, ref.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("forget which tools of %s were on: %w", ref.ID, err)
	}
	return nil
}
