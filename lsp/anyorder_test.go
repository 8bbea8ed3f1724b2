package lsp_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"autocoder/engine/propose"
	"autocoder/engine/textedit"
	"autocoder/lsp"
	"autocoder/lsp/lsptest"
)

// firstSeed and seeds choose other orders than those that are always tried.
var (
	firstSeed = flag.Uint64("first-seed", 0, "the first order that TestAnyOrder tries")
	seeds     = flag.Uint64("seeds", 10, "how many orders TestAnyOrder tries")
)

// TestAnyOrder has a user do things in any order, and again.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	for n := range *seeds {
		seed := *firstSeed + n
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 2))
			anyOrder(t, 70, r.IntN)
		})
	}
}

// mostWhims is how many things the user of FuzzAnyOrder does at most: an input that
// takes longer than ten seconds counts as one that hangs.
const mostWhims = 6

// FuzzAnyOrder is TestAnyOrder with a user whose every whim is a byte, in short.
func FuzzAnyOrder(f *testing.F) {
	for first := range byte(18) { // every thing that can be done, and another one
		f.Add([]byte{1, 2, 0, first, 1, 0, 0, 1, first + 7, 1, 0, 0, 1})
	}
	f.Fuzz(func(t *testing.T, whims []byte) {
		anyOrder(t, min(len(whims)/3, mostWhims), func(n int) int {
			if len(whims) == 0 {
				return 0
			}
			whim := int(whims[0])
			whims = whims[1:]
			return whim % n
		})
	})
}

// redTexts are the files of a project as it begins, and greenTexts what a fix makes
// of them: of both, or of none.
var (
	redTexts   = map[string]string{"calc.txt": "one\ntwo é𝒳\nthree\nfour\nminus\n", "unit.txt": "down\nend\n"}
	greenTexts = map[string]string{"calc.txt": "one\ntwo é𝒳\nthree\nfour\nplus\n", "unit.txt": "up\nend\n"}
)

// chaos is a user who does things in any order. What it types are marks, ‹N›, by
// which nothing can be lost unseen.
type chaos struct {
	*world
	e     *lsptest.Editor
	whim  func(n int) int
	typed int
	// present are the marks that are in the files, and disk what was saved.
	present map[string]string
	disk    map[string]string
}

func anyOrder(t *testing.T, steps int, whim func(n int) int) {
	archive := files("-- calc.check --\nadd calc.txt plus\ngo unit.txt up\n")
	w := newWorld(t, archive)
	for name, text := range redTexts {
		w.write(name, text)
	}
	w.proposer, w.config.Patience, w.config.Quiet = propose.Func("swap", swap), 20*time.Millisecond, 5*time.Millisecond
	can := lsptest.Capable()
	if whim(2) == 0 {
		delete(can["textDocument"].(map[string]any)["codeAction"].(map[string]any), "resolveSupport")
	}
	e := w.serve(lsptest.Options{Folders: []string{w.root}, Can: can, Settings: map[string]string{"background": []string{"off", "test", "fix"}[whim(3)]}})
	must(t, e.Initialize())
	c := &chaos{world: w, e: e, whim: whim, present: map[string]string{}, disk: maps.Clone(redTexts)}
	e.Open(w.path("calc.txt"))
	if whim(2) == 0 {
		e.Open(w.path("unit.txt"))
	}
	for range steps {
		c.step()
		c.check()
		if t.Failed() {
			return
		}
	}
	c.end()
}

// step does one thing.
func (c *chaos) step() {
	path := c.path("calc.txt")
	here := map[string]string{"uri": lsptest.URI(path)}
	switch c.whim(18) {
	case 0, 1, 2, 3:
		c.typeSomewhere()
	case 4, 5:
		c.save()
	case 6, 7:
		must(c.t, c.e.Execute(lsp.CommandFix, here, nil))
	case 8:
		must(c.t, c.e.Execute(lsp.CommandRunTests, here, nil))
	case 9:
		must(c.t, c.e.Execute([]string{lsp.CommandCancel, lsp.CommandDiscard}[c.whim(2)], nil, nil))
	case 10:
		must(c.t, c.e.Execute(lsp.CommandApply, map[string]string{"root": c.root}, nil))
	case 11:
		c.e.CancelProgress()
	case 12:
		c.choose()
	case 13:
		c.undo()
	case 14:
		c.write("other.txt", fmt.Sprint(c.whim(3))) // as another program does
	case 15:
		c.letAFixCome()
	case 16:
		c.changeOutside()
	case 17:
		c.closeAndOpen()
	}
}

// changeOutside has another program add to a file, which the editor loads again unless
// its user changed it.
func (c *chaos) changeOutside() {
	name := slices.Sorted(maps.Keys(redTexts))[c.whim(2)]
	c.disk[name] = fmt.Sprintf("%s‹%d›", c.read(name), c.typed)
	c.typed++
	must(c.t, c.e.Overwrite(c.path(name), c.disk[name]))
	c.present = c.marks()
}

// closeAndOpen closes what is open, and opens some of it again. What was not saved is
// lost: half a fix would be the user's own.
func (c *chaos) closeAndOpen() {
	if !c.whole([]string{c.disk["calc.txt"], c.disk["unit.txt"]}) {
		return
	}
	c.e.CloseAll()
	for name := range redTexts {
		if c.whim(2) == 0 {
			c.e.Open(c.path(name))
		}
	}
	c.present = c.marks()
}

// typeSomewhere types a mark at the start or the end of some line of some file.
func (c *chaos) typeSomewhere() {
	name := slices.Sorted(maps.Keys(redTexts))[c.whim(2)]
	text, _ := c.e.Text(c.path(name))
	lines := strings.SplitAfter(text, "\n")
	n := c.whim(len(lines))
	at := len(strings.Join(lines[:n], ""))
	if c.whim(2) == 0 {
		at += len(strings.TrimRight(lines[n], "\n"))
	}
	// An edit may have come since: then it stands elsewhere, but in the text.
	mark := fmt.Sprintf("‹%d›", c.typed)
	if c.e.Replace(c.path(name), at, at, mark) == nil {
		c.typed++
		c.present[mark] = name
	}
}

func (c *chaos) save() {
	for name := range redTexts {
		if c.whim(2) == 0 && c.e.Save(c.path(name)) == nil {
			c.disk[name] = c.read(name)
		}
	}
}

// choose takes some code action, which may have become impossible.
func (c *chaos) choose() {
	path := c.path("calc.txt")
	actions, err := c.e.Menu(path, 1+c.whim(6), c.whim(2) == 0)
	must(c.t, err)
	if len(actions) > 0 {
		_ = c.e.Choose(actions[c.whim(len(actions))])
	}
}

// undo takes back what was done last, by whomever.
func (c *chaos) undo() {
	_ = c.e.Undo() // there may be nothing
	c.present = c.marks()
}

// letAFixCome waits for a fix, which the editor treats in some way, and may type as
// it comes.
func (c *chaos) letAFixCome() {
	how := []lsptest.Apply{lsptest.Take, lsptest.Take, lsptest.Decline, lsptest.Lie, lsptest.Fail}[c.whim(5)]
	var typing func()
	if c.whim(2) == 0 {
		typing = c.typeSomewhere
	}
	must(c.t, c.e.Execute(lsp.CommandCancel, nil, nil))
	var started struct {
		Job     string
		Running bool
	}
	c.e.OnEdit(how, typing)
	must(c.t, c.e.Execute(lsp.CommandFix, map[string]string{"root": c.root}, &started))
	must(c.t, c.e.WaitEnd(started.Job))
	c.e.OnEdit(lsptest.Take, nil)
}

// marks are those in the files, as the editor has them.
func (c *chaos) marks() map[string]string {
	found := map[string]string{}
	for name := range redTexts {
		text, _ := c.e.Text(c.path(name))
		for _, m := range anyMark.FindAllString(text, -1) {
			found[m] = name
		}
	}
	return found
}

var anyMark = regexp.MustCompile(`‹\d+›`)

func (c *chaos) read(name string) string {
	text, err := os.ReadFile(c.path(name))
	must(c.t, err)
	return string(text)
}

// check holds the files against what the user did: nothing that was typed is lost,
// nothing is on disk that was not saved, and a fix is whole or not there.
func (c *chaos) check() {
	if got := c.marks(); !maps.Equal(got, c.present) {
		c.t.Errorf("the files have the marks %v, want %v", got, c.present)
	}
	for name, want := range c.disk {
		if got := c.read(name); got != want {
			c.t.Errorf("%s on disk is %q, and %q was saved", name, got, want)
		}
	}
	if texts := c.e.Texts(c.path("calc.txt"), c.path("unit.txt")); !c.whole(texts) {
		c.t.Errorf("half a fix: %q", texts)
	}
}

// whole reports whether both files are red or both are green, but for marks.
func (c *chaos) whole(texts []string) bool {
	calc, unit := anyMark.ReplaceAllString(texts[0], ""), anyMark.ReplaceAllString(texts[1], "")
	return calc == redTexts["calc.txt"] && unit == redTexts["unit.txt"] ||
		calc == greenTexts["calc.txt"] && unit == greenTexts["unit.txt"]
}

// end has a last fix come to its end, undoes everything, and ends.
func (c *chaos) end() {
	c.e.OnEdit(lsptest.Take, nil)
	must(c.t, c.e.Execute(lsp.CommandCancel, nil, nil))
	var started struct{ Job string }
	must(c.t, c.e.Execute(lsp.CommandFix, map[string]string{"root": c.root}, &started))
	must(c.t, c.e.WaitEnd(started.Job))
	c.check()
	must(c.t, c.e.Call("shutdown", nil, nil)) // whatever runs is waited for by it
	c.check()
	for c.e.Undo() == nil {
		if texts := c.e.Texts(c.path("calc.txt"), c.path("unit.txt")); !c.whole(texts) {
			c.t.Errorf("one step back there is half a fix: %q", texts)
		}
	}
	for name, want := range redTexts {
		if got, _ := c.e.Text(c.path(name)); got != want && c.disk[name] == want {
			c.t.Errorf("everything is undone, and %s is %q", name, got)
		}
	}
	c.e.Notify("exit", nil)
	must(c.t, <-c.ended)
}

// swap proposes the one edit that helps, whatever else the files have.
func swap(_ context.Context, v propose.View, history []propose.Attempt) (propose.Proposal, error) {
	p := propose.Proposal{Title: "swap"}
	for _, f := range []struct{ name, old, text string }{{"calc.txt", "minus", "plus"}, {"unit.txt", "down", "up"}} {
		file, err := v.Read(f.name)
		at := strings.Index(string(file.Content), f.old)
		if err != nil || at < 0 || len(history) > 0 {
			return propose.Proposal{}, errors.Join(err, propose.ErrNothingLeft)
		}
		p.Patch.Ops = append(p.Patch.Ops, textedit.Op{
			Kind: textedit.OpEdit, Path: f.name, Base: file.Hash(), Edits: []textedit.Edit{{Start: at, End: at + len(f.old), New: f.text}},
		})
	}
	return p, nil
}
