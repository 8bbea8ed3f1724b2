package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"autocoder/engine"
	"autocoder/engine/config"
	"autocoder/engine/sandbox"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// world is everything that the verbs know of their surroundings.
type world struct {
	stdin          io.ReadCloser
	stdout, stderr io.Writer
	environ        []string
	now            func() time.Time
	goos           string
	// account is the home folder that the system has for the user.
	account string
	// temp is where demo writes its project, and self is how the user can call
	// this program again.
	temp, self string
	// liveOutput and liveProgress say that a person sees standard output and
	// standard error as they are written.
	liveOutput, liveProgress bool
	// bases are the copies that a server keeps; nil elsewhere.
	bases *engine.Bases
	// probes are what a server remembers of the sandboxes that work here.
	probes *sandbox.Probes

	// json is the flag --json of the verb; code is what it ends with.
	json bool
	code exitCode
}

// run carries out one command line.
func (w *world) run(ctx context.Context, args []string) exitCode {
	root := w.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return w.code
	}
	code := codeOfError(err)
	if w.json {
		w.printJSON(failure{Schema: failureSchema, Error: err.Error(), Exit: code})
	}
	fmt.Fprintln(w.stderr, "autocoder: "+strings.ReplaceAll(err.Error(), "\n", "\nautocoder: "))
	return code
}

const failureSchema = "autocoder.error/1"

// failure is the JSON of a verb that has no result.
type failure struct {
	Schema string   `json:"schema"`
	Error  string   `json:"error"`
	Exit   exitCode `json:"exit"`
}

// root is the command line without a verb.
func (w *world) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "autocoder",
		Short: "Make a failing test suite pass",
		Long: `Autocoder finds the fault behind failing tests, edits a copy of the project
until the tests pass there, and gives you the verified edit. Your files are
not touched until you say so.`,
		Version:       version(),
		SilenceErrors: true, SilenceUsage: true,
		Args: w.noVerb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	root.SetVersionTemplate("autocoder {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(w.demoVerb(), w.fixVerb(), w.serveVerb(), w.doctorVerb(), w.configVerb(), w.runsVerb(), w.keyVerb(), w.trustVerb(), w.versionVerb())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, verb := range root.Commands() {
		verb.DisableFlagsInUseLine = true
		switch verb.Name() {
		case "completion":
			strictCompletion(verb)
		case "help":
			verb.Run, verb.RunE = nil, func(_ *cobra.Command, args []string) error { return w.helpOf(root, args) }
		}
	}
	return root
}

// strictCompletion refuses what the library's own verb answers with its help.
func strictCompletion(verb *cobra.Command) {
	var shells []string
	for _, shell := range verb.Commands() {
		shells = append(shells, shell.Name())
		shell.Args = noArguments
	}
	verb.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return usagef("there is no completion for %q: the shells are %s", args[0], strings.Join(shells, ", "))
	}
	verb.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// helpOf prints the help of the verb that words name.
func (w *world) helpOf(root *cobra.Command, words []string) error {
	cmd, rest, err := root.Find(words)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return w.noVerb(cmd, rest)
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	return cmd.Help()
}

// noVerb is the error of a word that is no verb.
func (w *world) noVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var verbs []string
	for _, c := range cmd.Commands() {
		verbs = append(verbs, c.Name())
	}
	return usagef("%q is not a verb of %s%s", args[0], cmd.CommandPath(), didYouMean(args[0], verbs))
}

// onePath takes at most one argument, the folder.
func onePath(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("one folder at a time: got %q", args)
	}
	return nil
}

// noArguments takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument: got %q", cmd.Name(), args)
	}
	return nil
}

// pathOf returns the folder that a command line names.
func pathOf(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

// flagError says what is wrong with a flag, and which one was meant.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return usagef("%v; see %s --help", err, cmd.CommandPath())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := missing.GetSpecifiedName()
	return usagef("%s has no flag --%s%s", cmd.Name(), name, didYouMean(name, names, "--"))
}

// didYouMean ends an error with the name that was probably meant.
func didYouMean(word string, names []string, prefix ...string) string {
	if near, ok := config.Nearest(word, names); ok {
		return ": did you mean " + strings.Join(prefix, "") + near + "?"
	}
	return ""
}

// jsonFlag adds --json to a verb.
func (w *world) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&w.json, "json", false, "print one JSON object")
}

// printJSON writes v as one object. What a terminal would obey is escaped, as JSON
// alone does it only for a part of that.
func (w *world) printJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	if err == nil {
		_, err = io.WriteString(w.stdout, escaped(b.String()))
	}
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// escaped is a JSON text in which only what can be seen stands as itself: outside of
// its strings there is nothing else.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r >= 0x7f && r <= 0xffff && !strconv.IsPrint(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// getenv returns the value of a variable of the user's environment.
func (w *world) getenv(name string) string {
	value := ""
	for _, pair := range w.environ {
		if k, v, _ := strings.Cut(pair, "="); k == name {
			value = v
		}
	}
	return value
}
