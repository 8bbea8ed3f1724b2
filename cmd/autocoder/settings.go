package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"autocoder/engine/config"
	"autocoder/engine/trust"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// largestSettings is the most bytes that a settings file may have.
const largestSettings = 1 << 20

// settingsError is a settings file that can't be used.
type settingsError struct{ err error }

func (s *settingsError) Error() string { return s.err.Error() }
func (s *settingsError) Unwrap() error { return s.err }

// resolved is what holds for one folder.
type resolved struct {
	config.Settings
	origins  []config.Origin
	warnings []string
	// root is the folder, absolute, and project what its settings file says.
	root    string
	project config.Layer
	// consent allows the supervised tier; trusted says that the project's
	// restricted settings count.
	consent, trusted bool
	folders          folders
}

// resolve reads the settings for a folder from everywhere. editor are the layers
// of an editor, when one asks.
func (w *world) resolve(path string, flags *settingFlags, editor ...config.Layer) (resolved, error) {
	var r resolved
	var err error
	if r.folders, err = w.folders(); err != nil {
		return r, err
	}
	if r.root, err = filepath.Abs(path); err != nil {
		return r, fmt.Errorf("find the folder %q: %w", path, err)
	}
	user, err := r.readUser()
	if err != nil {
		return r, err
	}
	if r.project, err = readLayer(config.Project, filepath.Join(r.root, config.ProjectFile)); err != nil {
		return r, err
	}
	r.askTrust()
	layers := append(editor, user, r.project, config.FromEnvironment(w.environ), config.FromFlags(flags.given))
	var warnings []config.Warning
	if r.Settings, r.origins, warnings, err = config.Resolve(layers); err != nil {
		return r, err
	}
	for _, warning := range warnings {
		r.warnings = append(r.warnings, warning.String())
	}
	r.warnUnused()
	if words := flags.given["sandbox"]; len(words) == 1 && words[0] == config.SandboxSupervised.String() {
		r.consent = true
	}
	r.anchorScript()
	return r, nil
}

// given reports whether a setting was set anywhere.
func (r *resolved) given(name string) bool {
	for _, o := range r.origins {
		if o.Name == name {
			return o.Source != "default"
		}
	}
	return false
}

// warnUnused names settings that were given and change nothing.
func (r *resolved) warnUnused() {
	warn := func(name, why string) {
		for _, o := range r.origins {
			if o.Name == name && o.Text != "" && o.Source != "default" {
				r.warnings = append(r.warnings, fmt.Sprintf("%s: %s is not used: %s", o.Source, name, why))
			}
		}
	}
	if r.Proposer != "model" && r.Proposer != "auto" {
		why := fmt.Sprintf("the proposer %s works without a model", r.Proposer)
		warn("model", why)
		warn("base_url", why)
	}
	if r.TestCommand == "" {
		warn("report", "it says how test_command reports, and there is no test_command")
	}
}

// readUser reads the user's settings file. One that can't be read, or that
// somebody else may have written, is worth a warning and says nothing.
func (r *resolved) readUser() (config.Layer, error) {
	file := r.folders.settings
	err := trust.Own(file, filepath.Dir(file))
	var layer config.Layer
	if err == nil {
		layer, err = readLayer(config.User, file)
	}
	if is[*trust.Foreign](err) || errors.Is(err, fs.ErrPermission) {
		r.warnings = append(r.warnings, fmt.Sprintf("your settings in %s are ignored: %v", file, err))
		return config.Layer{Kind: config.User, Source: file}, nil
	}
	return layer, err
}

// askTrust looks up what the user trusts the folder with.
func (r *resolved) askTrust() {
	if _, err := os.Stat(r.root); err != nil {
		return // whoever opens the folder says what is wrong with it
	}
	known, err := trust.Open(r.folders.state).Lookup(r.root)
	if err != nil {
		r.warnings = append(r.warnings, err.Error())
		return
	}
	r.consent = known.Supervised
	r.trusted = known.Hash != "" && known.Hash == config.TrustHash(r.project)
	r.project.Trusted = r.trusted
}

// anchorScript makes the path of a script absolute: one of the command line is
// relative to the working folder, another one to the project.
func (r *resolved) anchorScript() {
	file, ok := strings.CutPrefix(r.Proposer, "script:")
	if !ok || filepath.IsAbs(file) {
		return
	}
	for _, o := range r.origins {
		if o.Name != "proposer" {
			continue
		}
		abs, err := filepath.Abs(file)
		if err != nil || o.Source != config.FlagName(o.Name) {
			abs = filepath.Join(r.root, file)
		}
		r.Proposer = "script:" + abs
	}
}

// folderAt is the absolute path of the folder of a project.
func folderAt(path string) (string, error) {
	root, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the folder %q: %w", path, err)
	}
	switch info, err := os.Stat(root); {
	case errors.Is(err, fs.ErrNotExist):
		return "", usagef("%q does not exist", path)
	case err == nil && !info.IsDir():
		return "", usagef("%q is a file, not a folder: give the folder of the project", path)
	}
	return root, nil // what else is wrong with it is said by who reads it
}

// readLayer reads a settings file; one that does not exist says nothing.
func readLayer(kind config.Kind, path string) (config.Layer, error) {
	none := config.Layer{Kind: kind, Source: path}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || isNotFolder(path):
		return none, nil
	case err != nil:
		return none, &settingsError{fmt.Errorf("read settings: %w", err)}
	case !info.Mode().IsRegular():
		return none, &settingsError{fmt.Errorf("read settings: %s is not a regular file", path)}
	case info.Size() > largestSettings:
		return none, &settingsError{fmt.Errorf("read settings: %s is larger than %d bytes", path, largestSettings)}
	}
	f, err := os.Open(path)
	if err != nil {
		return none, &settingsError{fmt.Errorf("read settings: %w", err)}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, largestSettings))
	if err != nil {
		return none, &settingsError{fmt.Errorf("read settings: %w", err)}
	}
	layer, err := config.ParseFile(kind, path, text)
	if err != nil {
		return none, &settingsError{err}
	}
	return layer, nil
}

// isNotFolder reports whether a path lies below something that is no folder.
func isNotFolder(path string) bool {
	info, err := os.Stat(filepath.Dir(path))
	return err == nil && !info.IsDir()
}

// settingFlags are the flags of a verb that are settings, and which of them
// were given.
type settingFlags struct{ given map[string][]string }

// add makes flags of the named settings. Their help is the settings' own.
func (s *settingFlags) add(cmd *cobra.Command, names ...string) {
	s.given = map[string][]string{}
	for _, doc := range config.Docs() {
		for _, name := range names {
			if doc.Name == name {
				s.addOne(cmd.Flags(), doc)
			}
		}
	}
}

func (s *settingFlags) addOne(flags *pflag.FlagSet, doc config.Doc) {
	v := &settingFlag{name: doc.Name, list: doc.List, given: s.given, values: doc.Values}
	help, _, _ := strings.Cut(strings.ToLower(doc.Text[:1])+strings.TrimSuffix(doc.Text[1:], "."), ". ")
	if strings.Contains(doc.Values, ", ") && doc.Values != "true, false" {
		help += " [" + doc.Values + "]"
	}
	f := flags.VarPF(v, strings.TrimPrefix(config.FlagName(doc.Name), "--"), "", help)
	f.DefValue = doc.Default
	if doc.Values == "true, false" {
		f.NoOptDefVal = "true"
	}
}

// settingFlag is one flag that is a setting. It takes any text: what the
// setting may be is decided where all layers meet.
type settingFlag struct {
	name, values string
	list         bool
	given        map[string][]string
}

// String returns what was given.
func (f *settingFlag) String() string { return strings.Join(f.given[f.name], ",") }

// Set takes a text; the texts of a list add up.
func (f *settingFlag) Set(text string) error {
	if f.list {
		f.given[f.name] = append(f.given[f.name], text)
	} else {
		f.given[f.name] = []string{text}
	}
	return nil
}

// Type names the kind of value in the help.
func (f *settingFlag) Type() string {
	switch {
	case f.values == "true, false":
		return "bool"
	case strings.HasPrefix(f.values, "a duration"):
		return "duration"
	case strings.HasPrefix(f.values, "a whole number"), strings.HasPrefix(f.values, "a number"):
		return "number"
	case f.list:
		return "pattern"
	default:
		return "text"
	}
}

// warn writes what is odd about the settings for a person.
func (w *world) warn(warnings []string) {
	for _, warning := range warnings {
		w.progress("warning: " + warning)
	}
}

func (w *world) progress(line string) {
	// Standard error may be gone; the result does not depend on it.
	_, _ = io.WriteString(w.stderr, printable(line)+"\n")
}

// printable keeps what comes from files from writing to the terminal.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || strconv.IsPrint(r) {
			return r
		}
		return ' '
	}, line)
}
