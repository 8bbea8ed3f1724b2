package trajectory

import (
	"encoding/json"
	"reflect"

	"autocoder/engine/redact"
	"autocoder/engine/report"
)

// redactor takes secrets out of reports and their texts.
type redactor struct{ redact.Redactor }

func newRedactor(environ []string) redactor { return redactor{redact.New(environ)} }

func (r redactor) text(s string) string { return r.Text(s) }

func (r redactor) finds(s string) bool { return r.Finds(s) }

// report returns a copy of rep without secrets.
func (r redactor) report(rep report.Report) (report.Report, error) {
	data, err := json.Marshal(rep)
	if err != nil {
		return rep, err
	}
	var clean report.Report
	if err := json.Unmarshal(data, &clean); err != nil {
		return rep, err
	}
	r.walk(reflect.ValueOf(&clean).Elem())
	return clean, nil
}

func (r redactor) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(r.text(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			r.walk(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			r.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.walk(v.Field(i))
		}
	default: // numbers and booleans hold no secrets
	}
}
