package core

import (
	"context"
	"database/sql"
	"fmt"

	"portico/backend/extension"
)

// confirmed says whether the person confirmed these files of a project's extension on this computer. That is kept here and
// not in the project: its folder is a stranger's.
func (c *Core) confirmed(ctx context.Context, ref extension.Ref, fingerprint string) (bool, error) {
	var found int
	err := c.db.Read().QueryRowContext(ctx, `SELECT count(*) FROM confirmed WHERE scope=? AND project=? AND format=? AND id=? AND sha256=?`,
		ref.Scope, ref.Project, ref.Format, ref.ID, fingerprint).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("read whether %s was confirmed: %w", ref.ID, err)
	}
	return found > 0, nil
}

// confirm keeps that the person confirmed them.
func (c *Core) confirm(ctx context.Context, ref extension.Ref, fingerprint string) error {
	err := c.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO confirmed(scope,project,format,id,sha256) VALUES(?,?,?,?,?) ON CONFLICT DO NOTHING`,
			ref.Scope, ref.Project, ref.Format, ref.ID, fingerprint)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep that %s was confirmed: %w", ref.ID, err)
	}
	return nil
}
