package answer

import (
	"html"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	channel  = regexp.MustCompile(`<\|[a-z_]+\|>`)
	fileTag  = regexp.MustCompile(`^\s*<(?:file|document|source|code)\b[^>]*\b(?:path|name|filename|file)\s*=\s*["']([^"']+)["'][^>]*>\s*$`)
	endTag   = regexp.MustCompile(`^\s*</(?:file|document|source|code)>\s*$`)
	patchTag = regexp.MustCompile(`^\*\*\* (?:Update|Add) File:\s*(\S.*)$`)
	patchEnd = regexp.MustCompile(`^\*\*\* (?:Begin Patch|End Patch|End of File)\s*$`)
)

// tidy gives an answer the forms that the parser knows: it takes off what the
// templates of models put around it, and turns envelopes into fences and diffs.
func tidy(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if _, final, ok := strings.Cut(text, "<|channel|>final<|message|>"); ok {
		text = final
	}
	text = channel.ReplaceAllString(text, "")
	if strings.Contains(text, "&lt;&lt;&lt;&lt;&lt;") {
		text = html.UnescapeString(text)
	}
	var out []string
	lines := split(text)
	tagged := false // in a file tag that had no fence, for which one was made
	for i, l := range lines {
		file, patch := fileTag.FindStringSubmatch(l), patchTag.FindStringSubmatch(l)
		switch {
		case file != nil:
			out = append(out, file[1])
			if tagged = i+1 < len(lines) && !fenceLine.MatchString(lines[i+1]); tagged {
				out = append(out, tagFence)
			}
		case endTag.MatchString(l) && tagged:
			out, tagged = append(out, tagFence), false
		case patch != nil:
			out = append(out, "--- "+patch[1], "+++ "+patch[1])
		case patchEnd.MatchString(l):
		default:
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// tagFence is a fence that stands in no file.
const tagFence = "~~~~~~~~~~"

// spoken are the names that a line may have in other scripts: quotes and colons as
// they are written here.
var spoken = strings.NewReplacer("：", ":", "“", `"`, "”", `"`, "‘", "'", "’", "'", "「", `"`, "」", `"`, "『", `"`, "』", `"`, "«", `"`, "»", `"`)

var numbered = regexp.MustCompile(`^\s*(\d+)(?:\s*\|[ ]?|\t)`)

// withoutNumbers takes off the line numbers that a model copied from what it was
// shown: every line has one, and they count up by one.
func withoutNumbers(lines []string, file string) []string {
	if slices.Contains([]string{".txt", ".csv", ".tsv", ".md", ".sql"}, path.Ext(file)) || len(lines) == 0 {
		return lines
	}
	out := make([]string, 0, len(lines))
	before := 0
	for i, l := range lines {
		m := numbered.FindStringSubmatch(l)
		if m == nil && strings.TrimSpace(l) == "" && i == len(lines)-1 {
			out = append(out, l)
			continue
		}
		if m == nil {
			return lines
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || i > 0 && n != before+1 || len(lines) == 1 && !strings.Contains(m[0], "|") {
			return lines
		}
		before = n
		out = append(out, l[len(m[0]):])
	}
	return out
}

// outdented takes off the indentation of a fence that all of its lines have.
func outdented(lines []string, by string) []string {
	if by == "" {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		rest, ok := strings.CutPrefix(l, by)
		if !ok && strings.TrimSpace(l) != "" {
			return lines
		}
		out[i] = rest
	}
	return out
}

// instead is a line between a block as it is and one as it should be.
var instead = regexp.MustCompile(`(?i)^\W*(?:with|by|to|after|new|replacement|and replace it with|replace (?:it )?with|should be|change (?:it )?to)\b[^.]{0,40}$`)
