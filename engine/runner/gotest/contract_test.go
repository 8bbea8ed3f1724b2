package gotest

import (
	"os"
	"testing"

	"autocoder/engine/runner/runnertest"
)

func TestContract(t *testing.T) {
	t.Parallel()
	runnertest.Contract(t, Adapter(), runnertest.Fixtures{
		Dir: os.DirFS("testdata/contract"), Environ: os.Environ(),
		Absent: map[string]string{
			"report_deleted": "the report is a pipe to us",
		},
	})
}
