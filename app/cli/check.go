package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"portico/backend/core"
	"portico/backend/extension"
)

// checked is the answer of `portico check --json`.
type checked struct {
	OK      bool                 `json:"ok"`
	ID      string               `json:"id,omitempty"`
	Format  extension.Format     `json:"format,omitempty"`
	Issues  []extension.Issue    `json:"issues"`
	Problem *extension.Problem   `json:"problem,omitempty"`
	Brings  *extension.Extension `json:"extension,omitempty"`
}

func newCheck(t Terminal) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "check FOLDER", Short: "Check an extension's folder against its format's rules", Args: exactly("the extension's folder"), RunE: func(c *cobra.Command, args []string) error {
		result := checked{Issues: []extension.Issue{}}
		if _, err := os.Stat(args[0]); err != nil {
			return extension.NewProblem("cli.no-folder", "{folder} can't be opened.", "Name the extension's folder.", "folder", args[0]).Because(err)
		}
		ext, issues, err := core.CheckFolder(c.Context(), args[0])
		result.Issues = append(result.Issues, issues...)
		if err == nil {
			result.OK, result.ID, result.Format, result.Brings = true, ext.ID, ext.Format, ext
		} else if !errors.As(err, &result.Problem) {
			return err
		} else {
			result.Issues = append(result.Issues, result.Problem.Issues...)
		}
		if asJSON {
			if err := printJSON(t.Out, result); err != nil {
				return err
			}
		} else {
			for _, issue := range result.Issues {
				fmt.Fprintln(t.Out, oneLine(issue.String()))
			}
			if result.OK {
				fmt.Fprintf(t.Err, "%s loads: %s.\n", result.ID, tools(len(ext.Tools)))
			} else {
				fmt.Fprintf(t.Err, "portico: %s\n", indented(result.Problem.Error()))
			}
		}
		if !result.OK {
			return reportedError{result.Problem}
		}
		return nil
	}}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
