package engine_test

import (
	"os"
	"testing"

	"autocoder/engine/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	if root := os.Getenv(doomedRoot); root != "" {
		doomed(root)
	}
	os.Exit(m.Run())
}
