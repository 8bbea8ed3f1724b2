package engine_test

import "os"

// doomedRoot is the variable that makes this binary run a fix that is killed.
const doomedRoot = "AUTOCODER_TEST_DOOMED"

func doomed(root string) { os.Exit(1) }
