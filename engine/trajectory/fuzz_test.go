package trajectory

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRecord reads what a disk may have made of a record: that may fail, and do
// nothing else.
func FuzzRecord(f *testing.F) {
	header := `{"schema":"` + Schema + `","run":"20260102T030405678-aa"}` + "\n"
	report := `{"schema":"autocoder.report/1","outcome":"fixed"}`
	for _, seed := range [][2]string{
		{"", ""},
		{header, report},
		{header + `{"kind":"warned","text":"x"}` + "\n", ""},
		{header + `{"kind":"warn`, report[:20]},
		{header + "{}\n{}\n\n", "{}"},
		{`{"schema":"autocoder.trajectory/99"}` + "\n", `{"schema":"autocoder.report/99"}`},
		{header + `{"blob":"../../../etc/passwd"}` + "\n", "null"},
		{"\n\n", "[]"},
		{"null\n", `{"schema":1}`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	const id = "20260102T030405678-aa"
	runs := f.TempDir()
	dir := filepath.Join(runs, id)
	if err := os.Mkdir(dir, 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, events, report []byte) {
		for name, text := range map[string][]byte{eventsFile: events, reportFile: report} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		record, err := Load(runs, id)
		if lines := bytes.Count(events, []byte("\n")); err == nil && len(record.Events) > lines {
			t.Errorf("%d events of %d lines", len(record.Events), lines)
		}
		if all, err := List(runs); err != nil || len(all) != 1 {
			t.Errorf("the list has %d runs: %v", len(all), err)
		}
	})
}
