//go:build !unix

package gotest

import "os/exec"

func own(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
