package nodetest

import (
	"os"
	"path/filepath"
	"testing"

	"autocoder/engine/runner/runnertest"
	"autocoder/engine/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// newer names a node command beside the one in PATH, a later release.
const newer = "AUTOCODER_TEST_NODE"

func TestContract(t *testing.T) {
	t.Parallel()
	contract(t, os.Environ())
}

func TestContractOfALaterNode(t *testing.T) {
	t.Parallel()
	node := os.Getenv(newer)
	if node == "" {
		t.Skipf("a later release of node is not installed: %s names none", newer)
	}
	contract(t, append(os.Environ(), "PATH="+filepath.Dir(node)))
}

func contract(t *testing.T, environ []string) {
	runnertest.Contract(t, Adapter(), runnertest.Fixtures{Dir: os.DirFS("testdata/contract"), Environ: environ})
}
