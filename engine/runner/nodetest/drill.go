package nodetest

import (
	"path"
	"path/filepath"
	"strconv"

	"autocoder/engine/runner"
	"autocoder/engine/testresult"
)

// drill is what drill.cjs reads.
type drill struct {
	Token string            `json:"token"`
	Alone bool              `json:"alone"`
	Plain bool              `json:"plain"`
	Names map[string]string `json:"names"`
	// Files are the files that hold targets, by their absolute paths.
	Files map[string]drillFileOf `json:"files"`
}

// drillFileOf is the drill of one file: its targets by their full names, and what
// ends the names of its canaries, so that they can't be taken for another file's.
type drillFileOf struct {
	Targets []string `json:"targets"`
	Mark    string   `json:"mark"`
	// Failed are the places where targets failed before, by their full names.
	Failed map[string]failedAt `json:"failed"`
}

// failedAt is a line of the file, and whether other code had called it.
type failedAt struct {
	Line   int  `json:"line"`
	Called bool `json:"called"`
}

// kinds are the canaries by what drill.cjs calls them.
var kinds = []struct {
	key, shows string
	want       testresult.Status
}{
	{"passing", "a passing test", testresult.Passed},
	{"equal", "a failing assert.strictEqual", testresult.Failed},
	{"deep", "a failing assert.deepStrictEqual", testresult.Failed},
	{"ok", "a failing assert", testresult.Failed},
	{"throws", "an exception that assert.throws misses", testresult.Failed},
	{"error", "an exception", testresult.Failed},
	{"rejection", "a rejected promise", testresult.Failed},
	{"callback", "a callback with an error", testresult.Failed},
	{"skipping", "t.skip", testresult.Skipped},
	{"helpers", "the helpers that tests find failures with", testresult.Passed},
}

func canaries() []runner.Canary {
	all := make([]runner.Canary, len(kinds))
	for i, k := range kinds {
		all[i] = runner.Canary{Shows: k.shows, Want: k.want}
	}
	return all
}

// canaryPatterns choose the canaries by name.
func canaryPatterns(d *runner.Drill) []string {
	var patterns []string
	for _, c := range d.Canaries {
		patterns = append(patterns, "^"+c.Name+`\d+$`)
	}
	return patterns
}

func drillOf(unit runner.Unit, report runner.Report, d *runner.Drill) *drill {
	out := &drill{Token: d.Token, Alone: d.Alone, Plain: d.Plain, Names: map[string]string{}, Files: map[string]drillFileOf{}}
	for _, k := range kinds {
		out.Names[k.key] = d.Find(k.shows)
	}
	for i, part := range d.Parts {
		f := drillFileOf{Targets: []string{}, Mark: strconv.Itoa(i), Failed: map[string]failedAt{}}
		for _, id := range d.Targets {
			file, name := splitID(id)
			if file != part {
				continue
			}
			f.Targets = append(f.Targets, name)
			if at, ok := d.Failed[id]; ok && at.File == path.Join(filepath.ToSlash(unit.Root), part) {
				f.Failed[name] = failedAt{at.Line, at.Called}
			}
		}
		out.Files[filepath.Join(folder(unit, report), filepath.FromSlash(part))] = f
	}
	return out
}
