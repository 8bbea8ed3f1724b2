package answer_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"autocoder/engine/llm/answer"
	"autocoder/engine/textedit"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// tree is the project of the corpus, and want what it becomes.
func tree(t testing.TB) (answer.Tree, map[string]string) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/tree.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files, want := map[string]string{}, map[string]string{}
	var names []string
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			want[name] = string(f.Data)
			continue
		}
		files[f.Name] = string(f.Data)
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return answer.Tree{Files: names, Root: "/work/project", Read: reader(files)}, want
}

func reader(files map[string]string) textedit.Reader {
	return func(path string) (textedit.File, error) {
		text, ok := files[path]
		if !ok {
			return textedit.File{}, nil
		}
		return textedit.File{Kind: textedit.Regular, Content: []byte(text), Mode: 0o644}, nil
	}
}

// given is one answer of the corpus.
type given struct{ name, want, text string }

func corpus(t testing.TB, name string) []given {
	t.Helper()
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []given
	for part := range strings.SplitSeq("\n"+string(content), "\n#### ") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, rest, _ := strings.Cut(part, "\n")
		want, text, _ := strings.Cut(strings.TrimPrefix(rest, "#> "), "\n")
		text, open := strings.CutSuffix(text, "\n#-")
		if !open {
			text += "\n"
		}
		all = append(all, given{name, want, text})
	}
	return all
}

// TestCorpus holds answers as models give them against what they come to: a fix of
// files, a problem that is named, or no edit at all.
func TestCorpus(t *testing.T) {
	t.Parallel()
	all := corpus(t, "corpus.txt")
	if len(all) < 120 {
		t.Fatalf("the corpus has only %d answers", len(all))
	}
	check(t, all, nil)
}

// likely are the files that a model was shown and may edit, in TestShown.
var likely = []string{"calc.py", "src/geo/shapes.go", "web/app.js", "web/price.js"}

// TestShown holds answers that don't say, or not rightly, which file they are for:
// it follows from what the model was shown.
func TestShown(t *testing.T) {
	t.Parallel()
	check(t, corpus(t, "shown.txt"), likely)
}

func check(t *testing.T, all []given, likely []string) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			project, want := tree(t)
			project.Likely = likely
			patch, err := read(project, c.text)
			kind, words, _ := strings.Cut(c.want, " ")
			switch kind {
			case "problem":
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("got %v, %v, want a problem with %q", patch, err, words)
				}
			case "nothing":
				if err != nil || len(patch.Ops) != 0 {
					t.Errorf("got %v, %v, want no edit", patch, err)
				}
			case "fixes":
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.Fields(words), patch.Paths()); diff != "" {
					t.Fatal(diff)
				}
				state, err := textedit.State{}.Apply(project.Read, patch)
				if err != nil {
					t.Fatal(err)
				}
				for _, path := range state.Paths() {
					f, _ := state.Lookup(path)
					if diff := cmp.Diff(want[path], string(f.Content)); diff != "" {
						t.Errorf("%s (-want +got):\n%s", path, diff)
					}
				}
			default:
				t.Fatalf("unknown expectation %q", c.want)
			}
		})
	}
}

func read(project answer.Tree, text string) (textedit.Patch, error) {
	changes, err := answer.Parse(project, text)
	if err != nil {
		return textedit.Patch{}, err
	}
	return answer.Apply(project, changes)
}

// FuzzParse reads anything without a panic, and what it takes for an edit applies.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"corpus.txt", "shown.txt"} {
		for _, c := range corpus(f, name) {
			f.Add(c.text)
		}
	}
	project, _ := tree(f)
	project.Likely = likely
	f.Fuzz(func(t *testing.T, text string) {
		patch, err := read(project, text)
		if err != nil {
			return
		}
		if _, err := (textedit.State{}).Apply(project.Read, patch); err != nil {
			t.Errorf("the patch of %q does not apply: %v", text, err)
		}
	})
}

func TestSubstitute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, search, with, want, problem string }{
		{"a\nb\nc\n", "b\n", "x\n", "a\nx\nc\n", ""},
		{"if x:\n    a\n    b\n", "a\nb\n", "a\n  c\n", "if x:\n    a\n      c\n", ""},
		{"a\n1\nb\n", "a\n...\nb\n", "c\n...\nd\n", "c\n1\nd\n", ""},
		{"a\n1\nb\n", "a\n...\nb\n", "c\nd\n", "", "does not leave out the same"},
		{"0", "", "0", "", "is empty"},
		{"x = 1\ny = 1\n", "= 1", "= 2", "", "at lines 1, 2"},
		{"ab\nb\n", "b\n", "c\n", "ab\nc\n", ""},
		{"    a\n  b\n", "a\nb\n", "c\n", "", "does not stand"}, // not indented alike
		{"a\nb\nc\n", "b\n", "", "a\nc\n", ""},
		{"f\n    if x:\n        a\n", "\tif x:\n\t    a\n", "\tif y:\n\t\tb\n", "f\n    if y:\n        b\n", ""},
		{"f\n\tif x {\n\t\ta\n", "    if x {\n\t    a\n", "    if y {\n        b\n", "f\n\tif y {\n\t\tb\n", ""},
	} {
		got, err := answer.Substitute(c.text, c.search, c.with)
		if got != c.want || (c.problem == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("Substitute(%q, %q, %q) = %q, %v; want %q, %q", c.text, c.search, c.with, got, err, c.want, c.problem)
		}
	}
}

// TestBytesStay keeps line ends, byte order marks and missing final newlines.
func TestBytesStay(t *testing.T) {
	t.Parallel()
	const whole, piece = "a.txt\n```\none\nTWO\n```\n", "a.txt\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n"
	for _, c := range []struct{ text, want string }{
		{"one\ntwo\n", "one\nTWO\n"},
		{"one\r\ntwo\r\n", "one\r\nTWO\r\n"},
		{"one\ntwo", "one\nTWO"},
		{"\ufeffone\ntwo\n", "\ufeffone\nTWO\n"},
	} {
		for _, text := range []string{whole, piece} {
			project := answer.Tree{Files: []string{"a.txt"}, Read: reader(map[string]string{"a.txt": c.text})}
			patch, err := read(project, text)
			if err != nil {
				t.Fatal(err)
			}
			state, err := textedit.State{}.Apply(project.Read, patch)
			if err != nil {
				t.Fatal(err)
			}
			if f, _ := state.Lookup("a.txt"); string(f.Content) != c.want {
				t.Errorf("%q became %q, want %q", c.text, f.Content, c.want)
			}
		}
	}
}

// TestLooped cuts off what a model repeats until it is stopped.
func TestLooped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		looped     bool
	}{
		{"An answer.\n" + strings.Repeat("the ", 6000), "An answer.", true},
		{"An answer." + strings.Repeat("x", 500), "An answer.", true},
		{"An answer.\n" + strings.Repeat("I think that this is right.\nNo, it is not.\n", 40) + "I thi", "An answer.", true},
		{"An answer.\n" + strings.Repeat("very ", 20), "An answer.\n" + strings.Repeat("very ", 20), false},
		{"An answer that ends well.\n", "An answer that ends well.\n", false},
		{"", "", false},
	} {
		got, looped := answer.Looped(c.text)
		if looped != c.looped || looped && !strings.HasPrefix(got, strings.TrimSpace(c.want)) || looped && len(got) > len(c.want)+60 || !looped && got != c.want {
			t.Errorf("Looped(%.40q…) = %q, %v", c.text, got, looped)
		}
	}
}
