package config

import (
	"cmp"
	"encoding"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// field is one setting, as its struct tags declare it. This file is the only
// one that looks at Settings by reflection.
type field struct {
	name string
	// class is "", "restricted", "limit" or "adds".
	class  string
	values []string
	min    string
	kind   string
	index  int
}

func fields() []field {
	var all []field
	t := reflect.TypeFor[Settings]()
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		f := field{min: tag.Get("min"), kind: tag.Get("kind"), index: i}
		f.name, f.class, _ = strings.Cut(tag.Get("setting"), ",")
		if v := tag.Get("values"); v != "" {
			f.values = strings.Split(v, "|")
		}
		all = append(all, f)
	}
	return all
}

func lookup(name string) (field, bool) {
	for _, f := range fields() {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// Names returns the names of all settings, in the order of their declaration.
func Names() []string {
	var names []string
	for _, f := range fields() {
		names = append(names, f.name)
	}
	return names
}

func (f field) typ() reflect.Type { return reflect.TypeFor[Settings]().Field(f.index).Type }

// list reports whether the setting takes several words.
func (f field) list() bool {
	k := f.typ().Kind()
	return k == reflect.Slice || k == reflect.Map
}

func (f field) in(s *Settings) reflect.Value { return reflect.ValueOf(s).Elem().Field(f.index) }

// set reads given into s, or says what it should have been.
func (f field) set(s *Settings, given any) error {
	v := reflect.New(f.typ()).Elem()
	if err := f.read(v, given); err != nil {
		return err
	}
	if f.class == "adds" {
		v = union(f.in(s), v)
	}
	f.in(s).Set(v)
	return nil
}

// lowers reports whether given is not above what s has: what an untrusted
// project may do to a limit.
func (f field) lowers(s *Settings, given any) bool {
	v := reflect.New(f.typ()).Elem()
	if f.read(v, given) != nil {
		return false
	}
	if v.CanFloat() {
		return v.Float() <= f.in(s).Float()
	}
	return v.Int() <= f.in(s).Int()
}

func union(old, more reflect.Value) reflect.Value {
	all := slices.Clone(old.Interface().([]string))
	for _, x := range more.Interface().([]string) {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return reflect.ValueOf(all)
}

// read reads given into v, by v's type.
func (f field) read(v reflect.Value, given any) error {
	switch to := v.Addr().Interface().(type) {
	case *[]string:
		words, ok := words(given)
		if !ok {
			return f.wants("a list of texts")
		}
		*to = words
		return f.checkList(words)
	case *map[string]string:
		pairs, ok := pairs(given)
		if !ok {
			return f.wants("texts by name, as NAME=VALUE")
		}
		*to = pairs
		return nil
	case *time.Duration:
		return f.readDuration(to, given)
	case *string:
		text, ok := word(given)
		if !ok {
			return f.wants("a text")
		}
		*to = text
		if text == f.in(new(Default())).String() {
			return nil
		}
		return f.checkWord(text)
	case encoding.TextUnmarshaler:
		text, ok := word(given)
		if !ok || to.UnmarshalText([]byte(text)) != nil {
			return f.wants("one of " + strings.Join(f.values, ", "))
		}
		return nil
	default:
		return f.readScalar(v, given)
	}
}

func (f field) readDuration(to *time.Duration, given any) error {
	want := f.wants("a duration such as 90s, 10m or 1h30m")
	text, ok := word(given)
	if n, isInt := given.(int64); isInt {
		text, ok = strconv.FormatInt(n, 10), true
	}
	if !ok {
		return want
	}
	if _, err := strconv.Atoi(text); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return want
	}
	*to = d
	return nil
}

func (f field) readScalar(v reflect.Value, given any) error {
	text, untyped := "", false
	if t, ok := given.(Texts); ok && len(t) == 1 {
		text, untyped = strings.TrimSpace(t[0]), true
	}
	switch v.Kind() {
	case reflect.Bool:
		b, ok := given.(bool)
		if untyped {
			var err error
			b, err = strconv.ParseBool(text)
			ok = err == nil
		}
		if !ok {
			return f.wants("true or false")
		}
		v.SetBool(b)
		return nil
	case reflect.Int, reflect.Float64:
		n, ok := number(given)
		if untyped {
			var err error
			n, err = strconv.ParseFloat(text, 64)
			ok = err == nil
		}
		least, _ := strconv.ParseFloat(f.min, 64)
		whole := v.Kind() == reflect.Int
		if !ok || !(n >= least) || n > 1e15 || whole && n != math.Trunc(n) {
			return f.wants(f.number())
		}
		if whole {
			v.SetInt(int64(n))
		} else {
			v.SetFloat(n)
		}
		return nil
	default:
		panic(fmt.Sprintf("config: setting %s has type %s", f.name, v.Type()))
	}
}

func (f field) number() string {
	if f.typ().Kind() == reflect.Int {
		return "a whole number of at least " + f.min
	}
	return "a number of at least " + f.min
}

func number(given any) (float64, bool) {
	switch n := given.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	default:
		return 0, false
	}
}

func word(given any) (string, bool) {
	switch t := given.(type) {
	case string:
		return t, true
	case Texts:
		if len(t) == 1 {
			return t[0], true
		}
	}
	return "", false
}

func words(given any) ([]string, bool) {
	switch t := given.(type) {
	case Texts:
		return t, true
	case string:
		return []string{t}, true
	case []any:
		list := []string{}
		for _, x := range t {
			s, ok := x.(string)
			if !ok {
				return nil, false
			}
			list = append(list, s)
		}
		return list, true
	default:
		return nil, false
	}
}

func pairs(given any) (map[string]string, bool) {
	m := map[string]string{}
	switch t := given.(type) {
	case Texts:
		for _, pair := range t {
			k, v, ok := strings.Cut(pair, "=")
			if !ok || k == "" {
				return nil, false
			}
			m[k] = v
		}
	case map[string]any:
		for k, x := range t {
			s, ok := x.(string)
			if !ok {
				return nil, false
			}
			m[k] = s
		}
	default:
		return nil, false
	}
	return m, true
}

// wants is the error of a value that is not what.
func (f field) wants(what string) error { return &unfit{want: what} }

type unfit struct{ want string }

func (u *unfit) Error() string { return "expected " + u.want }

var capitals = regexp.MustCompile(`[A-Z]+`)

// matches reports whether text has the form that a value of the tag shows:
// words in capitals stand for any text.
func matches(form, text string) bool {
	re := capitals.ReplaceAllLiteralString(regexp.QuoteMeta(form), `.+`)
	return regexp.MustCompile(`(?s)^(?:` + re + `)$`).MatchString(text)
}

// print returns the value for people: a list with commas, a duration without
// its empty parts.
func (f field) print(s *Settings) string {
	switch v := f.in(s).Interface().(type) {
	case []string:
		return strings.Join(v, ", ")
	case map[string]string:
		var pairs []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, k+"="+v[k])
		}
		return strings.Join(pairs, ", ")
	case time.Duration:
		return shortDuration(v)
	default:
		return fmt.Sprint(v)
	}
}

func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// allowed says in words what the setting takes.
func (f field) allowed() string {
	switch {
	case len(f.values) > 0:
		return strings.Join(f.values, ", ")
	case f.typ() == reflect.TypeFor[time.Duration]():
		return "a duration"
	}
	switch f.typ().Kind() {
	case reflect.Bool:
		return "true, false"
	case reflect.Int, reflect.Float64:
		return f.number()
	case reflect.Slice:
		return cmp.Or(map[string]string{"glob": "a list of patterns", "envname": "a list of names"}[f.kind], "a list of paths")
	case reflect.Map:
		return cmp.Or(map[string]string{"price": "prices by model"}[f.kind], "paths by name")
	default:
		return cmp.Or(map[string]string{"url": "a URL"}[f.kind], "a text")
	}
}
