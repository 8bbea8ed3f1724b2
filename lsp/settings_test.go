package lsp

import (
	"testing"
	"time"

	"autocoder/engine/config"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
)

func TestEditorsSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, json string
		want       func(*config.Settings)
		warnings   int
	}{
		{"nothing", ``, func(*config.Settings) {}, 0},
		{"null", `null`, func(*config.Settings) {}, 0},
		{"no object", `[1]`, func(*config.Settings) {}, 0},
		{"bare", `{"max_attempts": 3, "max_cost": 1.5}`, func(s *config.Settings) { s.MaxAttempts, s.MaxCost = 3, 1.5 }, 0},
		{
			"below our name, in camel case", `{"autocoder": {"maxTime": "90s", "testTimeout": 5}}`,
			func(s *config.Settings) { s.MaxTime, s.TestTimeout = 90*time.Second, 5*time.Second }, 0,
		},
		{"empty fields", `{"model": "", "runner": null, "env": [], "interpreter": []}`, func(s *config.Settings) { s.Env = []string{} }, 0},
		{"the plugin's own", `{"path": "/x", "trace": {"server": "off"}}`, func(*config.Settings) {}, 0},
		{"how edits come", `{"confirm": true, "workspace": {"confirm": false}}`, func(*config.Settings) {}, 0},
		{"unknown", `{"max_attemts": 3}`, func(*config.Settings) {}, 1},
		{
			"what the folder brought", `{"workspace": {"proposer": "null", "max_attempts": 99, "patience": 5}}`,
			func(s *config.Settings) { s.Patience = 5 }, 2,
		},
		{
			"what a trusted folder brought", `{"workspace": {"proposer": "null", "max_attempts": 99}, "workspaceTrusted": true}`,
			func(s *config.Settings) { s.Proposer, s.MaxAttempts = "null", 99 }, 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, _, warnings, err := config.Resolve(layersOf(settingsIn(protocol.LSPAny(c.json))))
			if err != nil {
				t.Fatal(err)
			}
			want := config.Default()
			c.want(&want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +is):\n%s", diff)
			}
			if len(warnings) != c.warnings {
				t.Errorf("warnings: %v", warnings)
			}
		})
	}
}

// TestConfirming lets a folder that nobody trusts ask for more and not for less.
func TestConfirming(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{}`:                               false,
		`{"confirm": true}`:                true,
		`{"workspace": {"confirm": true}}`: true,
		`{"confirm": true, "workspace": {"confirm": false}}`:                            true,
		`{"confirm": true, "workspace": {"confirm": false}, "workspaceTrusted": false}`: true,
		`{"confirm": true, "workspace": {"confirm": false}, "workspaceTrusted": true}`:  false,
		`{"confirm": true, "workspaceTrusted": true}`:                                   true,
	} {
		if got := confirms(settingsIn(protocol.LSPAny(text))); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
