package trajectory

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/event"
)

func TestSecretsAreTakenOut(t *testing.T) {
	t.Parallel()
	pem := "-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\nabc+/\n-----END RSA PRIVATE KEY-----"
	secrets := []string{
		secretToken, "sk-" + strings.Repeat("a1", 20), "ghp_" + strings.Repeat("a1", 18), "AKIA" + strings.Repeat("A1", 8), pem,
		"xoxb-" + strings.Repeat("1", 12), "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl",
	}
	kept := []string{"plain text here", "red", "sk-short", "task-management-is-a-longer-word"}
	dir := t.TempDir()
	r := begin(t, dir, start)
	all := strings.Join(append(secrets, kept...), " | ")
	r.Append(event.Event{Kind: event.Warned, Text: all, Detail: all, Files: []string{all}, Blob: []byte(all)})
	rep := someReport(r.ID())
	rep.Diff, rep.Alternatives[0].Diff, rep.Partial.Diff, rep.Attempts[0].Note, rep.Warnings = all, all, all, all, []string{all}
	r.Finish(rep)
	files := 0
	err := filepath.WalkDir(r.Dir(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, s := range secrets {
			for _, form := range []string{s, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)} {
				if bytes.Contains(text, []byte(form)) {
					t.Errorf("%s has %q", path, form)
				}
			}
		}
		if bytes.Contains(text, []byte("[redacted]")) {
			files++
			for _, k := range kept {
				if !bytes.Contains(text, []byte(k)) {
					t.Errorf("%s lost %q", path, k)
				}
			}
		}
		return err
	})
	if err != nil || files != 3 {
		t.Errorf("%d files had secrets, want 3; %v", files, err)
	}
	if _, err := Load(dir, r.ID()); err != nil {
		t.Errorf("what is left can't be read: %v", err)
	}
}

// TestASecretIsNotPartOfTheSetup: how a run was begun is told without secrets, and not
// at all where taking them out leaves no JSON.
func TestASecretIsNotPartOfTheSetup(t *testing.T) {
	t.Parallel()
	for setup, want := range map[string]string{
		`{"password":"se\"cret\\value of the user"}`: `{"password":"[redacted]"}`,
		`{"number":4711471147}`:                      `"started"`,
	} {
		o := options(t.TempDir(), start)
		o.Environ, o.Setup = append(o.Environ, "OTHER_TOKEN=4711471147"), json.RawMessage(setup)
		r := Start(o)
		t.Cleanup(r.Close)
		text, err := os.ReadFile(filepath.Join(r.Dir(), eventsFile))
		if err != nil || r.Problem() != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %v, %v", setup, text, err, r.Problem())
		}
		if strings.Contains(string(text), "4711471147") || strings.Contains(string(text), "of the user") {
			t.Errorf("a secret is in %s", text)
		}
	}
}

// A blob is JSON, in which line ends, quotes and angle brackets are escaped.
func TestSecretsAreTakenOutOfPatches(t *testing.T) {
	t.Parallel()
	const token, key = "a<b>&\"c\\d", "MIIEow=="
	patch := somePatch()
	patch.Ops[0].Edits[0].New = "token = " + token + "\n-----BEGIN PRIVATE KEY-----\n" + key + "\n-----END PRIVATE KEY-----\nkept"
	blob, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t.TempDir(), start)
	o.Environ = []string{"MY_TOKEN=" + token}
	r := Start(o)
	t.Cleanup(r.Close)
	r.Append(event.Event{Kind: event.Proposed, Blob: blob})
	got, err := Load(o.Dir, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got.Events[0].Blob, &patch); err != nil {
		t.Fatalf("what is left can't be read: %v", err)
	}
	if want := "token = [redacted]\n[redacted]\nkept"; patch.Ops[0].Edits[0].New != want {
		t.Errorf("got %q, want %q", patch.Ops[0].Edits[0].New, want)
	}
}

func TestAPatchWithASecretIsNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := begin(t, dir, start)
	patch := somePatch()
	patch.Ops[0].Edits[0].New = "token = " + secretToken
	if err := r.SaveAlternative(1, "", patch); err == nil || r.Problem() != nil {
		t.Errorf("got %v, %v", err, r.Problem())
	}
	var missing *NotFound
	if _, err := LoadAlternative(dir, r.AlternativeID(1)); !errors.As(err, &missing) {
		t.Errorf("it was kept: %v", err)
	}
}
