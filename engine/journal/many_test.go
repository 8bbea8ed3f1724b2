//go:build unix

package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"autocoder/engine/textedit"
)

// TestManyAtOnce has runs in folders begin and end while others look for what killed
// runs have left: nobody's run is taken for one of these, and no fix is undone.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "journals")
	ended := make(chan struct{})
	var runs, others sync.WaitGroup
	for n := range 3 {
		cfg := project(t)
		cfg.Dir = dir
		runs.Go(func() {
			for round := range 15 {
				cfg.ID = fmt.Sprintf("run-%d-%d", n, round)
				if err := fixed(cfg, fmt.Sprint(round)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		others.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				if found, err := Recover(context.Background(), dir); err != nil || len(found) > 0 {
					t.Errorf("of a live run: %+v, %v", found, err)
				}
			}
		})
	}
	runs.Wait()
	close(ended)
	others.Wait()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// fixed is a run that leaves a text in a file.
func fixed(cfg Config, text string) error {
	ctx := context.Background()
	j, err := Begin(ctx, cfg)
	if err != nil {
		return err
	}
	var patch textedit.Patch
	patch.Ops = append(patch.Ops, textedit.Op{Kind: textedit.OpCreate, Path: "fix.txt", AnyBase: true, Content: []byte(text)})
	state, err := textedit.State{}.Apply(func(string) (textedit.File, error) { return textedit.File{}, nil }, patch)
	if err != nil {
		return err
	}
	if _, err := j.Commit(ctx, state); err != nil {
		return err
	}
	stands, err := os.ReadFile(filepath.Join(cfg.Root, "fix.txt"))
	if err != nil || string(stands) != text {
		return fmt.Errorf("the fix %q is %q: %w", text, stands, err)
	}
	return nil
}
