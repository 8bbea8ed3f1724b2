package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"autocoder/engine/config"
	"autocoder/engine/trust"

	"github.com/spf13/cobra"
)

const trustSchema = "autocoder.trusted/1"

func (w *world) trustVerb() *cobra.Command {
	var supervised, revoke bool
	cmd := &cobra.Command{
		Use: "trust [PATH]", Short: "Trust the settings of a project, or take that back", Args: onePath,
		Long: `Trust the restricted settings in the project's .autocoder.toml as they are now:
commands, interpreters, environment, network, sandbox, allowances, proposer,
model, and limits above your own. Trust ends when one of them changes.`,
		RunE: func(_ *cobra.Command, args []string) error {
			switch path := pathOf(args); {
			case supervised && revoke:
				return usagef("--supervised and --revoke can't be used together")
			case revoke:
				return w.revoke(path)
			case supervised:
				return w.allowSupervised(path)
			default:
				return w.trust(path)
			}
		},
	}
	cmd.Flags().BoolVar(&supervised, "supervised", false, "allow runs of this folder in the supervised tier, where nothing better works")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "forget what was said of this folder")
	list := &cobra.Command{
		Use: "list", Short: "List the folders that are trusted", Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return w.listTrust() },
	}
	w.jsonFlag(list)
	cmd.AddCommand(list)
	return cmd
}

// say answers with one line.
func (w *world) say(format string, args ...any) error {
	_, err := fmt.Fprintln(w.stdout, printable(fmt.Sprintf(format, args...)))
	return err
}

// trusted is the memory of trust.
func (w *world) trusted() (trust.Store, error) {
	places, err := w.folders()
	return trust.Open(places.state), err
}

func (w *world) trust(path string) error {
	root, layer, err := w.projectOf(path)
	if err != nil {
		return err
	}
	names := config.Restricted(layer)
	if len(names) == 0 {
		return w.say("nothing to trust: %s sets nothing that needs it", layer.Source)
	}
	store, err := w.trusted()
	if err != nil {
		return err
	}
	if err := store.Trust(root, config.TrustHash(layer), w.now()); err != nil {
		return err
	}
	return w.say("trusted in %s, as it is now: %s", layer.Source, strings.Join(names, ", "))
}

// projectOf returns the folder and what its settings file says. Trust needs
// settings that are valid.
func (w *world) projectOf(path string) (root string, layer config.Layer, err error) {
	if root, err = folderAt(path); err != nil {
		return "", layer, err
	}
	if layer, err = readLayer(config.Project, filepath.Join(root, config.ProjectFile)); err != nil {
		return "", layer, err
	}
	_, _, _, err = config.Resolve([]config.Layer{layer})
	return root, layer, err
}

func (w *world) allowSupervised(path string) error {
	root, layer, err := w.projectOf(path)
	if err != nil {
		return err
	}
	store, err := w.trusted()
	if err != nil {
		return err
	}
	if err := store.AllowSupervised(root, w.now()); err != nil {
		return err
	}
	if err := w.say("tests and edits of %s may run in the supervised tier: as your user, without isolation", root); err != nil {
		return err
	}
	if names := config.Restricted(layer); len(names) > 0 {
		return w.say("its settings are not trusted by this: %s", strings.Join(names, ", "))
	}
	return nil
}

func (w *world) revoke(path string) error {
	root, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("find the folder %q: %w", path, err)
	}
	store, err := w.trusted()
	if err != nil {
		return err
	}
	was, err := store.Revoke(root)
	if err != nil {
		return err
	}
	if !was {
		return w.say("there was no trust in %s", root)
	}
	return w.say("no longer trusted: %s", root)
}

func (w *world) listTrust() error {
	store, err := w.trusted()
	if err != nil {
		return err
	}
	folders, err := store.List()
	if err != nil {
		return err
	}
	if w.json {
		return w.printJSON(map[string]any{"schema": trustSchema, "folders": append([]trust.Folder{}, folders...)})
	}
	if len(folders) == 0 {
		return w.say("no folder is trusted")
	}
	for _, f := range folders {
		var what []string
		if f.Hash != "" {
			what = append(what, "settings")
		}
		if f.Supervised {
			what = append(what, "supervised tier")
		}
		if err := w.say("%s: %s", f.Root, strings.Join(what, ", ")); err != nil {
			return err
		}
	}
	return nil
}
