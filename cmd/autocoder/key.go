package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"autocoder/engine"
	"autocoder/engine/keyring"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// longestKey is the most bytes of a key.
const longestKey = 8 << 10

func (w *world) keyVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use: "key", Short: "Keep the key of a model's provider in the system's secret store", Args: w.noVerb,
		Long: `Keep the key of a language model's provider where the system keeps secrets: in
the Secret Service of the desktop, the keychain of macOS, or the credential
manager of Windows. A key in the environment goes first. With base_url set, the
key is for that server, and is sent to no other.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	kept, forgotten := &settingFlags{}, &settingFlags{}
	set := &cobra.Command{
		Use: "set PROVIDER", Short: "Keep a key, which is read from standard input", Args: oneProvider,
		RunE: func(cmd *cobra.Command, args []string) error { return w.setKey(cmd.Context(), args[0], kept) },
	}
	forget := &cobra.Command{
		Use: "forget PROVIDER", Short: "Forget a key that is kept", Args: oneProvider,
		RunE: func(cmd *cobra.Command, args []string) error { return w.forgetKey(cmd.Context(), args[0], forgotten) },
	}
	kept.add(set, "base_url")
	forgotten.add(forget, "base_url")
	cmd.AddCommand(set, forget)
	return cmd
}

func oneProvider(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s takes the name of one provider: openai or anthropic", cmd.CommandPath())
	}
	return nil
}

// account is what the key of a provider is kept by, with the settings of the user.
func (w *world) accountOf(provider string, flags *settingFlags) (string, error) {
	r, err := w.resolve(".", flags)
	if err != nil {
		return "", err
	}
	base := r.Settings.BaseURL
	if base == "" {
		base = w.getenv(strings.ToUpper(provider) + "_BASE_URL")
	}
	return engine.KeyAccount(provider, base)
}

func (w *world) setKey(ctx context.Context, provider string, flags *settingFlags) error {
	account, err := w.accountOf(provider, flags)
	if err != nil {
		return err
	}
	key, err := w.readKey(account)
	switch {
	case err != nil:
		return fmt.Errorf("read the key: %w", err)
	case key == "" || len(key) > longestKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return usagef("a key is one word on one line")
	}
	if err := keyring.Open(w.environ).Write(ctx, account, key); err != nil {
		return err
	}
	return w.say("kept: the key of %s", account)
}

// readKey reads a key, from a terminal without showing it.
func (w *world) readKey(account string) (string, error) {
	if f, ok := w.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintf(w.stderr, "key of %s (it is not shown): ", account)
		key, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(w.stderr)
		return strings.TrimSpace(string(key)), err
	}
	line, err := bufio.NewReader(io.LimitReader(w.stdin, longestKey+2)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil // a last line need not end
	}
	return strings.TrimSpace(line), err
}

func (w *world) forgetKey(ctx context.Context, provider string, flags *settingFlags) error {
	account, err := w.accountOf(provider, flags)
	if err != nil {
		return err
	}
	if err := keyring.Open(w.environ).Remove(ctx, account); err != nil {
		return err
	}
	return w.say("forgotten: the key of %s", account)
}
