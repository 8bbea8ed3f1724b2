package mutate

import (
	"regexp"
	"strings"

	"autocoder/engine/repair/node"
)

// queries are the templates about what is written in another language inside a text.
func queries() []Template {
	return []Template{
		{"query", "changes a comparison or word of a query", "'WHERE a < ?' → 'WHERE a <= ?'", .7, []node.Kind{node.String}, false, query},
	}
}

// isQuery finds texts that are queries, or parts of them.
var isQuery = regexp.MustCompile(`(?i)\b(?:SELECT|WHERE|UPDATE|DELETE FROM|INSERT|ORDER BY|GROUP BY|HAVING|JOIN)\b`)

// part finds what a query may have wrong: its comparisons, and the words that have
// another in their place as often.
var part = regexp.MustCompile(`(?i)<=|>=|<>|!=|[<>=]|\b(?:AND|OR|ASC|DESC|MIN|MAX|SUM|COUNT|AVG|LEFT JOIN|INNER JOIN|JOIN|UNION ALL|UNION|IS NOT NULL|IS NULL|NOT IN|IN|INSERT|LIKE)\b`)

// instead are the words to put for another, likely ones first.
var instead = map[string][]string{
	"<": {"<=", ">", ">="}, "<=": {"<", ">=", ">"}, ">": {">=", "<", "<="}, ">=": {">", "<=", "<"}, "=": {"!=", "<=", ">="}, "!=": {"="}, "<>": {"="},
	"AND": {"OR"}, "OR": {"AND"}, "ASC": {"DESC"}, "DESC": {"ASC"}, "MIN": {"MAX"}, "MAX": {"MIN"}, "SUM": {"COUNT"}, "COUNT": {"SUM"}, "AVG": {"SUM"},
	"JOIN": {"LEFT JOIN"}, "INNER JOIN": {"LEFT JOIN"}, "LEFT JOIN": {"JOIN"}, "UNION": {"UNION ALL"}, "UNION ALL": {"UNION"},
	"IS NULL": {"IS NOT NULL"}, "IS NOT NULL": {"IS NULL"}, "IN": {"NOT IN"}, "NOT IN": {"IN"}, "INSERT": {"INSERT OR REPLACE", "INSERT OR IGNORE"}, "LIKE": {"="},
}

func query(g *site) {
	lit := g.Text(g.n)
	_, start, end, ok := inside(lit)
	if !ok || g.docstring(g.n) || !isQuery.MatchString(lit) {
		return
	}
	body := lit[start:end]
	for k, at := range part.FindAllStringIndex(body, 12) {
		old := body[at[0]:at[1]]
		for i, s := range instead[strings.ToUpper(old)] {
			if strings.ToLower(old) == old {
				s = strings.ToLower(s)
			}
			g.emit(g.n.Start+start+at[0], g.n.Start+start+at[1], s, .03*float64(k)+.1*float64(i), because(old, s)+" in the query")
		}
	}
	low := strings.ToUpper(body)
	if strings.Contains(low, "SELECT ") && !strings.Contains(low, "DISTINCT") {
		at := strings.Index(low, "SELECT ") + len("SELECT ")
		g.emit(g.n.Start+start+at, g.n.Start+start+at, "DISTINCT ", .4, quote("DISTINCT")+" is missing in the query")
	}
	if i := strings.Index(low, "ORDER BY"); i >= 0 && !strings.Contains(low[i:], "DESC") {
		g.emit(g.n.Start+end, g.n.Start+end, " DESC", .2, quote("DESC")+" is missing at the end of the query")
	}
}
