package lsp

import (
	"context"
	"log/slog"
	"sync"
)

// outbox sends notifications in order from a goroutine of its own, so that
// nobody who has something to tell waits for an editor that does not read.
type outbox struct {
	notify func(ctx context.Context, method string, params any) error
	log    *slog.Logger

	mu sync.Mutex
	// guarded by mu
	queue  []notification
	closed bool
	// wake has room for one: there is something to do.
	wake chan struct{}
	done chan struct{}
}

// notification is a message to send, or a place in the queue that somebody waits
// for.
type notification struct {
	method string
	params any
	sent   chan struct{}
}

func newOutbox(notify func(context.Context, string, any) error, log *slog.Logger) *outbox {
	return &outbox{notify: notify, log: log, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// send queues a notification. After close it is dropped.
func (o *outbox) send(method string, params any) { o.put(notification{method: method, params: params}) }

func (o *outbox) put(n notification) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		if n.sent != nil {
			close(n.sent)
		}
		return
	}
	o.queue = append(o.queue, n)
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// flush returns when everything that was queued before is sent, or ctx ends.
func (o *outbox) flush(ctx context.Context) {
	sent := make(chan struct{})
	o.put(notification{sent: sent})
	select {
	case <-sent:
	case <-ctx.Done():
	}
}

// close lets run end.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.signal()
}

// run sends until close, and then what is left.
func (o *outbox) run(ctx context.Context) {
	defer close(o.done)
	for range o.wake {
		batch, last := o.take()
		for _, n := range batch {
			o.deliver(ctx, n)
		}
		if last {
			return
		}
	}
}

func (o *outbox) take() (batch []notification, last bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch, o.queue = o.queue, nil
	return batch, o.closed
}

func (o *outbox) deliver(ctx context.Context, n notification) {
	if n.sent != nil {
		close(n.sent)
		return
	}
	if err := o.notify(ctx, n.method, n.params); err != nil {
		o.log.Warn("notify the editor", "method", n.method, "error", err)
	}
}
