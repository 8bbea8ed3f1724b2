package nvimtest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autocoder/engine/llm/llmtest"
	"autocoder/lsp/realtest"
)

// key is what no file and no message may have.
const key = "sk-nvim-0123456789abcdefghijklmn"

// edited is what a model answers that repairs the project.
const edited = `It gave the number back as it is.

roman.py
` + "```" + `
<<<<<<< SEARCH
    return n
=======
    text = ""
    for value, digits in ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        times, n = divmod(n, value)
        text += digits * times
    return text
>>>>>>> REPLACE
` + "```\n"

// TestModel lets a language model repair through real Neovims.
func TestModel(t *testing.T) {
	t.Parallel()
	turns := []llmtest.Turn{
		{Text: strings.Repeat("I think about Roman digits. ", 100), Cut: 3, Stall: true},
		{Text: "QUESTION: Is 4 IV or IIII?"},
		{Text: edited},
	}
	for _, nvim := range neovims(t) {
		t.Run(nvim.version, func(t *testing.T) {
			t.Parallel()
			s := scenario{file: "model", project: "roman"}
			top, root := s.layOut(t)
			server := llmtest.Start(func(n int, _ llmtest.Request) llmtest.Turn {
				if err := os.WriteFile(filepath.Join(top, fmt.Sprintf("asked-%d", n)), nil, 0o600); err != nil {
					t.Error(err)
				}
				return turns[min(n, len(turns)-1)]
			})
			t.Cleanup(server.Close)
			s.env = []string{"TEST_URL=" + server.URL + "/v1", "OPENAI_API_KEY=" + key}
			interpreter := realtest.Python(t)
			realtest.Tests(t, interpreter, root, false)
			out, err := s.play(t, nvim.path, top, interpreter)
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, logs(top))
			}
			realtest.Tests(t, interpreter, root, true)
			if n := len(server.Requests()); n != len(turns) {
				t.Errorf("the model was asked %d times", n)
			}
			if !bytes.Contains(server.Sent(), []byte(key)) {
				t.Error("the model's provider was not told the key")
			}
			if files := filesWith(t, top, key); len(files) > 0 || strings.Contains(out, key) {
				t.Errorf("the key stands in %q", files)
			}
		})
	}
}

// filesWith are the files below a folder that have a text.
func filesWith(t *testing.T, top, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
