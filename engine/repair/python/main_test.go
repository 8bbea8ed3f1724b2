//go:build unix

package python

import (
	"os"
	"testing"

	"autocoder/engine/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}
