package cli

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"portico/backend/core"
)

func newDoctor(t Terminal) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "doctor", Short: "Say what works on this computer", Args: exactly(), RunE: func(c *cobra.Command, _ []string) error {
		return withCore(c.Context(), t, func(k *core.Core) error {
			checks := k.Doctor(c.Context())
			if asJSON {
				if err := printJSON(t.Out, checks); err != nil {
					return err
				}
			} else {
				table := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
				for _, check := range checks {
					mark := "ok"
					if !check.OK {
						mark = "--"
					}
					fmt.Fprintf(table, "%s\t%s\t%s\n", mark, check.Name, check.Detail)
					if check.Next != "" {
						fmt.Fprintf(table, "\t\t%s\n", check.Next)
					}
				}
				if err := table.Flush(); err != nil {
					return err
				}
			}
			for _, check := range checks {
				if check.Required && !check.OK {
					return reportedError{errors.New("something Portico needs is missing")}
				}
			}
			return nil
		})
	}}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
