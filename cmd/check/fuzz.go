package main

import (
	"context"
	"errors"
	"strings"
)

// fuzzTime is how long each fuzz target runs.
const fuzzTime = "30s"

// fuzz runs every fuzz target of every package for a while.
func fuzz(ctx context.Context, t *tally) error {
	out, err := output(ctx, nil, "go", "list", "./...")
	if err != nil {
		return t.step("list packages", err)
	}
	var failed error
	for pkg := range strings.FieldsSeq(out) {
		names, err := output(ctx, nil, "go", "test", "-list=^Fuzz", pkg)
		if err != nil {
			failed = errors.Join(failed, t.step("list fuzz targets of "+pkg, err))
			continue
		}
		for name := range strings.FieldsSeq(names) {
			if strings.HasPrefix(name, "Fuzz") {
				failed = errors.Join(failed, t.step(pkg+"."+name,
					succeeds(ctx, nil, "go", "test", "-run=^$", "-fuzz=^"+name+"$", "-fuzztime="+fuzzTime, pkg)))
			}
		}
	}
	return failed
}
