package neighbours

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const (
	goEach  = 44 // values in one place of one input
	goMixed = 24 // arguments of different calls together
	goRow   = 8  // values for what an input has twice
)

// derive makes inputs near those that the edit changes, which no test gives, at most so
// many in all.
func (f *goFunction) derive(most int) {
	moved := f.moved()
	known := map[string]bool{}
	others := map[string][]goNode{}
	for _, in := range f.given {
		known[in.text()] = true
		for _, p := range in.places(f.names) {
			others[p.name] = append(others[p.name], p.node)
		}
	}
	for _, in := range moved {
		left := most / len(moved)
		note := func(c goCall, place string, v goNode) {
			if text := c.text(); left > 0 && !known[text] {
				known[text] = true
				left--
				in.near = append(in.near, &goNeighbour{goCall: c, place: place, text: v.text(), at: v.number()})
			}
		}
		for _, v := range in.twice() {
			near := goNearOf(v, nil)
			for _, w := range near[:min(len(near), goRow)] {
				c := in.goCall
				c.Args = slices.Clone(c.Args)
				for i, a := range c.Args {
					c.Args[i] = a.swapped(v, w)
				}
				note(c, together, w)
			}
		}
		f.mix(in, note)
		places := in.places(f.names)
		rows := make([][]goNode, len(places))
		for i, p := range places {
			given := others[p.name]
			rows[i] = slices.DeleteFunc(goNearOf(p.node, given), func(v goNode) bool {
				return slices.ContainsFunc(given, func(o goNode) bool { return o.text() == v.text() || bare(o) != "" && bare(o) == bare(v) })
			})
		}
		for k := range goEach {
			for i, p := range places {
				if k < len(rows[i]) {
					note(in.put(p.path, rows[i][k]), p.name, rows[i][k])
				}
			}
		}
	}
}

// mix puts arguments of different calls together.
func (f *goFunction) mix(in *goInput, note func(goCall, string, goNode)) {
	left := goMixed
	for k := range in.Args {
		for _, o := range f.given {
			if o != in && k < len(o.Args) && left > 0 {
				left--
				note(in.put([]int{k}, o.Args[k]), "mixed", goNode{})
			}
		}
	}
}

// bare is a text without case and signs.
func bare(n goNode) string {
	s, err := strconv.Unquote(n.Text)
	if n.Kind != "string" || err != nil {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// goNearOf are values near one, without it, each once. Below zero they go only where
// the others are.
func goNearOf(n goNode, others []goNode) []goNode {
	below := func(n goNode) bool { return strings.HasPrefix(n.Text, "-") }
	negative := below(n) || slices.ContainsFunc(others, below)
	seen := map[string]bool{n.text(): true}
	var out []goNode
	for _, v := range goCandidates(n, others) {
		if text := v.text(); !seen[text] && (negative || !below(v)) && len(out) < goEach {
			seen[text] = true
			out = append(out, v)
		}
	}
	return out
}

func goCandidates(n goNode, others []goNode) []goNode {
	with := func(text string) goNode { v := n; v.Text = text; return v }
	var out []goNode
	switch n.Kind {
	case "bool":
		return []goNode{with(strconv.FormatBool(n.Text != "true"))}
	case "int", "uint":
		x, err := strconv.ParseInt(n.Text, 10, 64)
		if err != nil || x > 1<<50 || x < -(1<<50) {
			return nil
		}
		for _, v := range wholeNear(x) {
			if fits(v, n) {
				out = append(out, with(strconv.FormatInt(v, 10)))
			}
		}
	case "float":
		x, err := strconv.ParseFloat(n.Text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		for _, v := range brokenNear(x) {
			out = append(out, with(strconv.FormatFloat(v, 'g', -1, max(n.Bits, 32))))
		}
	case "string":
		s, err := strconv.Unquote(n.Text)
		if err != nil {
			return nil
		}
		for _, v := range textsNear(s) {
			out = append(out, with(strconv.QuoteToASCII(v)))
		}
	case "time":
		at, err := time.Parse(time.RFC3339Nano, n.Text)
		if err != nil {
			return nil
		}
		for _, d := range daysNear {
			out = append(out, with(at.AddDate(0, 0, d).Format(time.RFC3339Nano)))
		}
	case "slice":
		return listsNear(n, others)
	case "map":
		return mapsNear(n)
	}
	return out
}

// fits reports whether a number is one of the type of another.
func fits(v int64, n goNode) bool {
	if n.Kind == "uint" {
		return v >= 0 && (n.Bits >= 63 || v < 1<<n.Bits)
	}
	return n.Bits >= 63 || v < 1<<(n.Bits-1) && v >= -(1<<(n.Bits-1))
}

var daysNear = []int{1, -1, 2, -2, 7, -7, 28, 29, 30, 31, -28, -30, -31, 59, 60, 61, 90, 91, 92, 365, 366, -365, -366, 1460, 1461, -1461, 3652, 10, 14, 45, 100}

// wholeNear are numbers beside one, multiples of it, and those of which one digit is
// another.
func wholeNear(n int64) []int64 {
	out := []int64{n + 1, n - 1, n + 2, n - 2, 2 * n, n + 3, n - 3, -n, 3 * n, n + 5, n + 10, n - 10}
	digits := strings.TrimPrefix(strconv.FormatInt(n, 10), "-")
	sign := int64(1)
	if n < 0 {
		sign = -1
	}
	if zeros := len(digits) - len(strings.TrimRight(digits, "0")); zeros > 0 && n != 0 {
		step := int64(math.Pow10(zeros))
		for _, k := range []int64{1, 2, 3, -1, 4, 5} {
			out = append(out, n+k*step)
		}
	}
	var turned []int64
	add := func(text string) {
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			turned = append(turned, sign*v)
		}
	}
	for at := range digits {
		for _, d := range "9271835460" {
			if byte(d) != digits[at] && (at > 0 || d != '0') {
				add(digits[:at] + string(d) + digits[at+1:])
			}
		}
	}
	for _, d := range "123" {
		add(string(d) + digits)
		add(digits + string(d))
	}
	if len(digits) > 1 {
		add(digits[:len(digits)-1])
		add(digits[1:])
	}
	// In no order, so that the first of them are of all kinds.
	key := func(v int64) int64 { return max(v, -v) % 100_000_000 * 40503 % 1009 }
	slices.SortStableFunc(turned, func(a, b int64) int { return cmp.Compare(key(a), key(b)) })
	return append(out, turned...)
}

// brokenNear are the same for numbers with a fraction.
func brokenNear(x float64) []float64 {
	if x == math.Trunc(x) && math.Abs(x) < 1<<40 {
		var out []float64
		for _, v := range wholeNear(int64(x)) {
			out = append(out, float64(v))
		}
		return out
	}
	out := []float64{x + 1, x - 1, x * 2, x / 2, x + 0.01, x - 0.01, x + 0.1, x - 0.1, -x, x * 3, x + 10, x * 10, x / 10, x + 2, x - 2, x + 5}
	text := strconv.FormatFloat(x, 'f', -1, 64)
	for at, c := range text {
		if c < '0' || c > '9' {
			continue
		}
		for _, d := range "2735914" {
			if v, err := strconv.ParseFloat(text[:at]+string(d)+text[at+1:], 64); err == nil && d != c {
				out = append(out, v)
			}
		}
	}
	_, fraction, _ := strings.Cut(text, ".")
	unit := math.Pow10(min(max(len(fraction), 2), 12))
	for i, v := range out {
		out[i] = math.Round(v*unit) / unit
	}
	return out
}

var runsOfDigits = regexp.MustCompile(`[0-9]{1,9}`)

// textsNear are texts with another number, another letter, other words.
func textsNear(s string) []string {
	var out []string
	for _, m := range runsOfDigits.FindAllStringIndex(s, 4) {
		digits := s[m[0]:m[1]]
		n, err := strconv.Atoi(digits)
		if err != nil {
			continue
		}
		for _, v := range []int{n + 1, n + 2, max(0, n-1), 2*n + 3} {
			text := strconv.Itoa(v)
			if digits[0] == '0' {
				text = strings.Repeat("0", max(0, len(digits)-len(text))) + text
			}
			out = append(out, s[:m[0]]+text+s[m[1]:])
		}
	}
	r := []rune(s)
	half := len(r) / 2
	back := slices.Clone(r)
	slices.Reverse(back)
	out = append(out, s+s, s+" "+s, string(r[half:])+string(r[:half]), string(back), strings.Map(otherCase, s), " "+s)
	if words := strings.Split(s, " "); len(words) > 1 {
		turned := slices.Clone(words)
		slices.Reverse(turned)
		for _, list := range [][]string{turned, words[1:], words[:len(words)-1], append(slices.Clone(words), words[0])} {
			out = append(out, strings.Join(list, " "))
		}
	}
	spots := make([]int, len(r))
	for i := range spots {
		spots[i] = i
	}
	slices.SortStableFunc(spots, func(a, b int) int { return cmp.Compare(a*7919%101, b*7919%101) })
	spots = spots[:min(len(spots), 16)]
	for k, at := range spots {
		out = append(out, string(r[:at])+string(otherRune(r[at], k))+string(r[at+1:]))
		if k%2 == 0 {
			out = append(out, string(r[:at])+string(r[at+1:]))
		} else {
			out = append(out, string(r[:at])+string(otherRune(r[at], k+3))+string(r[at:]))
		}
		if at+1 < len(r) {
			out = append(out, string(r[:at])+string(r[at+1])+string(r[at])+string(r[at+2:]))
		}
	}
	for k := range 14 - 2*min(len(spots), 7) {
		out = append(out, s+string("abcdefghijklmn"[k]), string("zyxwvutsrqponm"[k])+s)
	}
	return out
}

func otherCase(r rune) rune {
	if unicode.IsLower(r) {
		return unicode.ToUpper(r)
	}
	return unicode.ToLower(r)
}

// otherRune is another character of the same kind.
func otherRune(r rune, k int) rune {
	for _, kind := range []string{"0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		if at := strings.IndexRune(kind, r); at >= 0 {
			step := (3*k + 1) % len(kind)
			return rune(kind[(at+max(step, 1))%len(kind)])
		}
	}
	return rune("abcdefgh"[k%8])
}

// listsNear are lists that are longer, shorter, turned round, or have another element.
func listsNear(n goNode, others []goNode) []goNode {
	of := func(parts ...[]goNode) goNode { v := n; v.Parts = slices.Concat(parts...); return v }
	p := n.Parts
	if len(p) == 0 {
		return nil
	}
	back := slices.Clone(p)
	slices.Reverse(back)
	out := []goNode{of(p, p), of(back), of(p[1:]), of(p[:len(p)-1]), of(p[1:], p[:1])}
	for at := range min(len(p), 6) {
		out = append(out, of(p[:at], p[at:at+1], p[at:]), of(p[:at], p[at+1:]))
		near := partsNear(p[at])
		for k, v := range near[:min(len(near), 6)] {
			out = append(out, of(p[:at], []goNode{v}, p[at+1:]))
			if k == 0 {
				out = append(out, of(p[:at], []goNode{v}, p[at:]))
			}
		}
	}
	for k, o := range others {
		if k < 6 && o.Kind == n.Kind && len(o.Parts) > 0 {
			at := k % (len(p) + 1)
			out = append(out, of(p[:at], o.Parts[:1], p[at:]))
		}
	}
	return out
}

// partsNear are values near an element: of a struct, near what is in it.
func partsNear(n goNode) []goNode {
	if n.Kind != "struct" && n.Kind != "ptr" && n.Kind != "interface" {
		return goNearOf(n, nil)
	}
	var out []goNode
	for _, place := range placesIn(n, "", nil, 0) {
		if len(place.path) == 0 {
			continue
		}
		near := goNearOf(place.node, nil)
		for _, v := range near[:min(len(near), 4)] {
			out = append(out, n.replaced(place.path, v))
		}
	}
	return out
}

// mapsNear are maps with another key or value, and without one.
func mapsNear(n goNode) []goNode {
	var out []goNode
	of := func(parts ...[]goNode) { v := n; v.Parts = slices.Concat(parts...); out = append(out, v) }
	for i := 0; i+1 < len(n.Parts) && i < 16; i += 2 {
		head, tail := n.Parts[:i], n.Parts[i+2:]
		of(head, tail)
		values, keys := partsNear(n.Parts[i+1]), partsNear(n.Parts[i])
		for _, v := range values[:min(len(values), 4)] {
			of(head, []goNode{n.Parts[i], v}, tail)
		}
		for _, k := range keys[:min(len(keys), 3)] {
			of(head, []goNode{k, n.Parts[i+1]}, tail)
			of(n.Parts, []goNode{k, n.Parts[i+1]})
		}
	}
	return out
}
