// Package keyring keeps the keys of models' providers where the user's system keeps
// secrets: the Secret Service of a desktop (GNOME Keyring, KWallet, KeePassXC), the
// keychain of macOS, the credential manager of Windows.
//
// A key is known by an account, which says what it is for; all are of the service
// "autocoder", so that the system's own tools show and remove them. Nothing is
// written to a file, and no error holds a key. Where the system has no store, that
// is an error of its own.
package keyring

import (
	"context"
	"errors"
	"time"
)

// service is what the store knows all our secrets by.
const service = "autocoder"

// patience is how long a store may take to answer, a person who unlocks it included.
const patience = time.Minute

var (
	// ErrNone means that the store has nothing for the account.
	ErrNone = errors.New("the system's secret store has no such key")
	// ErrNoStore means that the system has no store that can be reached.
	ErrNoStore = errors.New("this system has no secret store that can be reached")
	// ErrLocked means that the store is locked and nobody unlocked it.
	ErrLocked = errors.New("the system's secret store is locked: unlock it and try again")
)

// Store is the secret store of one user.
type Store struct{ environ []string }

// Open returns the store of the user whose environment is given. It asks nothing
// yet.
func Open(environ []string) Store { return Store{environ} }

// Read returns the secret of an account.
func (s Store) Read(ctx context.Context, account string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.read(ctx, account)
}

// Write keeps a secret for an account, in the place of one that is kept.
func (s Store) Write(ctx context.Context, account, secret string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.write(ctx, account, secret)
}

// Remove forgets the secret of an account.
func (s Store) Remove(ctx context.Context, account string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.remove(ctx, account)
}
