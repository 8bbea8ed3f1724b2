package llm

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"autocoder/engine/config"
	"autocoder/engine/llm/answer"
)

// instructions say how to write an edit.
func instructions(f config.EditFormat) string {
	switch f {
	case config.FormatSearch, config.FormatAuto:
		return "Write each edit as a line with the path of the file, and after it a fenced block with one or more of these:\n\n" +
			answer.Example + "\n```\n<<<<<<< SEARCH\nlines as they stand in the file now, enough of them to be unique\n=======\nthe lines to put in their place\n>>>>>>> REPLACE\n```\n\n" +
			"The SEARCH lines must be copied exactly, with their indentation. An empty SEARCH makes a new file."
	case config.FormatWhole:
		return "Write each edit as a line with the path of the file, and after it a fenced block with the whole new content of that file:\n\n" +
			answer.Example + "\n```\nevery line of the file\n```\n\nNever leave out lines and never write a placeholder for them."
	case config.FormatFunction:
		return "Write each edit as a line with the path of the file, two colons and the name of a function or method, and after it a fenced block with the whole new text of that function:\n\n" +
			answer.Example + " :: Shop.price\n```\nevery line of the function, its head included\n```\n\nNever leave out lines. For what is no function, write the path alone and the whole new content of the file."
	default:
		panic(fmt.Sprintf("llm: format %v", f))
	}
}

// nextFormat is the one to try after one that failed.
func nextFormat(f config.EditFormat) config.EditFormat {
	switch f {
	case config.FormatSearch, config.FormatAuto:
		return config.FormatFunction
	case config.FormatFunction:
		return config.FormatWhole
	case config.FormatWhole:
		return config.FormatSearch
	default:
		panic(fmt.Sprintf("llm: format %v", f))
	}
}

const (
	// smallFile is how many lines a file may have to be written whole by a strong
	// model, and mediumFile the same for a small one.
	smallFile, mediumFile = 60, 300
	// smallModel is how many billion parameters a small model may have.
	smallModel = 33
)

var parameters = regexp.MustCompile(`(?i)(?:^|[-_:/.])(\d+(?:\.\d+)?)b(?:$|[-_:.])`)

// weak reports whether a model is small, by its name: such models miss what they
// search for.
func weak(provider, model string) bool {
	m := parameters.FindStringSubmatch(model)
	if m == nil {
		return provider == "ollama"
	}
	n, err := strconv.ParseFloat(m[1], 64)
	return err == nil && n < smallModel
}

// formatFor picks a format for a model and the largest file that is likely to be
// edited, in lines.
func formatFor(provider, model string, lines int) config.EditFormat {
	small := weak(provider, strings.ToLower(model))
	switch {
	case lines <= smallFile || small && lines <= mediumFile:
		return config.FormatWhole
	case small:
		return config.FormatFunction
	default:
		return config.FormatSearch
	}
}
