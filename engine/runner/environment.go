package runner

// environment is laid over the cell's for every test command: quiet, plain,
// the same on every machine. The time zone stays the user's, as tests may
// depend on it. Adapters and units may override each of them.
func environment() []string {
	return []string{
		"CI=1",
		"NO_COLOR=1",
		"TERM=dumb",
		"COLUMNS=200",
		"LC_ALL=C.UTF-8",
		"LANG=C.UTF-8",
	}
}
