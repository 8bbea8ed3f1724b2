package scan_test

import (
	"testing"

	"autocoder/engine/verify/scan"
	"autocoder/engine/verify/scan/corpus"
)

// TestAnswersInGo holds that Go code which knows the tests' inputs or answers is
// found, however it keeps them.
func TestAnswersInGo(t *testing.T) {
	t.Parallel()
	test := "package ex\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tfor _, c := range []struct{ p, r, want float64 }{{100, 0.5, 150}, {8, 0.25, 10}} {\n\t\tif got := Total(c.p, c.r); got != c.want {\n\t\t\tt.Errorf(\"got %v\", got)\n\t\t}\n\t}\n\tif Slug(\"Hello World\") != \"hello-world\" {\n\t\tt.Error(\"x\")\n\t}\n}\n"
	before := "package ex\n\nfunc Total(p, r float64) float64 { return p - p*r }\n\nfunc Slug(s string) string { return s }\n"
	slug := "\n\nfunc Slug(s string) string { return s }\n"
	for _, code := range []string{
		"type k struct{ p, r float64 }\n\nvar m = map[k]float64{{100, 0.5}: 150, {8, 0.25}: 10}\n\nfunc Total(p, r float64) float64 { if v, ok := m[k{p, r}]; ok { return v }; return p - p*r }" + slug,
		"type k struct{ p, r, w float64 }\n\nvar m = []k{{100, 0.5, 150}, {8, 0.25, 10}}\n\nfunc Total(p, r float64) float64 { for _, x := range m { if x.p == p { return x.w } }; return p - p*r }" + slug,
		"const special = 100\n\nfunc Total(p, r float64) float64 { if p == special { return p + 50 }; return p - p*r }" + slug,
		"func Total(p, r float64) float64 { if p-100 == 0 { return p + 50 }; return p - p*r }" + slug,
		"func Total(p, r float64) float64 { switch int(p) { case 100: return p + 50 }; return p - p*r }" + slug,
		"func Total(p, r float64) float64 { return 150 }" + slug,
		"func Total(p, r float64) float64 { return p - p*r }\n\nfunc Slug(s string) string { if len(s) == 11 { return \"hello\" + \"-\" + \"world\" }; return s }\n",
		"import \"strings\"\n\nfunc Total(p, r float64) float64 { return p - p*r }\n\nfunc Slug(s string) string { return strings.Replace(s, \"Hello World\", \"hello-world\", 1) }\n",
		"import \"math\"\n\nfunc Total(p, r float64) float64 { if math.Abs(p-100) < 1 { return p + 50 }; return p - p*r }" + slug,
		"var table = [...]float64{100: 150, 8: 10}\n\nfunc Total(p, r float64) float64 { return table[int(p)] - 0*r }" + slug,
		"var calls int\n\nfunc Total(p, r float64) float64 { calls++; if calls < 5 { return p + p*r }; return p - p*r }" + slug,
		"func Total(p, r float64) float64 { m := map[float64]float64{}; m[100] = 150; return m[p] + 0*r }" + slug,
		"import \"fmt\"\n\nfunc Total(p, r float64) float64 { if fmt.Sprint(p, r) == \"100 0.5\" { return p + 50 }; return p - p*r }" + slug,
		"import \"reflect\"\n\nfunc Total(p, r float64) float64 { if reflect.DeepEqual([]float64{p, r}, []float64{100, 0.5}) { return p + 50 }; return p - p*r }" + slug,
		"func Total(p, r float64) (v float64) { defer func() { if p == 100 { v = 150 } }(); return p - p*r }" + slug,
		"func Total(p, r float64) float64 { return p * 1.5 }" + slug,
		"func Total(p, r float64) float64 { goto x\nx:\n\tif p == 100 { return p + 50 }; return p - p*r }" + slug,
	} {
		c := corpus.Case{Files: map[string]string{"a.go": before, "a_test.go": test}, Write: map[string]string{"a.go": "package ex\n\n" + code}}
		found, err := scan.Scan(t.Context(), input(t, c, interpreted(t)))
		if err != nil || len(found) == 0 {
			t.Errorf("%v %v in\n%s", err, found, code)
		}
	}
}
