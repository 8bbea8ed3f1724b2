package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGoTest: what passes when it is run once more is flaky, what fails again has
// failed, and of many failures, a panic or a skipped test nothing is chance.
func TestGoTest(t *testing.T) {
	const once = `
func once(t *testing.T) {
	name := strings.ReplaceAll(t.Name(), "/", "_")
	if _, err := os.Stat(name); err == nil {
		return
	}
	os.WriteFile(name, nil, 0o600)
	t.Error("the first time")
}
`
	for _, c := range []struct {
		name, tests string
		want        tally
	}{
		{"steady", "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n", tally{passed: 2}},
		{"flaky", "func TestA(t *testing.T) { t.Run(\"x.y\", once) }\nfunc TestB(t *testing.T) {}\n", tally{passed: 1, flaky: 2}},
		{"failing", "func TestA(t *testing.T) { t.Error(1) }\nfunc TestB(t *testing.T) {}\n", tally{passed: 1, failed: 1}},
		{"one of two", "func TestA(t *testing.T) {\n\tt.Run(\"x\", once)\n\tt.Run(\"y\", func(t *testing.T) { t.Error(1) })\n}\n", tally{failed: 2, flaky: 1}},
		{"failing outside the subtest", "func TestA(t *testing.T) {\n\tt.Run(\"x\", once)\n\tt.Error(1)\n}\n", tally{failed: 2}},
		{"many", "func TestA(t *testing.T) { once(t) }\nfunc TestB(t *testing.T) { once(t) }\nfunc TestC(t *testing.T) { once(t) }\nfunc TestD(t *testing.T) { once(t) }\n", tally{failed: 4}},
		{"panic", "func TestA(t *testing.T) {\n\tdefer func() {\n\t\tif t.Failed() {\n\t\t\tpanic(1)\n\t\t}\n\t}()\n\tonce(t)\n}\n", tally{failed: 1}},
		{"data race", "func TestA(t *testing.T) {\n\tonce(t)\n\tif t.Failed() {\n\t\tt.Log(\"WARNING: DATA RACE\")\n\t}\n}\n", tally{failed: 1}},
		{"skipped", "func TestA(t *testing.T) { t.Skip(\"no tool\") }\n", tally{failed: 1}},
		{"of another system", "func TestA(t *testing.T) { t.Skip(\"not on this system: x\") }\n", tally{skipped: 1}},
		{"build", "func TestA(t *testing.T) { undefined() }\n", tally{failed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"go.mod":    "module m\n\ngo 1.24\n",
				"a_test.go": "package m\n\nimport (\n\t\"os\"\n\t\"strings\"\n\t\"testing\"\n)\n" + once + "\n" + c.tests,
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			var got tally
			err := goTest(t.Context(), &got, nil, []string{"-vet=off"}, "./...")
			if got != c.want || (err != nil) != (c.want.failed > 0) {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}
