package mutate

import "testing"

// What differs between what a test wants and what it got is found in the text that it
// comes from, by what stands around it there.
func TestDiffering(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want, got, text, becomes string }{
		{"a letter", "no such file: a", "no such fle: a", "no such fle: %s", "no such file: %s"},
		{"a word", "3 apples left", "3 pears left", "{} pears left", "{} apples left"},
		{"what is left out", "x is not there", "x is there", "%r is there", "%r is not there"},
		{"the whole", "b", "a", "a", "b"},
		{"a part of what was filled in", "7 pears", "8 pears", "%d pears", ""},
		{"another text", "no such file", "no such fle", "file", ""},
		{"too little around it", "abcx", "abcy", "%sy is too short", ""},
	}
	for _, tt := range tests {
		d := Differing{Want: tt.want, Got: tt.got}
		becomes := ""
		if start, end, ok := d.within(tt.text); ok {
			becomes = tt.text[:start] + d.want() + tt.text[end:]
		}
		if becomes != tt.becomes {
			t.Errorf("%s: %q becomes %q, want %q", tt.name, tt.text, becomes, tt.becomes)
		}
	}
}
