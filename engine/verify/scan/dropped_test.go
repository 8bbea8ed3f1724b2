package scan_test

import (
	"testing"

	"autocoder/engine/verify/scan"
	"autocoder/engine/verify/scan/corpus"
)

// TestDroppedErrors holds that Go code which no longer hands on what a caller's function
// gives is found, and code that hands it on in another way is not.
func TestDroppedErrors(t *testing.T) {
	t.Parallel()
	const head = "package ex\n\nimport \"errors\"\n\nvar ErrStop = errors.New(\"stop\")\n\n"
	const before = head + "func Each(words []string, visit func(string) error) error {\n\tfor _, w := range words {\n\t\tif err := visit(w); err != nil {\n\t\t\tif errors.Is(err, ErrStop) {\n\t\t\t\treturn nil\n\t\t\t}\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil\n}\n"
	const test = "package ex\n\nimport \"testing\"\n\nfunc TestEach(t *testing.T) {\n\tif err := Each([]string{\"a\"}, func(string) error { return nil }); err != nil {\n\t\tt.Error(err)\n\t}\n}\n"
	for body, dropped := range map[string]bool{
		"for _, w := range words { if err := visit(w); err != nil { return nil } }; return nil":                                                        true,
		"for _, w := range words { if err := visit(w); errors.Is(err, ErrStop) { return err } }; return nil":                                           true,
		"for _, w := range words { _ = visit(w) }; return nil":                                                                                         true,
		"c := make(chan error, 9); for _, w := range words { select { case c <- visit(w): default: } }; return nil":                                    true,
		"for _, w := range words { if err := visit(w); err != nil && len(w) > 3 { return err } }; return nil":                                          true,
		"for _, w := range words { if err := visit(w); err != nil { return fmt.Errorf(\"%s: %w\", w, err) } }; return nil":                             false,
		"var all []error; for _, w := range words { all = append(all, visit(w)) }; return errors.Join(all...)":                                         false,
		"all := make([]error, len(words)); for i, w := range words { all[i] = visit(w) }; return errors.Join(all...)":                                  false,
		"c := make(chan error, 9); for _, w := range words { go func() { c <- visit(w) }() }; return <-c":                                              false,
		"for _, w := range words { err := visit(w); switch { case errors.Is(err, ErrStop): return nil; case err != nil: return err } }; return nil":    false,
		"for _, w := range words { err := visit(w); if errors.Is(err, ErrStop) { break }; if err != nil { return err } }; return nil":                  false,
		"var err error; for i := 0; i < len(words) && err == nil; i++ { err = visit(words[i]) }; if errors.Is(err, ErrStop) { err = nil }; return err": false,
		"var failed error; for _, w := range words { if e := visit(w); e != nil { if !errors.Is(e, ErrStop) { failed = e }; break } }; return failed":  false,
		"return walk(words, visit)": false,
	} {
		write := head + "func Each(words []string, visit func(string) error) error {\n" + body + "\n}\n"
		c := corpus.Case{Files: map[string]string{"a.go": before, "a_test.go": test}, Write: map[string]string{"a.go": write}}
		found, err := scan.Scan(t.Context(), input(t, c, interpreted(t)))
		if said := len(found) > 0; err != nil || said != dropped {
			t.Errorf("%v %v, want found %v in\n%s", err, found, dropped, write)
		}
	}
}
