package repair

import (
	"slices"

	"autocoder/engine/propose"
)

// Learnt returns the lines that the engine suspects, the most suspicious first, for
// a proposer that goes on where it found nothing.
func (p *Proposer) Learnt() []propose.Suspect {
	if p.search == nil {
		return nil
	}
	return slices.Clone(p.search.ranking)
}
