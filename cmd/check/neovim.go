package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// newerSuites are the Debian releases that the newer Neovim is taken from, the
// one that is tried first in front. The system's own is the older one.
var newerSuites = []string{"forky", "trixie"}

// debianKeys are the keys that sign Debian's releases, as Debian has them.
const debianKeys = "/usr/share/keyrings/debian-archive-keyring.gpg"

// newerNeovim is the Neovim beside the system's one, as a program.
func newerNeovim() string { return filepath.Join(toolFolder(), "neovim", "nvim") }

// installNewerNeovim unpacks a newer release's Neovim with all that it needs, its
// C library too, into a folder of its own. The system's packages stay as they are.
func installNewerNeovim(ctx context.Context) error {
	folder := filepath.Dir(newerNeovim())
	var failed error
	for _, suite := range newerSuites {
		err := os.RemoveAll(folder)
		if err == nil {
			err = unpackNeovim(ctx, folder, suite)
		}
		if err == nil {
			return nil
		}
		failed = errors.Join(failed, fmt.Errorf("from Debian %s: %w", suite, err))
	}
	return failed
}

// debianMirror is the archive that the system's own packages come from.
func debianMirror(ctx context.Context) (string, error) {
	// Only lists that were fetched are told of.
	if err := succeeds(ctx, nil, "apt-get", "-o", "DPkg::Lock::Timeout=600", "update"); err != nil {
		return "", err
	}
	out, err := output(ctx, nil, "apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
	if err != nil {
		return "", err
	}
	for uri := range strings.FieldsSeq(out) {
		if strings.HasSuffix(strings.TrimSuffix(uri, "/"), "/debian") {
			return uri, nil
		}
	}
	return "", fmt.Errorf("apt knows no Debian archive, only:\n%s", out)
}

// unpackNeovim downloads with an apt that knows nothing of the system's packages
// and sources.
func unpackNeovim(ctx context.Context, folder, suite string) error {
	mirror, err := debianMirror(ctx)
	if err != nil {
		return err
	}
	apt, err := aptFolder(folder, mirror, suite)
	if err != nil {
		return err
	}
	env := []string{"APT_CONFIG=" + filepath.Join(apt, "apt.conf"), "DEBIAN_FRONTEND=noninteractive"}
	if err := succeeds(ctx, env, "apt-get", "update"); err != nil {
		return err
	}
	if err := succeeds(ctx, env, "apt-get", "install", "-y", "--no-install-recommends", "--download-only", "neovim"); err != nil {
		return err
	}
	root := filepath.Join(folder, "root")
	packages, err := filepath.Glob(filepath.Join(apt, "cache", "archives", "*.deb"))
	if err != nil {
		return err
	}
	for _, p := range packages {
		if err := succeeds(ctx, nil, "dpkg-deb", "--extract", p, root); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(apt); err != nil {
		return err
	}
	return writeStarter(root)
}

// aptFolder lays out what apt needs to work apart from the system. Mirrors that
// stand still are in order: a release's signature is checked, not its age.
func aptFolder(folder, mirror, suite string) (string, error) {
	apt := filepath.Join(folder, "apt")
	for _, dir := range []string{"etc/apt.conf.d", "etc/preferences.d", "state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(apt, dir), 0o755); err != nil {
			return "", err
		}
	}
	conf := fmt.Sprintf(`Dir::Etc "%[1]s/etc/"; Dir::State "%[1]s/state/"; Dir::State::status "%[1]s/status"; Dir::Cache "%[1]s/cache/";
Acquire::Languages "none"; APT::Sandbox::User "root";
`, apt)
	source := fmt.Sprintf("deb [signed-by=%s check-valid-until=no] %s %s main\n", debianKeys, mirror, suite)
	return apt, errors.Join(
		os.WriteFile(filepath.Join(apt, "status"), nil, 0o644),
		os.WriteFile(filepath.Join(apt, "apt.conf"), []byte(conf), 0o644),
		os.WriteFile(filepath.Join(apt, "etc", "sources.list"), []byte(source), 0o644),
	)
}

// writeStarter writes the program that starts the unpacked Neovim with its own
// loader and libraries.
func writeStarter(root string) error {
	loaders, err := filepath.Glob(filepath.Join(root, "usr/lib/*/ld-linux-*.so.*"))
	if err != nil {
		return err
	}
	if len(loaders) != 1 {
		return fmt.Errorf("the packages have %d loaders, not one: %s", len(loaders), strings.Join(loaders, ", "))
	}
	script := fmt.Sprintf(`#!/bin/sh
export VIMRUNTIME='%[1]s/usr/share/nvim/runtime'
exec '%[2]s' --library-path '%[3]s' '%[1]s/usr/bin/nvim' "$@"
`, root, loaders[0], filepath.Dir(loaders[0]))
	return os.WriteFile(newerNeovim(), []byte(script), 0o755)
}
