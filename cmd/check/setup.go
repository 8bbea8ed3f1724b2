package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// newerNodeVersion is the Node beside the system's one that the tests of the
// node runner use.
const newerNodeVersion = "24.22.3"

// lspClient are the packages of the client of the protocol, written by others, that
// tests of the language server use.
var lspClient = []string{"vscode-languageserver-protocol@3.18.5", "vscode-languageserver-textdocument@1.0.16"}

// need is something that the tests run against.
type need struct {
	name    string
	present func(ctx context.Context) bool
	install func(ctx context.Context) error
	// how tells a person what to install where the check may not.
	how string
}

func needs() []need {
	return []need{
		{
			name: "a C compiler, for the race detector", how: "install gcc (Debian: apt-get install gcc libc6-dev)",
			present: inPath("gcc", "cc", "clang"), install: apt("gcc", "libc6-dev"),
		},
		{
			name: "git", how: "install git (Debian: apt-get install git)",
			present: inPath("git"), install: apt("git"),
		},
		{
			name: "a Python with pytest", how: "install pytest (Debian: apt-get install python3-pytest)",
			present: func(ctx context.Context) bool { return pythonWithPytest(ctx) != "" },
			install: apt("python3", "python3-pytest"),
		},
		{
			name: "Node 20 or newer", how: "install Node.js 20 or newer (https://nodejs.org)",
			present: inPath("node"), install: apt("nodejs", "npm"),
		},
		{
			name: "Node " + newerNodeVersion, how: "npm install --prefix " + toolFolder() + " " + newerNodePackage() + "@" + newerNodeVersion,
			present: func(context.Context) bool { return exists(newerNode()) },
			install: func(ctx context.Context) error {
				return succeeds(ctx, nil, "npm", "install", "--no-audit", "--no-fund", "--prefix", toolFolder(),
					newerNodePackage()+"@"+newerNodeVersion)
			},
		},
		{
			name: "a secret service", how: "install GNOME Keyring (Debian: apt-get install gnome-keyring dbus)",
			present: func(context.Context) bool {
				_, bus := exec.LookPath("dbus-daemon")
				_, service := exec.LookPath("gnome-keyring-daemon")
				return bus == nil && service == nil || runtime.GOOS != "linux"
			},
			install: apt("gnome-keyring", "dbus"),
		},
		{
			name: "disks that share blocks", how: "install the tools of Btrfs and XFS (Debian: apt-get install btrfs-progs xfsprogs)",
			present: func(context.Context) bool {
				_, btrfs := exec.LookPath("mkfs.btrfs")
				_, xfs := exec.LookPath("mkfs.xfs")
				return btrfs == nil && xfs == nil || runtime.GOOS != "linux" || os.Geteuid() != 0
			},
			install: apt("btrfs-progs", "xfsprogs"),
		},
		{
			name: "a client of the language server protocol", how: "npm install --prefix " + toolFolder() + " " + strings.Join(lspClient, " "),
			present: func(context.Context) bool { return hasPackages(lspClient) },
			install: func(ctx context.Context) error {
				args := []string{"install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", toolFolder()}
				return succeeds(ctx, nil, "npm", append(args, lspClient...)...)
			},
		},
		{
			name: "Neovim", how: "install Neovim 0.7 or newer (Debian: apt-get install neovim)",
			present: inPath("nvim"), install: apt("neovim"),
		},
		{
			name: "a newer Neovim", how: "install Neovim 0.11 or newer as " + newerNeovim(),
			present: func(ctx context.Context) bool {
				return exec.CommandContext(ctx, newerNeovim(), "--version").Run() == nil
			},
			install: installNewerNeovim,
		},
	}
}

// setup installs what is missing. What can't be installed here is named with
// the command that does it.
func setup(ctx context.Context, t *tally) error {
	var failed error
	for _, n := range append(needs(), editorNeeds()...) {
		failed = errors.Join(failed, t.step(n.name, provide(ctx, n)))
	}
	return failed
}

func provide(ctx context.Context, n need) error {
	if n.present(ctx) {
		return nil
	}
	if err := n.install(ctx); err != nil {
		return fmt.Errorf("%s is missing and could not be installed here: %s\n%w", n.name, n.how, err)
	}
	if !n.present(ctx) {
		return fmt.Errorf("%s is still missing after it was installed: %s", n.name, n.how)
	}
	return nil
}

func inPath(names ...string) func(context.Context) bool {
	return func(context.Context) bool {
		for _, name := range names {
			if _, err := exec.LookPath(name); err == nil {
				return true
			}
		}
		return false
	}
}

// apt installs Debian packages, as root only: a check does not ask for passwords.
func apt(packages ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		if os.Geteuid() != 0 {
			return errors.New("installing packages takes root")
		}
		if _, err := exec.LookPath("apt-get"); err != nil {
			return errors.New("there is no apt-get on this system")
		}
		env := []string{"DEBIAN_FRONTEND=noninteractive"}
		if err := succeeds(ctx, env, "apt-get", "-o", "DPkg::Lock::Timeout=600", "update"); err != nil {
			return err
		}
		args := append([]string{"-o", "DPkg::Lock::Timeout=600", "install", "-y", "--no-install-recommends"}, packages...)
		return succeeds(ctx, env, "apt-get", args...)
	}
}

// pythonWithPytest returns the first Python that can import pytest, looking past
// version managers' stand-ins.
func pythonWithPytest(ctx context.Context) string {
	for _, name := range []string{"python3", "/usr/bin/python3", "python"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if exec.CommandContext(ctx, path, "-c", "import pytest").Run() == nil {
			return path
		}
	}
	return ""
}

// toolFolder is where what is no package of the system is kept between checks.
func toolFolder() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "autocoder-check")
}

func newerNodePackage() string {
	arch := strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	system := strings.Replace(runtime.GOOS, "windows", "win", 1)
	return "node-" + system + "-" + arch
}

func newerNode() string {
	return filepath.Join(toolFolder(), "node_modules", newerNodePackage(), "bin", "node")
}

// hasPackages reports whether npm packages, NAME@VERSION, are in the tool folder.
func hasPackages(packages []string) bool {
	for _, p := range packages {
		name, version, _ := strings.Cut(p, "@")
		text, err := os.ReadFile(filepath.Join(toolFolder(), "node_modules", name, "package.json"))
		var manifest struct{ Version string }
		if err != nil || json.Unmarshal(text, &manifest) != nil || manifest.Version != version {
			return false
		}
	}
	return true
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
