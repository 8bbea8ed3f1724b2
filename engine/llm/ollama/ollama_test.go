package ollama_test

import (
	"net/http"
	"testing"

	"autocoder/engine/llm/llmtest"
	"autocoder/engine/llm/ollama"
)

func contract() llmtest.Contract {
	return llmtest.Contract{
		New: func(url, _ string, client *http.Client) llmtest.Provider {
			return ollama.New(ollama.Options{BaseURL: url, Client: client})
		},
		KeyHeader: "", Caches: false, Refuses: false,
	}
}

func TestAnswers(t *testing.T)     { t.Parallel(); contract().Answers(t) }
func TestFaults(t *testing.T)      { t.Parallel(); contract().Faults(t) }
func TestConnections(t *testing.T) { t.Parallel(); contract().Connections(t) }
func TestCancels(t *testing.T)     { t.Parallel(); contract().Cancels(t) }
func TestProxies(t *testing.T)     { t.Parallel(); contract().Proxies(t) }
func TestProbes(t *testing.T)      { t.Parallel(); contract().Probes(t) }
