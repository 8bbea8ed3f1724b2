package testresult

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func id(native string) ID { return ID{Native: native} }

func ids(natives string) []ID {
	var list []ID
	for _, n := range strings.Fields(natives) {
		list = append(list, id(n))
	}
	return list
}

// run reads "a=passed b=failed" as a run of one unit.
func run(t *testing.T, text string) Result {
	t.Helper()
	u := UnitRun{}
	for _, word := range strings.Fields(text) {
		name, status, _ := strings.Cut(word, "=")
		found := false
		for s := Missing; s <= Blocked; s++ {
			if s.String() == status {
				u.Tests, found = append(u.Tests, Test{ID: id(name), Status: s}), true
			}
		}
		if !found {
			t.Fatalf("no status is called %q", status)
		}
	}
	return Result{Units: []UnitRun{u}}
}

func TestSets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b         string
		subset, same bool
	}{
		{"", "", false, true},
		{"", "a", true, false},
		{"a", "", false, false},
		{"a", "a", false, true},
		{"a a", "a", false, true},
		{"a", "a b", true, false},
		{"a b", "b a", false, true},
		{"a c", "a b", false, false},
		{"c", "a b", false, false},
	} {
		if got := StrictSubset(ids(c.a), ids(c.b)); got != c.subset {
			t.Errorf("StrictSubset(%q, %q) = %v", c.a, c.b, got)
		}
		if got := SameSet(ids(c.a), ids(c.b)); got != c.same {
			t.Errorf("SameSet(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	with := func(r Result, change func(u *UnitRun)) Result {
		change(&r.Units[0])
		return r
	}
	for _, c := range []struct {
		name, signature string
		result          Result
		want            RunStatus
	}{
		{"nothing", "", Result{}, Unusable},
		{"no test", "", run(t, ""), Unusable},
		{"all pass", "green", run(t, "a=passed b=passed"), Pass},
		{"all but a skip pass", "green", run(t, "a=passed b=skipped c=xfailed"), Pass},
		{"only skips", "", run(t, "a=skipped"), Unusable},
		{"a failure", "b", run(t, "a=passed b=failed"), Fail},
		{"only failures", "a|b|c", run(t, "c=hung b=failed a=blocked"), Fail},
		{"a broken part", "", with(run(t, "a=passed"), func(u *UnitRun) { u.Unusable = []Part{{Name: "p", Reason: BuildError}} }), Unusable},
		{"a broken part beside a failure", "a", with(run(t, "a=failed"), func(u *UnitRun) { u.Unusable = []Part{{Name: "p", Reason: BuildError}} }), Fail},
		{"a broken unit", "", with(run(t, "a=passed"), func(u *UnitRun) { u.Reason = Crashed }), Unusable},
	} {
		if got := c.result.Status(); got != c.want {
			t.Errorf("%s: status %s, want %s", c.name, got, c.want)
		}
		if got := c.result.Signature(); got != c.signature {
			t.Errorf("%s: signature %q, want %q", c.name, got, c.signature)
		}
	}
}

func TestSignatureKnowsNoOrder(t *testing.T) {
	t.Parallel()
	a, b := run(t, "a=failed b=failed"), run(t, "b=failed a=failed")
	b.Duration = time.Hour
	if a.Signature() != b.Signature() {
		t.Errorf("%q and %q", a.Signature(), b.Signature())
	}
}

func TestNotPassing(t *testing.T) {
	t.Parallel()
	r := run(t, "a=passed b=failed c=skipped d=xfailed e=hung f=blocked")
	if diff := cmp.Diff(ids("b c d e f gone"), r.NotPassing(ids("a b c d e f gone"))); diff != "" {
		t.Error(diff)
	}
}

func TestWorse(t *testing.T) {
	t.Parallel()
	statuses := []Status{Missing, Passed, Failed, Hung, Skipped, XFailed, Blocked}
	// For each status before, those after that are worse.
	worse := map[Status]string{
		Passed:  "missing failed hung skipped xfailed blocked",
		Skipped: "missing failed hung blocked", XFailed: "missing failed hung blocked",
		Failed: "missing", Hung: "missing", Blocked: "missing",
		Missing: "failed hung blocked",
	}
	for _, was := range statuses {
		for _, now := range statuses {
			want := strings.Contains(" "+worse[was]+" ", " "+now.String()+" ")
			if got := now.WorseThan(was); got != want {
				t.Errorf("%s after %s: worse = %v", now, was, got)
			}
			var before, after Result
			before, after = run(t, "ok=passed"), run(t, "ok=passed")
			if was != Missing {
				before = run(t, "ok=passed x="+was.String())
			}
			if now != Missing {
				after = run(t, "ok=passed x="+now.String())
			}
			if got := len(Worse(before, after)) == 1; got != want {
				t.Errorf("from %s to %s: %v", was, now, Worse(before, after))
			}
		}
	}
}

func TestGrownParts(t *testing.T) {
	t.Parallel()
	unit := func(name string, reason Reason, parts ...string) UnitRun {
		u := UnitRun{Unit: name, Reason: reason}
		for _, p := range parts {
			u.Unusable = append(u.Unusable, Part{Name: p, Reason: BuildError})
		}
		return u
	}
	for _, c := range []struct {
		name       string
		best, next []UnitRun
		want       string
	}{
		{"nothing", []UnitRun{unit("u", 0)}, []UnitRun{unit("u", 0)}, ""},
		{"as before", []UnitRun{unit("u", 0, "p")}, []UnitRun{unit("u", 0, "p")}, ""},
		{"repaired", []UnitRun{unit("u", 0, "p")}, []UnitRun{unit("u", 0)}, ""},
		{"a part", []UnitRun{unit("u", 0, "p")}, []UnitRun{unit("u", 0, "p", "q")}, "q"},
		{"the same name in another unit", []UnitRun{unit("u", 0, "p"), unit("v", 0)}, []UnitRun{unit("v", 0, "p")}, "p"},
		{"a unit", []UnitRun{unit("u", 0)}, []UnitRun{unit("u", Crashed)}, "u"},
		{"a unit that was broken has no parts to lose", []UnitRun{unit("u", Crashed)}, []UnitRun{unit("u", 0, "p")}, ""},
		{"a unit that was not run", []UnitRun{unit("u", 0), unit("v", 0)}, []UnitRun{unit("u", 0)}, ""},
	} {
		var names []string
		for _, p := range GrownParts(Result{Units: c.best}, Result{Units: c.next}) {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLookupKnowsUnits(t *testing.T) {
	t.Parallel()
	r := Result{Units: []UnitRun{
		{Unit: "b", Tests: []Test{{ID: ID{"b", "t"}, Status: Failed}}},
		{Unit: "a", Tests: []Test{{ID: ID{"a", "t"}, Status: Passed}}},
	}}
	if got := r.Lookup(ID{"a", "t"}).Status; got != Passed {
		t.Errorf("a::t is %s", got)
	}
	if got := r.Lookup(ID{"", "t"}).Status; got != Missing {
		t.Errorf("t is %s", got)
	}
	if got := r.Tests()[0].ID.String(); got != "a::t" {
		t.Errorf("the first test is %s", got)
	}
	if got := r.Count(Failed); got != 1 {
		t.Errorf("%d failed", got)
	}
}

func TestNamesAreReadBack(t *testing.T) {
	t.Parallel()
	for _, r := range append(Reasons(), NoReason) {
		var got Reason
		text, err := json.Marshal(r)
		if err != nil || json.Unmarshal(text, &got) != nil || got != r {
			t.Errorf("reason %s is read as %s: %v", text, got, err)
		}
	}
	for s := Pass; s <= Unusable; s++ {
		var got RunStatus
		text, err := json.Marshal(s)
		if err != nil || json.Unmarshal(text, &got) != nil || got != s {
			t.Errorf("status %s is read as %s: %v", text, got, err)
		}
	}
	if new(Reason).UnmarshalText([]byte("nonsense")) == nil || new(RunStatus).UnmarshalText([]byte("nonsense")) == nil {
		t.Error("nonsense is read")
	}
}

func TestUnusablePartsNameUnits(t *testing.T) {
	t.Parallel()
	r := Result{Units: []UnitRun{{Unit: "u", Reason: NotInstalled, Detail: "no pytest", Unusable: []Part{{Name: "p", Reason: BuildError}}}}}
	want := []Part{{Name: "u", Reason: NotInstalled, Detail: "no pytest"}, {Name: "p", Reason: BuildError}}
	if diff := cmp.Diff(want, r.UnusableParts()); diff != "" {
		t.Error(diff)
	}
}
