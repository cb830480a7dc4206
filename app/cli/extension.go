package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"portico/backend/core"
	"portico/backend/extension"
)

func newExtension(t Terminal) *cobra.Command {
	c := &cobra.Command{Use: "extension", Short: "List, add, remove and switch extensions",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrongUsage("portico extension can't %q; see `portico extension --help`", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return wrongUsage("say what to do with extensions; see `portico extension --help`")
		}}
	c.AddCommand(newList(t), newInfo(t), newAdd(t), newRestore(t),
		newSwitch(t, "remove", "Remove an extension: its files, data and grants", "removed", func(ctx context.Context, k *core.Core, ref extension.Ref) error { return k.Remove(ctx, ref) }),
		newSwitch(t, "enable", "Switch an extension on, or one tool of it (NAME/TOOL)", "enabled", func(ctx context.Context, k *core.Core, ref extension.Ref) error {
			_, err := k.SetEnabled(ctx, ref, true)
			return err
		}),
		newSwitch(t, "disable", "Switch an extension off, or one tool of it (NAME/TOOL)", "disabled", func(ctx context.Context, k *core.Core, ref extension.Ref) error {
			_, err := k.SetEnabled(ctx, ref, false)
			return err
		}))
	return c
}

func newList(t Terminal) *cobra.Command {
	var scope scopeFlags
	var asJSON bool
	c := &cobra.Command{Use: "list", Short: "List what is installed", Args: exactly(), RunE: func(c *cobra.Command, _ []string) error {
		return withCore(c.Context(), t, func(k *core.Core) error {
			views, err := listed(c.Context(), k, scope)
			if err != nil {
				return err
			}
			if err := k.Unplanted(); err != nil {
				fmt.Fprint(t.Err, Describe(err))
			}
			if asJSON {
				return printJSON(t.Out, views)
			}
			if len(views) == 0 {
				fmt.Fprintln(t.Out, "Nothing is installed. Add an extension with `portico extension add FOLDER`.")
				return nil
			}
			table := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
			for _, v := range views {
				fmt.Fprintf(table, "%s\t%s\t[%s]\t%s\t%s\n", oneLine(v.ID), oneLine(v.Version), v.Scope, oneLine(state(v)), "from "+oneLine(from(v.Copy)))
			}
			return table.Flush()
		})
	}}
	scope.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func listed(ctx context.Context, k *core.Core, scope scopeFlags) ([]core.ExtensionView, error) {
	folder, err := scope.folder()
	if err != nil {
		return nil, err
	}
	views, err := k.ExtensionsOf(ctx, folder)
	if err != nil {
		return nil, err
	}
	kept := []core.ExtensionView{}
	for _, v := range views {
		if scope.agent && v.Scope != extension.Agent || folder != "" && v.Scope != extension.Project {
			continue
		}
		kept = append(kept, v)
	}
	return kept, nil
}

func state(v core.ExtensionView) string {
	switch {
	case !v.Enabled:
		return "disabled"
	case v.Problem != nil:
		return "off: " + v.Problem.What
	}
	return "enabled"
}

func from(c extension.Copy) string {
	if len(c.Commit) >= 12 {
		return c.Source + " @ " + c.Commit[:12]
	}
	return c.Source
}

// find gives the one installed extension of that name.
func find(ctx context.Context, k *core.Core, scope scopeFlags, id string) (core.ExtensionView, error) {
	folder, err := scope.folder()
	if err != nil {
		return core.ExtensionView{}, err
	}
	views, err := listed(ctx, k, scope)
	if err != nil {
		return core.ExtensionView{}, err
	}
	var found []core.ExtensionView
	for _, v := range views {
		if v.ID == id {
			found = append(found, v)
		}
	}
	where := ""
	switch {
	case scope.agent:
		where = " in the agent scope"
	case folder != "":
		where = " in the project scope"
	}
	switch len(found) {
	case 0:
		return core.ExtensionView{}, extension.NewProblem("cli.not-installed", "{id} isn't installed{where}.", "`portico extension list` shows what is.", "id", id, "where", where)
	case 1:
		return found[0], nil
	}
	return core.ExtensionView{}, extension.NewProblem("cli.both-scopes", "{id} is installed in both scopes: say which, with --project or --agent.", "", "id", id)
}

func newInfo(t Terminal) *cobra.Command {
	var scope scopeFlags
	var asJSON bool
	c := &cobra.Command{Use: "info NAME", Short: "Say everything about an extension", Args: exactly("the extension's name"), RunE: func(c *cobra.Command, args []string) error {
		return withCore(c.Context(), t, func(k *core.Core) error {
			v, err := find(c.Context(), k, scope, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(t.Out, v)
			}
			fmt.Fprint(t.Out, infoText(v))
			return nil
		})
	}}
	scope.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func infoText(v core.ExtensionView) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-13s%s\n", name, oneLine(value))
		}
	}
	fmt.Fprintf(&b, "%s\n%s\n\n", oneLine(v.DisplayName), indented(v.Description))
	line("Name", v.ID)
	line("Version", v.Version)
	line("Format", string(v.Format))
	line("Publisher", v.Publisher)
	line("Licence", v.License)
	line("Homepage", v.Homepage)
	line("Scope", string(v.Scope))
	line("State", state(v))
	line("From", from(v.Copy))
	line("Installed", v.InstalledAt)
	line("Files", fmt.Sprintf("%d, %d bytes", v.Files, v.Bytes))
	line("Fingerprint", v.Fingerprint)
	line("Folder", v.Root)
	for _, tool := range v.Tools {
		on := "off"
		if tool.Enabled {
			on = "on"
		}
		if !tool.Available {
			on = "not on this system"
		}
		fmt.Fprintf(&b, "\nTool %s (%s)\n  %s\n", tool.Address, on, indented(tool.Tool.Description))
		for _, p := range tool.Permissions {
			optional := ""
			if p.Permission.Optional {
				optional = ", optional"
			}
			fmt.Fprintf(&b, "  %s  %s%s: “%s”\n", oneLine(p.Key), p.Decision, optional, oneLine(p.Permission.Reason))
		}
	}
	if len(v.Memories) > 0 {
		b.WriteString("\nBrings what can be switched on as a memory:\n")
	}
	for _, memory := range v.Memories {
		fmt.Fprintf(&b, "  %-9s  %s\n", oneLine(memory.Kind), oneLine(memory.Path))
	}
	return b.String()
}

func newAdd(t Terminal) *cobra.Command {
	var scope scopeFlags
	var asJSON bool
	c := &cobra.Command{Use: "add FOLDER", Short: "Install an extension from a folder", Args: exactly("the extension's folder"), RunE: func(c *cobra.Command, args []string) error {
		folder, err := scope.folder()
		if err != nil {
			return err
		}
		in := extension.Agent
		if folder != "" {
			in = extension.Project
		}
		return withCore(c.Context(), t, func(k *core.Core) error {
			v, err := k.Install(c.Context(), core.InstallRequest{Source: args[0], Scope: in, Project: folder})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(t.Out, v)
			}
			fmt.Fprintf(t.Err, "Installed %s (%s): %s, %d switched on. Switch one on with `portico extension enable NAME/TOOL`, or run it with `portico run`.\n",
				oneLine(v.DisplayName), v.ID, tools(len(v.Tools)), switchedOn(v))
			return nil
		})
	}}
	scope.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func newRestore(t Terminal) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "restore", Short: "Install the built-in extension again, as it came with Portico", Args: exactly(), RunE: func(c *cobra.Command, _ []string) error {
		return withCore(c.Context(), t, func(k *core.Core) error {
			v, err := k.RestoreBuiltIn(c.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(t.Out, v)
			}
			fmt.Fprintf(t.Err, "Installed %s (%s): %s, %d switched on.\n", oneLine(v.DisplayName), v.ID, tools(len(v.Tools)), switchedOn(v))
			return nil
		})
	}}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// switchedOn counts the tools that are on: those of a copy that was replaced stay as they were.
func switchedOn(v core.ExtensionView) int {
	on := 0
	for _, tool := range v.Tools {
		if tool.Enabled {
			on++
		}
	}
	return on
}

func newSwitch(t Terminal, verb, short, done string, do func(context.Context, *core.Core, extension.Ref) error) *cobra.Command {
	var scope scopeFlags
	var asJSON bool
	c := &cobra.Command{Use: verb + " NAME", Short: short, Args: exactly("the extension's name"), RunE: func(c *cobra.Command, args []string) error {
		return withCore(c.Context(), t, func(k *core.Core) error {
			v, err := find(c.Context(), k, scope, args[0])
			if err != nil {
				if id, tool, ok := extension.SplitAddress(args[0]); ok && verb != "remove" {
					return switchTool(c.Context(), t, k, scope, id, tool, verb == "enable", asJSON)
				}
				return err
			}
			if err := do(c.Context(), k, v.Ref()); err != nil {
				return err
			}
			if asJSON {
				return printJSON(t.Out, map[string]string{"id": v.ID, "scope": string(v.Scope), "state": done})
			}
			fmt.Fprintf(t.Err, "%s is %s.\n", v.ID, done)
			return nil
		})
	}}
	scope.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func switchTool(ctx context.Context, t Terminal, k *core.Core, scope scopeFlags, id, tool string, on, asJSON bool) error {
	v, err := find(ctx, k, scope, id)
	if err != nil {
		return err
	}
	view, err := k.SetToolEnabled(ctx, v.Ref(), tool, on)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(t.Out, view)
	}
	state := "off"
	if on {
		state = "on"
	}
	fmt.Fprintf(t.Err, "%s is %s.\n", view.Address, state)
	return nil
}
