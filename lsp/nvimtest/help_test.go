package nvimtest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"autocoder/engine/config"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated part of the help")

const help = plugin + "/doc/autocoder.txt"

// The generated part of the help stands between these two.
const (
	listTag  = "*autocoder-settings-list*\n"
	afterTag = "*autocoder-background*"
)

// TestHelpHasTheSettings holds the help against the declaration of the settings.
func TestHelpHasTheSettings(t *testing.T) {
	t.Parallel()
	text := read(t, help)
	begin := strings.Index(text, listTag) + len(listTag)
	end := strings.LastIndex(text[:strings.LastIndex(text, afterTag)], "\n") + 1
	if begin < len(listTag) || end < begin {
		t.Fatalf("%s has no place for the settings", help)
	}
	want := settingsHelp()
	if *update {
		if err := os.WriteFile(help, []byte(text[:begin]+want+text[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, text[begin:end]); diff != "" {
		t.Errorf("%s is out of date: go test ./lsp/nvimtest -run %s -update\n%s", help, t.Name(), diff)
	}
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 79 {
			t.Errorf("a line of the help is too long: %s", line)
		}
	}
}

// settingsHelp is all settings as help has them.
func settingsHelp() string {
	var b strings.Builder
	for _, d := range config.Docs() {
		about := d.Text + " Values: " + d.Values
		if d.Default != "" {
			about += "; default " + d.Default
		}
		about += "."
		switch d.Trust {
		case "yes":
			about += " In a project's file it needs trust."
		case "to raise":
			about += " Raising it in a project's file needs trust."
		}
		fmt.Fprintf(&b, "\n%s\n", d.Name)
		line := "   "
		for word := range strings.FieldsSeq(about) {
			if len([]rune(line))+1+len([]rune(word)) > 78 {
				fmt.Fprintln(&b, line)
				line = "   "
			}
			line += " " + word
		}
		fmt.Fprintln(&b, line)
	}
	return b.String() + "\n"
}
