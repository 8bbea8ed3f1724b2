package config

import "strings"

// Nearest returns the candidate that a mistyped or shortened word most likely
// meant, and whether any is near enough to be worth a question. The last part of
// a qualified name, as of pkg.TestX or file.py::test_x, counts as the name.
func Nearest(word string, candidates []string) (string, bool) {
	best, at := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		last := c[strings.LastIndexAny(c, "./:")+1:]
		d := min(distance(word, c), distance(word, last))
		if d < at && d < max(len(word), len(last)) {
			best, at = c, d
		}
	}
	return best, best != ""
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
