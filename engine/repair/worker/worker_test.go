package worker

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

// endless answers with the same byte for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestReadLine reads lines, longer than the buffer too, and none that has no end.
func TestReadLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", 1000) + "\n"
	in := bufio.NewReaderSize(io.MultiReader(strings.NewReader("a\n"+long+"rest"), endless{}), 16)
	for _, want := range []string{"a\n", long} {
		if got, err := readLine(in); err != nil || string(got) != want {
			t.Errorf("read %.20q, %v, want %.20q", got, err, want)
		}
	}
	if _, err := readLine(bufio.NewReaderSize(endless{}, 1<<20)); !errors.Is(err, errTooLong) {
		t.Errorf("a line without an end: %v", err)
	}
	if _, err := readLine(bufio.NewReader(strings.NewReader("cut"))); !errors.Is(err, io.EOF) {
		t.Errorf("a line that was cut: %v", err)
	}
}
