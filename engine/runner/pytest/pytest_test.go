package pytest

import (
	"os"
	"testing"

	"autocoder/engine/runner/runnertest"
	"autocoder/engine/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

func TestContract(t *testing.T) {
	t.Parallel()
	runnertest.Contract(t, New(), runnertest.Fixtures{
		Dir: os.DirFS("testdata/contract"), Environ: os.Environ(),
	})
}
