package engine

import "autocoder/engine/agent"

// Change lets a test leave a check of a run out.
func (o *Options) Change(change func(*agent.Config)) { o.change = change }
