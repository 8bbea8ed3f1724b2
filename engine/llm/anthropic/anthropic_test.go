package anthropic_test

import (
	"net/http"
	"testing"

	"autocoder/engine/llm/anthropic"
	"autocoder/engine/llm/llmtest"
)

func contract() llmtest.Contract {
	return llmtest.Contract{
		New: func(url, key string, client *http.Client) llmtest.Provider {
			return anthropic.New(anthropic.Options{BaseURL: url, Key: key, Client: client})
		},
		KeyHeader: "Authorization", Caches: true, Refuses: true,
	}
}

func TestAnswers(t *testing.T)     { t.Parallel(); contract().Answers(t) }
func TestFaults(t *testing.T)      { t.Parallel(); contract().Faults(t) }
func TestConnections(t *testing.T) { t.Parallel(); contract().Connections(t) }
func TestCancels(t *testing.T)     { t.Parallel(); contract().Cancels(t) }
func TestProxies(t *testing.T)     { t.Parallel(); contract().Proxies(t) }
func TestProbes(t *testing.T)      { t.Parallel(); contract().Probes(t) }
