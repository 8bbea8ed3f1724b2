package sandbox

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"autocoder/engine/config"
)

// Trial is a tier that was tried, with what was found.
type Trial struct {
	Tier    Tier
	Answers []Answer
}

// failed returns the first answer that is not OK.
func (t Trial) failed() (Answer, bool) {
	for _, a := range t.Answers {
		if !a.OK {
			return a, true
		}
	}
	return Answer{}, false
}

// Unavailable is the error of Choose when the tier that was asked for can't be
// had here.
type Unavailable struct {
	// Tier is the strongest one that was tried.
	Tier Tier
	// Probe is what failed of it.
	Probe Answer
	// Remedies are what the user can do, as sentences.
	Remedies []string
}

// Error names the probe and the remedies.
func (u *Unavailable) Error() string {
	return fmt.Sprintf("sandbox %v is not available: %s: %s; %s", u.Tier, u.Probe.Name, u.Probe.Detail, strings.Join(u.Remedies, "; or "))
}

// Choice is what a tier is chosen by.
type Choice struct {
	Mode config.SandboxMode
	// Consent allows supervised, which is never taken without it.
	Consent bool
	// Environ is the user's environment, for the probes.
	Environ []string
	// Known remembers what was found; nil for nothing.
	Known *Probes
}

// Choose returns the best tier that is allowed and that works here, with what was
// tried on the way. The error is an *Unavailable when there is none.
func Choose(ctx context.Context, c Choice) (Tier, []Trial, error) {
	mode, consent := c.Mode, c.Consent
	var order []Tier
	switch mode {
	case config.SandboxBest:
		order = []Tier{Isolated, Confined}
	case config.SandboxRequired:
		order = []Tier{Isolated}
	case config.SandboxSupervised:
		if !consent {
			return InvalidTier, nil, &Unavailable{
				Tier:     Supervised,
				Probe:    Answer{Name: "consent", Detail: "tests would run without confinement"},
				Remedies: []string{remedyConsent, "leave out --sandbox supervised"},
			}
		}
		order = []Tier{Supervised}
	default:
		return InvalidTier, nil, fmt.Errorf("choose sandbox: unknown mode %d", mode)
	}
	if mode == config.SandboxBest && consent {
		order = append(order, Supervised)
	}
	trials, err := c.tryInTurn(ctx, order)
	if err != nil {
		return InvalidTier, trials, err
	}
	last := trials[len(trials)-1]
	if _, failed := last.failed(); !failed {
		return last.Tier, trials, nil
	}
	probe, _ := trials[0].failed()
	return InvalidTier, trials, &Unavailable{Tier: trials[0].Tier, Probe: probe, Remedies: remedies(mode, probe)}
}

// tryInTurn probes tiers until one works.
func (c Choice) tryInTurn(ctx context.Context, order []Tier) ([]Trial, error) {
	var trials []Trial
	for _, tier := range order {
		t := Trial{tier, c.Known.of(ctx, tier, c.Environ)}
		if err := ctx.Err(); err != nil {
			return trials, fmt.Errorf("choose sandbox: %w", err)
		}
		trials = append(trials, t)
		if _, failed := t.failed(); !failed {
			break
		}
	}
	return trials, nil
}

// Better says how to get a stronger tier than the one that was chosen, as
// sentences; it is empty when there is none.
func Better(tier Tier, trials []Trial) []string {
	better := []string{}
	for _, t := range trials {
		if probe, failed := t.failed(); failed && t.Tier < tier {
			better = append(better, fmt.Sprintf("for %v: %s", t.Tier, enabling(probe)))
		}
	}
	return better
}

const remedyConsent = "run unconfined by your consent: --sandbox supervised for this run, or autocoder trust --supervised for this folder"

// remedies are always two: make the tier work, or do with less.
func remedies(mode config.SandboxMode, probe Answer) []string {
	enable := enabling(probe)
	if mode == config.SandboxRequired {
		return []string{enable, "accept a weaker sandbox: --sandbox best"}
	}
	return []string{enable, remedyConsent}
}

// enabling says what would make a probe succeed.
func enabling(probe Answer) string {
	enable := "use a Linux system with user namespaces or with Landlock (kernel 6.12 or newer)"
	switch {
	case !confinementHere:
		enable = "run autocoder on Linux or in a Linux virtual machine, where tests can be confined"
	case strings.Contains(probe.Detail, "operation not permitted") || strings.Contains(probe.Detail, "permission denied"):
		enable = "allow unprivileged user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), sysctl -w kernel.unprivileged_userns_clone=1 (older Debian), or an AppArmor profile for autocoder; in a container allow it CAP_SYS_ADMIN or an unconfined seccomp profile"
	case strings.Contains(probe.Detail, "no space left"):
		enable = "allow more namespaces: sysctl -w user.max_user_namespaces=10000"
	}
	return enable
}

// Probes remember what the system can do, which does not change while a process
// runs and costs a few processes to find out. The zero value is ready; nil
// remembers nothing.
type Probes struct {
	mu      sync.Mutex // held while probing: who comes second gets the answer of the first
	answers map[Tier][]Answer
}

func (p *Probes) of(ctx context.Context, tier Tier, environ []string) []Answer {
	if p == nil {
		return Probe(ctx, tier, environ)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a, ok := p.answers[tier]; ok {
		return a
	}
	a := Probe(ctx, tier, environ)
	if ctx.Err() == nil {
		p.keep(tier, a)
	}
	return a
}

// Learn takes what was found elsewhere about a tier, which is not tried any more.
func (p *Probes) Learn(tier Tier, answers []Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(tier, answers)
}

func (p *Probes) keep(tier Tier, answers []Answer) {
	if p.answers == nil {
		p.answers = map[Tier][]Answer{}
	}
	p.answers[tier] = answers
}
