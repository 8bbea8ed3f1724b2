package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// deadcode lists the functions that neither a command nor a test reaches on any
// target: what only one system uses is not dead.
func deadcode(ctx context.Context) error {
	// The tool itself is built for this system and analyses for another.
	path, err := output(ctx, nil, "go", tool("-n", "deadcode")...)
	if err != nil {
		return err
	}
	var common []string
	for i, x := range []target{{"linux", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}} {
		out, err := output(ctx, x.env(), strings.TrimSpace(path), "-json", "-test", "./...")
		if err != nil {
			return err
		}
		dead, err := deadNames(out)
		if err != nil {
			return fmt.Errorf("read deadcode's answer for %s: %w", x.os, err)
		}
		if i == 0 {
			common = dead
			continue
		}
		common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(dead, name) })
	}
	if len(common) > 0 {
		return errors.New("unreachable:\n  " + strings.Join(common, "\n  "))
	}
	return nil
}

func deadNames(out string) ([]string, error) {
	var packages []struct {
		Path  string
		Funcs []struct {
			Name      string
			Generated bool
			Position  struct {
				File string
				Line int
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &packages); err != nil {
		return nil, err
	}
	var names []string
	for _, p := range packages {
		for _, f := range p.Funcs {
			if !f.Generated {
				names = append(names, fmt.Sprintf("%s.%s (%s:%d)", p.Path, f.Name, f.Position.File, f.Position.Line))
			}
		}
	}
	return names, nil
}
