package repairtest

// Go returns the cases of Go. Their sources are bodies of files of package p.
func Go() []Case {
	cases := []Case{
		// Operators.
		{"comparison", "func f(a, b int) bool { return a ‹<|<=› b }\n", 3},
		{"comparison and constant", "func f(n int) int {\n\tif n ‹== 0|<= 1› {\n\t\treturn n\n\t}\n\treturn f(n - 1)\n}\n", 250},
		{"arithmetic", "func f(a, b int) int { return a ‹+|-› b }\n", 12},
		{"boolean", "func f(a, b bool) bool { return a ‹&&|¦¦› b }\n", 12},
		{"operand swap", "func f(a, b int) int { return ‹a - b|b - a› }\n", 40},
		{"operand drop", "func f(a, b int) int {\n\tc := ‹a + b|a›\n\treturn b - c\n}\n", 40},
		{"grouping", "func f(a, b, c int) int { return ‹a + b * c|(a + b) * c› }\n", 120},
		{"unary drop", "func f(a bool) int {\n\tif ‹!a|a› {\n\t\treturn 1\n\t}\n\treturn 2\n}\n", 12},
		// Constants and names.
		{"number", "func f(a []int) int { return a[‹1|0›] }\n", 4},
		{"boolean constant", "func f(a int) bool {\n\tif a == 1 {\n\t\treturn ‹false|true›\n\t}\n\treturn false\n}\n", 5},
		{"string", "func f(a rune) bool { return a == '‹(|[›' }\n", 30},
		{"constant to variable", "func f(a, b int) int { return a + ‹1|b› }\n", 60},
		{"next term", "func f(n int) int {\n\tif n < 3 {\n\t\treturn n\n\t}\n\treturn f(n-1) + f(n-2)‹| + f(n-3)›\n}\n", 60},
		{"last round", "func f(xs []int, d int) []int {\n\tout := []int{}\n\tfor i := 0; i < len(xs)-1; i++ {\n\t\tn := xs[i]\n\t\tout = append(out, n)\n\t\tout = append(out, d)\n\t}\n‹|\tout = append(out, xs[len(xs)-1])\n›\treturn out\n}\n", 200},
		{"each in turn", "func f(a, b, c int) bool { return a*a == b*b+c*c‹| ¦¦ b*b == a*a+c*c ¦¦ c*c == b*b+a*a› }\n", 60},
		{"one more case", "func f(p rune) bool { return p == 'a' ¦¦ p == 'e' ¦¦ p == 'i'‹| ¦¦ p == 'o'› }\n", 90},
		{"text taken off", "import \"strings\"\n\nfunc f(s string) string {\n\ts = strings.ReplaceAll(s, \" \", \"-\")\n\treturn ‹s|strings.Trim(s, \"-\")›\n}\n", 200},
		{"operations swapped", "func f(a, b, c int) int { return ‹a - b/c|a / c - b› }\n", 60},
		{"variable", "func f(a, b int) int { return ‹a|b› + 1 - a }\n", 20},
		{"sibling", "import \"strings\"\n\nfunc f(s string) string { return strings.‹ToLower|ToUpper›(s) }\n", 6},
		{"attribute", "type v struct{ x, y int }\n\nfunc f(p v) int { return p.x + p.‹x|y› * p.y }\n", 30},
		// Conditions.
		{"negation", "func f(a bool) int {\n\tif ‹a|!a› {\n\t\treturn 1\n\t}\n\treturn 2\n}\n", 20},
		{"weaker condition", "func f(a, b int) int {\n\tif ‹a < 0|a < 0 ¦¦ b == 0› {\n\t\treturn 1\n\t}\n\treturn b\n}\n", 150},
		{"stronger condition", "func f(a []int, i int) int {\n\tfor ‹a[i] > 0|i < len(a) && a[i] > 0› {\n\t\ti++\n\t}\n\treturn i\n}\n", 350},
		{"stronger condition", "type e struct{ l *t }\n\ntype t struct{ root e }\n\nfunc (x *e) g(p *e) bool { return p != &x.l.root }\n\nfunc (x *e) f(p *e) bool { return ‹x.l != nil|x.l != nil && p != &x.l.root› }\n", 120},
		// Calls and values.
		{"argument swap", "func f(a, b int) int { return f(‹a|b›, ‹b|a›) }\n", 12},
		{"unwrap", "func g(a int) int { return a }\n\nfunc f(a int) int { return ‹g(a)|a› }\n", 40},
		{"wrap", "import \"math\"\n\nfunc f(a, b float64) float64 { return ‹a - b|math.Abs(a - b)› }\n", 60},
		{"off by one", "func f(a []int, i int) int { return a[‹i|i + 1›] }\n", 15},
		{"bound", "func f(a, b int) int {\n\tb = ‹a + 1|max(b, a + 1)›\n\treturn b\n}\n", 200},
		{"concatenation", "func f(a, b string) string { return ‹a|b + a› }\n", 60},
		{"slice bound", "func f(a []int) []int { return a[‹|1›:] }\n", 20},
		{"slice add", "func f(a []int) []int { return f(‹a|a[1:]›) }\n", 60},
		{"element swap", "func f(a, b int) (int, int) { return ‹a|b›, ‹b|a› }\n", 20},
		// Assignments and flow.
		{"assignment operator", "func f(a, b int) int {\n\ta ‹+=|-=› b\n\treturn a\n}\n", 20},
		{"assignment operator", "func f(a []int) int {\n\tn := 0\n\tfor range a {\n\t\tn‹++|--›\n\t}\n\treturn n\n}\n", 20},
		{"declaration", "func f(a []int) int {\n\tn := 0\n\tfor _, x := range a {\n\t\tn ‹:=|=› n + x\n\t\t_ = n\n\t}\n\treturn n\n}\n", 60},
		{"return value", "func f(a, b int) int {\n\tif a > b {\n\t\treturn ‹a + 1|b›\n\t}\n\treturn a\n}\n", 80},
		{"break and continue", "func f(a []int) int {\n\tn := 0\n\tfor _, x := range a {\n\t\tif x < 0 {\n\t\t\t‹break|continue›\n\t\t}\n\t\tn += x\n\t}\n\treturn n\n}\n", 60},
		{"branches", "func f(a, b int) int {\n\tif a == b ‹{\n\t\tb = 1\n\t}|{\n\t\ta = 2\n\t}› else ‹{\n\t\ta = 2\n\t}|{\n\t\tb = 1\n\t}›\n\treturn a - b\n}\n", 120},
		{"loop variables", "func f(a []int) int {\n\tn := 0\n\tfor ‹x|_, x› := range a {\n\t\tn += x\n\t}\n\treturn n\n}\n", 60},
		{"out of block", "func f(a []int) int {\n\tn := 0\n\tfor _, x := range a {\n\t\tn += x\n‹\t\tn *= 2\n\t}|\t}\n\tn *= 2›\n\treturn n\n}\n", 250},
		// Insertions.
		{"missing statement", "func f(a []int) []int {\n\tvar r []int\n\tfor _, x := range a {\n\t\ty := x + 1\n\t\t‹|r = append(r, y)\n\t\t›print(y)\n\t}\n\treturn r\n}\n", 500},
		{"missing return", "func f(a []int) int {\n\tn := 0\n\tfor _, x := range a {\n\t\tn += x\n\t}‹|\n\treturn n›\n}\n", 120},
		{"missing guard", "func f(a []int) int {\n\t‹|if len(a) == 0 {\n\t\treturn 0\n\t}\n\t›b := a[0]\n\treturn b\n}\n", 400},
		{"missing if", "func f(a []int) int {\n\tn := 0\n\tfor _, x := range a {\n\t\t‹n += x|if x > 0 {\n\t\t\tn += x\n\t\t}›\n\t}\n\treturn n\n}\n", 700},
		{"error check", "import \"strconv\"\n\nfunc f(s string) (int, error) {\n\tn, err := strconv.Atoi(s)\n\t‹|if err != nil {\n\t\treturn 0, err\n\t}\n\t›return n + 1, err\n}\n", 60},
		{"defer", "import \"sync\"\n\nfunc f(mu *sync.Mutex, a int) int {\n\tmu.Lock()‹|\n\tdefer mu.Unlock()›\n\treturn a\n}\n", 150},
		{"missing map", "type t struct{ m map[string][]int }\n\nfunc (x *t) f(k string, n int) {\n\t‹|if x.m == nil {\n\t\tx.m = make(map[string][]int)\n\t}\n\t›x.m[k] = append(x.m[k], n)\n}\n", 120},
		{"missing map", "func f(m map[string]map[string]int, a, b string) {\n\t‹|if _, ok := m[a]; !ok {\n\t\tm[a] = make(map[string]int)\n\t}\n\t›m[a][b] = 1\n}\n", 120},
		{"dropped error", "import \"strconv\"\n\nfunc f(s string) (int, error) {\n\tn, ‹_|err› := strconv.Atoi(s)‹|\n\tif err != nil {\n\t\treturn 0, err\n\t}›\n\treturn n, nil\n}\n", 60},
		{"dropped error", "func g() error { return nil }\n\nfunc f() error {\n\t‹g()|if err := g(); err != nil {\n\t\treturn err\n\t}›\n\treturn nil\n}\n", 60},
		{"dropped error", "func g(int) (int, error) { return 0, nil }\n\nfunc f(a []int) {\n\tfor _, x := range a {\n\t\t‹_, _ = g(x)|if _, err := g(x); err != nil {\n\t\t\tcontinue\n\t\t}›\n\t\tprint(x)\n\t}\n}\n", 120},
		{"found", "func f(m map[string]int, k string) (int, bool) {\n\tv‹|, ok› := m[k]‹|\n\tif !ok {\n\t\treturn 0, false\n\t}›\n\treturn v, true\n}\n", 120},
		{"found", "func f(a []any) int {\n\tn := 0\n\tfor _, x := range a {\n\t\tv‹|, ok› := x.(int)‹|\n\t\tif !ok {\n\t\t\tcontinue\n\t\t}›\n\t\tn += v\n\t}\n\treturn n\n}\n", 300},
		{"cancelled", "import \"context\"\n\nfunc g() {}\n\nfunc f(ctx context.Context, n int) error {\n\tfor range n {\n\t\t‹|if err := ctx.Err(); err != nil {\n\t\t\treturn err\n\t\t}\n\t\t›g()\n\t}\n\treturn nil\n}\n", 200},
		{"lock", "import \"sync\"\n\ntype t struct {\n\tmu sync.Mutex\n\tn int\n}\n\nfunc (x *t) f() {\n\t‹|x.mu.Lock()\n\tdefer x.mu.Unlock()\n\t›x.n++\n}\n", 120},
		{"missing default", "func f(a int) string {\n\ts := \"\"\n\tswitch a {\n\tcase 1:\n\t\ts = \"a\"\n‹|\tdefault:\n\t\treturn \"\"\n›\t}\n\treturn s\n}\n", 250},
		{"missing else", "func f(a, b int) int {\n\tn := 0\n\tif a > b {\n\t\tn = a\n\t}‹| else {\n\t\tn = b\n\t}›\n\treturn n\n}\n", 650},
		{"case value", "func f(c byte) bool {\n\tswitch c {\n\tcase ' ', '\\n'‹|, '\\t'›:\n\t\treturn true\n\t}\n\treturn false\n}\n", 200},
		{"case value", "import \"reflect\"\n\nfunc f(k reflect.Kind) int {\n\tswitch k {\n\tcase reflect.Slice‹|, reflect.Array›:\n\t\treturn 1\n\t}\n\treturn 0\n}\n\nfunc g(k reflect.Kind) bool { return k == reflect.Array }\n", 60},
		// What is written out, and what is exact.
		{"wrapped error", "import (\n\t\"errors\"\n\t\"io\"\n)\n\nvar _ = errors.New\n\nfunc f(err error) bool { return ‹err == io.EOF|errors.Is(err, io.EOF)› }\n", 60},
		{"wrapped error", "import (\n\t\"errors\"\n\t\"io\"\n)\n\nvar _ = errors.New\n\nfunc f(err error) int {\n\tif ‹err != io.EOF|!errors.Is(err, io.EOF)› {\n\t\treturn 1\n\t}\n\treturn 2\n}\n", 60},
		{"pointer receiver", "type t struct{ n int }\n\nfunc (x ‹|*›t) f() { x.n++ }\n", 30},
		{"element itself", "type t struct{ n int }\n\nfunc f(a []t) {\n\tfor ‹_|i›, x := range a {\n\t\t‹x|a[i]›.n = x.n + 1\n\t}\n}\n", 60},
		{"element itself", "type t struct{ n int }\n\nfunc f(a []t) {\n\tfor ‹_, x|i› := range a {\n\t\t‹x|a[i]›.n++\n\t}\n}\n", 60},
		{"own variable", "func f(a []int) []func() int {\n\tvar out []func() int\n\tfor _, x := range a {\n\t\t‹|x := x\n\t\t›out = append(out, func() int { return x })\n\t}\n\treturn out\n}\n", 200},
		{"characters", "import \"unicode/utf8\"\n\nvar _ = utf8.RuneLen\n\nfunc f(s string, n int) bool { return ‹len(s)|utf8.RuneCountInString(s)› > n }\n", 60},
		{"characters", "func f(s string, n int) string { return ‹s[:n]|string([]rune(s)[:n])› }\n", 60},
		{"exact quotient", "func f(a, b int) float64 { return ‹float64(a / b)|float64(a) / float64(b)› }\n", 20},
		{"exact quotient", "func f(a, b, c int) int { return ‹a / b * c|a * c / b› }\n", 40},
		{"any case", "import \"strings\"\n\nvar _ = strings.Index\n\nfunc f(a, b string) bool { return ‹a == b|strings.EqualFold(a, b)› }\n", 60},
		{"copy", "type t struct{ a []int }\n\nfunc (x *t) f() []int { return ‹x.a|append([]int(nil), x.a...)› }\n", 60},
		{"verb", "import \"fmt\"\n\nfunc f(err error) error { return fmt.Errorf(\"f: %‹v|w›\", err) }\n", 30},
		{"verb", "import \"fmt\"\n\nfunc f(x float64) string { return fmt.Sprintf(\"%.‹1|2›f\", x) }\n", 30},
		{"sibling", "import \"time\"\n\nfunc f(n int) time.Duration { return time.Duration(n) * time.‹Second|Millisecond› }\n", 6},
		// Wholes.
		{"literals swapped", "func f(a int) bool {\n\tif a == 1 {\n\t\treturn ‹true|false›\n\t}\n\treturn ‹false|true›\n}\n", 100},
		{"case of literals", "func f(c rune) bool { return '‹a|A›' <= c && c <= '‹z|Z›' }\n", 200},
		{"variable everywhere", "func f(a []any, b []int, x int) []int {\n\t‹a|b› = append(‹a|b›, x)\n\treturn b\n}\n", 200},
	}
	for k := range cases {
		cases[k].Source = "package p\n\n" + cases[k].Source
	}
	return cases
}
