package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Origin is a setting's value and where it came from.
type Origin struct {
	Name string `json:"name"`
	// Value is a text, number, boolean, list or map, ready for JSON.
	Value any `json:"value"`
	// Text is the value for people.
	Text string `json:"-"`
	// Source is "default", a flag, a variable or "file:line"; several of them for
	// a list that each layer adds to.
	Source string `json:"source"`
}

// Warning is something about the settings that does not stop a run.
type Warning struct {
	// Place is where the setting stands: "file:line", a variable, a flag.
	Place string
	Key   string
	Text  string
}

// String returns the warning as one line.
func (w Warning) String() string { return w.Place + ": " + w.Text }

// BadValue is the error of a known setting with a value that it can't have.
type BadValue struct {
	// Place is where the setting stands: "file:line", a variable, a flag.
	Place, Key string
	Value      string
	// Want says what the value may be.
	Want string
}

// Error says what is wrong where, and what the setting takes.
func (b *BadValue) Error() string {
	key := b.Key + " "
	if strings.EqualFold(b.Place, environPrefix+b.Key) || b.Place == FlagName(b.Key) {
		key = ""
	}
	return fmt.Sprintf("%s: %scan't be %s: expected %s", b.Place, key, b.Value, b.Want)
}

// Resolve lays the layers over the defaults, by kind and not by their order,
// and returns the settings in force with each one's origin. It goes on after a
// bad value to name every one of them; its error joins a *BadValue each.
func Resolve(layers []Layer) (Settings, []Origin, []Warning, error) {
	layers = slices.Clone(layers)
	slices.SortStableFunc(layers, func(a, b Layer) int { return int(a.Kind) - int(b.Kind) })
	s := Default()
	sources := map[string][]string{}
	var warnings []Warning
	var bad []error
	for _, l := range layers {
		for _, key := range l.keys() {
			f, known := lookup(key)
			if !known {
				warnings = append(warnings, unknown(l, key))
				continue
			}
			given := l.Values[key].Any
			if err := f.set(new(Default()), given); err != nil {
				bad = append(bad, &BadValue{Place: l.place(key), Key: key, Value: show(given), Want: want(err)})
				continue
			}
			if w, withheld := withhold(l, f, &s); withheld {
				warnings = append(warnings, w)
				continue
			}
			if err := f.set(&s, given); err != nil {
				return s, nil, warnings, fmt.Errorf("set %s: %w", key, err)
			}
			if f.class != "adds" {
				sources[key] = nil
			}
			sources[key] = append(sources[key], l.place(key))
		}
	}
	return s, origins(&s, sources), warnings, errors.Join(bad...)
}

func want(err error) string {
	var u *unfit
	if errors.As(err, &u) {
		return u.want
	}
	return err.Error()
}

// withhold says whether an untrusted project may not have its value of f.
func withhold(l Layer, f field, s *Settings) (Warning, bool) {
	if !l.Kind.ofProject() || l.Trusted || !f.needsTrust() {
		return Warning{}, false
	}
	if f.class == "limit" && f.lowers(s, l.Values[f.name].Any) {
		return Warning{}, false
	}
	why := "is ignored until you trust this folder: autocoder trust"
	if f.class == "limit" {
		why = fmt.Sprintf("is above %s and ignored until you trust this folder: autocoder trust", f.print(s))
	}
	return Warning{Place: l.place(f.name), Key: f.name, Text: f.name + " " + why}, true
}

func (f field) needsTrust() bool { return f.class == "restricted" || f.class == "limit" }

func unknown(l Layer, key string) Warning {
	w := Warning{Place: l.place(key), Key: key, Text: "unknown setting " + key}
	if w.Place == l.Values[key].Written {
		w.Text = "is not a setting"
	}
	if near, ok := Nearest(strings.ReplaceAll(strings.ToLower(key), "-", "_"), Names()); ok {
		w.Text += ": did you mean " + near + "?"
	}
	return w
}

func origins(s *Settings, sources map[string][]string) []Origin {
	var all []Origin
	for _, f := range fields() {
		o := Origin{Name: f.name, Value: f.in(s).Interface(), Text: f.print(s), Source: "default"}
		switch v := o.Value.(type) {
		case time.Duration:
			o.Value = f.print(s)
		case string:
			if f.kind == "url" {
				o.Text = withoutUser(v)
				o.Value = o.Text
			}
		case []string:
			o.Value = append([]string{}, v...)
		case map[string]string:
			if v == nil {
				o.Value = map[string]string{}
			}
		}
		if from := sources[f.name]; len(from) > 0 {
			o.Source = strings.Join(from, ", ")
		}
		all = append(all, o)
	}
	return all
}

// withoutUser hides the name and password in an address: what is printed of the
// settings is shown to others.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = url.User("hidden")
	return u.String()
}

// show prints a value as it was given.
func show(given any) string {
	if t, ok := given.(Texts); ok {
		return fmt.Sprintf("%q", strings.Join(t, ","))
	}
	if t, ok := given.(string); ok {
		return fmt.Sprintf("%q", t)
	}
	return fmt.Sprint(given)
}

// TrustHash identifies the values of a layer that only a trusted folder may
// give. Trust in a folder is trust in this hash: it ends when one of them
// changes.
func TrustHash(l Layer) string {
	h := sha256.New()
	for _, key := range l.keys() {
		if f, ok := lookup(key); ok && f.needsTrust() {
			fmt.Fprintf(h, "%q=%#v\n", key, l.Values[key].Any)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Restricted returns the names of the layer's settings that only a trusted
// folder may give, sorted.
func Restricted(l Layer) []string {
	var names []string
	for _, key := range l.keys() {
		if f, ok := lookup(key); ok && f.needsTrust() {
			names = append(names, key)
		}
	}
	return names
}
