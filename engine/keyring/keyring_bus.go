//go:build !darwin && !windows

package keyring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/godbus/dbus/v5"
)

// The names of the Secret Service's interface.
const (
	busName    = "org.freedesktop.secrets"
	root       = dbus.ObjectPath("/org/freedesktop/secrets")
	standard   = dbus.ObjectPath("/org/freedesktop/secrets/aliases/default")
	nothing    = dbus.ObjectPath("/")
	serviceAPI = "org.freedesktop.Secret.Service."
	collection = "org.freedesktop.Secret.Collection."
	item       = "org.freedesktop.Secret.Item."
	prompt     = "org.freedesktop.Secret.Prompt"
)

// secret is one as it goes over the user's own bus.
type secret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// talk is a conversation with the service.
type talk struct {
	conn    *dbus.Conn
	session dbus.ObjectPath
}

// busAddress is where the user's bus listens. Only sockets are taken: other kinds of
// addresses start programs.
func busAddress(environ []string) (string, bool) {
	get := func(name string) string {
		value := ""
		for _, kv := range environ {
			if k, v, _ := strings.Cut(kv, "="); k == name {
				value = v
			}
		}
		return value
	}
	for address := range strings.SplitSeq(get("DBUS_SESSION_BUS_ADDRESS"), ";") {
		if strings.HasPrefix(address, "unix:") {
			return address, true
		}
	}
	if dir := get("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		socket := filepath.Join(dir, "bus")
		if _, err := os.Stat(socket); err == nil {
			return "unix:path=" + dbus.EscapeBusAddressValue(socket), true
		}
	}
	return "", false
}

func (s Store) open(ctx context.Context) (*talk, error) {
	address, ok := busAddress(s.environ)
	if !ok {
		return nil, ErrNoStore
	}
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNoStore, err)
	}
	t := &talk{conn: conn}
	var ignored dbus.Variant
	err = t.call(ctx, root, serviceAPI+"OpenSession", "plain", dbus.MakeVariant("")).Store(&ignored, &t.session)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %v", ErrNoStore, err), conn.Close())
	}
	return t, nil
}

func (t *talk) call(ctx context.Context, object dbus.ObjectPath, method string, args ...any) *dbus.Call {
	return t.conn.Object(busName, object).CallWithContext(ctx, method, 0, args...)
}

func attributes(account string) map[string]string {
	return map[string]string{"service": service, "username": account}
}

// items are those of an account, unlocked.
func (t *talk) items(ctx context.Context, account string) ([]dbus.ObjectPath, error) {
	var open, locked []dbus.ObjectPath
	if err := t.call(ctx, root, serviceAPI+"SearchItems", attributes(account)).Store(&open, &locked); err != nil {
		return nil, fmt.Errorf("search the system's secret store: %w", err)
	}
	if len(locked) > 0 {
		if err := t.unlock(ctx, locked); err != nil {
			return nil, err
		}
	}
	return append(open, locked...), nil
}

// unlock unlocks objects; the service may ask the user.
func (t *talk) unlock(ctx context.Context, objects []dbus.ObjectPath) error {
	var open []dbus.ObjectPath
	var question dbus.ObjectPath
	if err := t.call(ctx, root, serviceAPI+"Unlock", objects).Store(&open, &question); err != nil {
		return fmt.Errorf("unlock the system's secret store: %w", err)
	}
	return t.answered(ctx, question)
}

// answered waits for the user to answer a question of the service; there may be
// none.
func (t *talk) answered(ctx context.Context, question dbus.ObjectPath) error {
	if question == nothing || question == "" {
		return nil
	}
	match := []dbus.MatchOption{dbus.WithMatchObjectPath(question), dbus.WithMatchInterface(prompt), dbus.WithMatchMember("Completed")}
	if err := t.conn.AddMatchSignalContext(ctx, match...); err != nil {
		return fmt.Errorf("wait for the system's secret store: %w", err)
	}
	signals := make(chan *dbus.Signal, 8)
	t.conn.Signal(signals)
	defer t.conn.RemoveSignal(signals)
	if err := t.call(ctx, question, prompt+".Prompt", "").Err; err != nil {
		return ErrLocked
	}
	for {
		select {
		case <-ctx.Done():
			return ErrLocked
		case s, more := <-signals:
			switch {
			case !more:
				return ErrLocked
			case s.Path != question:
			case len(s.Body) > 0 && s.Body[0] == true:
				return ErrLocked // it was dismissed
			default:
				return nil
			}
		}
	}
}

func (s Store) read(ctx context.Context, account string) (value string, err error) {
	t, err := s.open(ctx)
	if err != nil {
		return "", err
	}
	defer t.conn.Close()
	found, err := t.items(ctx, account)
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", ErrNone
	}
	var got secret
	if err := t.call(ctx, found[0], item+"GetSecret", t.session).Store(&got); err != nil {
		return "", fmt.Errorf("read a key from the system's secret store: %w", err)
	}
	return string(got.Value), nil
}

func (s Store) write(ctx context.Context, account, value string) error {
	t, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer t.conn.Close()
	if err := t.unlock(ctx, []dbus.ObjectPath{standard}); err != nil {
		return err
	}
	properties := map[string]dbus.Variant{
		item + "Label":      dbus.MakeVariant("autocoder: key of " + account),
		item + "Attributes": dbus.MakeVariant(attributes(account)),
	}
	kept := secret{Session: t.session, Value: []byte(value), ContentType: "text/plain; charset=utf8"}
	var made, question dbus.ObjectPath
	if err := t.call(ctx, standard, collection+"CreateItem", properties, kept, true).Store(&made, &question); err != nil {
		return fmt.Errorf("write a key to the system's secret store: %w", err)
	}
	return t.answered(ctx, question)
}

func (s Store) remove(ctx context.Context, account string) error {
	t, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer t.conn.Close()
	found, err := t.items(ctx, account)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return ErrNone
	}
	for _, path := range found {
		var question dbus.ObjectPath
		if err := t.call(ctx, path, item+"Delete").Store(&question); err != nil {
			return fmt.Errorf("remove a key from the system's secret store: %w", err)
		}
		if err := t.answered(ctx, question); err != nil {
			return err
		}
	}
	return nil
}
