package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"autocoder/lsp/lsptest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestScenarios plays each file of testdata: a user at an editor. The files of an
// archive are the project; "script" is what the user does and sees, a line each;
// "can" and "settings" are the editor's, with "encoding" it counts in bytes, and with
// "lines" an empty file is a line;
// "patience" is for a server that is to lose it soon; what lies in want/ is what a
// file must become.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			play(t, file)
		})
	}
}

// scene is a scenario that is played.
type scene struct {
	*world
	e *lsptest.Editor
	// own are the files of the archive that are not the project's.
	own map[string]string
	// ends is how many jobs have ended, as far as the script waited.
	ends int
	// before is how often tests were run by earlier servers.
	before int
}

func play(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	must(t, err)
	s := &scene{own: map[string]string{}}
	var project []txtar.File
	for _, f := range archive.Files {
		if slices.Contains([]string{"script", "can", "settings", "encoding", "lines", "patience"}, f.Name) || strings.HasPrefix(f.Name, "want/") {
			s.own[f.Name] = string(f.Data)
			continue
		}
		project = append(project, f)
	}
	s.world = newWorld(t, project)
	s.begin()
	for i, line := range strings.Split(s.own["script"], "\n") {
		words := split(line)
		if len(words) == 0 {
			continue
		}
		if err := s.step(words); err != nil {
			t.Fatalf("%s, line %d of the script, %q: %v", file, i+1, line, err)
		}
	}
	s.quit(s.e)
}

// begin starts the editor.
func (s *scene) begin() {
	s.t.Helper()
	o := lsptest.Options{Folders: []string{s.root}, Can: lsptest.Capable()}
	read := func(name string, to any) {
		if text := s.own[name]; text != "" {
			must(s.t, json.Unmarshal([]byte(text), to))
		}
	}
	var can map[string]any
	read("can", &can)
	if can != nil {
		o.Can = can
	}
	_, o.UTF8 = s.own["encoding"]
	_, o.Lines = s.own["lines"]
	if _, short := s.own["patience"]; short {
		s.config.Patience = 20 * time.Millisecond
	}
	read("settings", &o.Settings)
	s.e = s.serve(o)
	must(s.t, s.e.Initialize())
}

// split cuts a line into words; a word in double quotes may have spaces.
func split(line string) []string {
	var words []string
	for line = strings.TrimSpace(line); line != "" && line[0] != '#'; line = strings.TrimSpace(line) {
		if line[0] == '"' {
			if quoted, err := strconv.QuotedPrefix(line); err == nil {
				word, _ := strconv.Unquote(quoted)
				words, line = append(words, word), line[len(quoted):]
				continue
			}
		}
		word, rest, _ := strings.Cut(line, " ")
		words, line = append(words, word), rest
	}
	return words
}

// step does one line of a script.
func (s *scene) step(words []string) error {
	verb, args := words[0], append(slices.Clone(words[1:]), "", "", "", "")
	path, line := s.place(args[0])
	switch verb {
	case "open":
		s.e.Open(path)
	case "open-untitled": // open-untitled FILE TEXT
		s.e.OpenUntitled(path, args[1])
	case "save-untitled":
		return s.e.SaveUntitled(path)
	case "restart":
		s.quit(s.e)
		s.begin()
		s.ends = 0
		_, s.before = s.counts()
	case "type": // type FILE:LINE TEXT: at the start of the line
		return s.typeAt(path, line, args[1])
	case "write": // write FILE TEXT: what the whole buffer becomes
		text, _ := s.e.Text(path)
		return s.e.Replace(path, 0, len(text), args[1])
	case "save":
		return s.e.Save(path)
	case "storm": // storm FILE: fifty saves of different texts, the last one as it was
		text, _ := s.e.Text(path)
		for i := range 50 {
			now, _ := s.e.Text(path)
			if err := s.e.Replace(path, 0, len(now), fmt.Sprintf("%s%d\n", text, i)); err != nil {
				return err
			}
			if err := s.e.Save(path); err != nil {
				return err
			}
		}
		now, _ := s.e.Text(path)
		if err := s.e.Replace(path, 0, len(now), text); err != nil {
			return err
		}
		return s.e.Save(path)
	case "close":
		s.e.Close(path)
	case "save-hidden":
		return s.e.SaveHidden()
	case "undo":
		return s.e.Undo()
	case "delete":
		return os.Remove(path)
	case "on-edit":
		return s.onEdit(args)
	case "choose": // choose FILE:LINE TITLE
		return s.e.ChooseTitled(path, line, args[1])
	case "command": // command NAME FILE
		return s.e.Execute("autocoder."+args[0], map[string]string{"uri": lsptest.URI(s.path(args[1]))}, nil)
	case "cancel":
		if s.e.CancelProgress() == 0 {
			return fmt.Errorf("there is nothing to cancel")
		}
	case "idle": // wait until one more job has ended, in a state
		s.ends++
		last, err := s.e.WaitIdle(s.ends)
		if err == nil && args[0] != "" && last.Outcome != args[0] {
			err = fmt.Errorf("the outcome is %q: %s", last.Outcome, last.Message)
		}
		return err
	default:
		return s.see(verb, path, line, args)
	}
	return nil
}

// see waits for what the user is to see.
func (s *scene) see(verb, path string, line int, args []string) error {
	switch verb {
	case "diagnostic": // diagnostic FILE:LINE CODE [PART OF THE MESSAGE]
		_, err := s.e.WaitDiagnostic(path, line, func(d lsptest.Diagnostic) bool {
			return d.Code == args[1] && strings.Contains(d.Message, args[2])
		})
		return err
	case "stale": // stale FILE:LINE
		_, err := s.e.WaitDiagnostic(path, line, func(d lsptest.Diagnostic) bool {
			return d.Severity == 4 && strings.HasPrefix(d.Message, "files changed since")
		})
		return err
	case "status": // status STATE [PART OF THE MESSAGE]: the last one
		return s.e.WaitStatus(args[1], func(last lsptest.Status) bool {
			return last.State == args[0] && strings.Contains(last.Message, args[1])
		})
	case "ready": // ready true|false: whether the last status says that a fix waits
		return s.e.WaitStatus("ready "+args[0], func(last lsptest.Status) bool { return fmt.Sprint(last.Ready) == args[0] })
	case "clear":
		return s.e.WaitNoDiagnostics(path)
	case "message":
		return s.e.WaitMessage(args[0], func(m lsptest.Message) bool { return strings.Contains(m.Message, args[0]) })
	case "progress":
		return s.e.WaitProgress(args[0], func(p lsptest.Progress) bool {
			return !p.Ended && (p.Title == args[0] || slices.Contains(p.Reports, args[0]))
		})
	case "text": // the buffer is as in want/
		return s.e.WaitText(path, s.want(args))
	case "gone":
		return s.e.Wait("the end of "+path, func() bool {
			_, err := os.Stat(path)
			return err != nil
		})
	case "disk":
		content, err := os.ReadFile(path)
		if diff := cmp.Diff(s.want(args), string(content)); err != nil || diff != "" {
			return fmt.Errorf("%v (-want +is):\n%s", err, diff)
		}
		return nil
	case "menu": // menu FILE:LINE [automatic|KIND]: the titles are as in want/NAME
		return s.menu(path, line, args[1], args[2])
	case "lenses":
		return s.lenses(path, args[1])
	case "runs": // how often tests were run so far, by this server, at most
		most, _ := strconv.Atoi(args[0])
		if _, n := s.counts(); n-s.before > most {
			return fmt.Errorf("tests were run %d times", n-s.before)
		}
		return nil
	case "running": // tests run
		select {
		case <-s.began:
			return nil
		case <-s.t.Context().Done():
			return s.t.Context().Err()
		}
	case "shown":
		shown, err := s.e.WaitShown()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(shown)
		if err == nil && !strings.Contains(string(text), args[0]) {
			err = fmt.Errorf("the document says: %s", text)
		}
		return err
	default:
		return fmt.Errorf("unknown verb %q", verb)
	}
}

// want is what a file must become: want/FILE, or want/NAME when a name is given.
func (s *scene) want(args []string) string {
	if args[1] != "" {
		return s.own["want/"+args[1]]
	}
	return s.own["want/"+args[0]]
}

// place reads FILE:LINE or FILE.
func (s *scene) place(arg string) (path string, line int) {
	name, number, _ := strings.Cut(arg, ":")
	line, _ = strconv.Atoi(number)
	return s.path(name), line
}

func (s *scene) typeAt(path string, line int, text string) error {
	now, _ := s.e.Text(path)
	lines := strings.SplitAfter(now, "\n")
	if line < 1 || line > len(lines) {
		return fmt.Errorf("there is no line %d", line)
	}
	at := len(strings.Join(lines[:line-1], ""))
	return s.e.Replace(path, at, at, text)
}

// onEdit says what the editor does with edits: take, decline, lie, fail, or that
// the user types at the same moment: type FILE:LINE TEXT.
func (s *scene) onEdit(args []string) error {
	ways := map[string]lsptest.Apply{"take": lsptest.Take, "decline": lsptest.Decline, "lie": lsptest.Lie, "hide": lsptest.Hide, "fail": lsptest.Fail}
	if way, ok := ways[args[0]]; ok {
		s.e.OnEdit(way, nil)
		return nil
	}
	if args[0] != "type" {
		return fmt.Errorf("unknown way %q", args[0])
	}
	path, line := s.place(args[1])
	s.e.OnEdit(lsptest.Take, func() {
		if err := s.typeAt(path, line, args[2]); err != nil {
			s.t.Error(err)
		}
	})
	return nil
}

func (s *scene) menu(path string, line int, how, want string) error {
	var only []string
	if how != "" && how != "automatic" && how != "all" {
		only = []string{how}
	}
	actions, err := s.e.Menu(path, line, how == "automatic", only...)
	if err != nil {
		return err
	}
	var titles strings.Builder
	for _, a := range actions {
		fmt.Fprintf(&titles, "%s: %s\n", a.Kind, a.Title)
	}
	if diff := cmp.Diff(s.own["want/"+want], titles.String()); diff != "" {
		return fmt.Errorf("the menu (-want +is):\n%s", diff)
	}
	return nil
}

func (s *scene) lenses(path, want string) error {
	lenses, err := s.e.Lenses(path)
	if err != nil {
		return err
	}
	var titles strings.Builder
	for _, l := range lenses {
		fmt.Fprintf(&titles, "%d: %s\n", l.Range.Start.Line+1, l.Command.Title)
	}
	if diff := cmp.Diff(s.own["want/"+want], titles.String()); diff != "" {
		return fmt.Errorf("the lenses (-want +is):\n%s", diff)
	}
	return nil
}
