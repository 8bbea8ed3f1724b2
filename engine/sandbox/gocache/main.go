package gocache

import "io"

func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int { return 2 }
