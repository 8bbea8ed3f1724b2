//go:build darwin || windows

package keyring

import (
	"context"
	"errors"
	"fmt"

	native "github.com/zalando/go-keyring"
)

// waited gives up waiting for the system when ctx ends.
func waited[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		switch {
		case errors.Is(r.err, native.ErrNotFound):
			r.err = ErrNone
		case errors.Is(r.err, native.ErrUnsupportedPlatform):
			r.err = ErrNoStore
		case r.err != nil:
			r.err = fmt.Errorf("ask the system's secret store: %w", r.err)
		}
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ErrLocked
	}
}

func (Store) read(ctx context.Context, account string) (string, error) {
	return waited(ctx, func() (string, error) { return native.Get(service, account) })
}

func (Store) write(ctx context.Context, account, secret string) error {
	_, err := waited(ctx, func() (struct{}, error) { return struct{}{}, native.Set(service, account, secret) })
	return err
}

func (Store) remove(ctx context.Context, account string) error {
	_, err := waited(ctx, func() (struct{}, error) { return struct{}{}, native.Delete(service, account) })
	return err
}
