package sandbox_test

import (
	"os"
	"syscall"
	"testing"

	"autocoder/engine/sandbox"
)

// toolArg makes this test binary one of the tools that the tests run in cells.
const toolArg = "-test-tool"

func TestMain(m *testing.M) {
	sandbox.Main()
	if len(os.Args) > 2 && os.Args[1] == toolArg {
		syscall.Exit(toolMain(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}
