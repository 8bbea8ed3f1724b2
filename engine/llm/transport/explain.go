package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"autocoder/engine/chat"
	"autocoder/engine/redact"
)

// Peer is whom a call is made to, for the sentences about it.
type Peer struct {
	Provider, Endpoint, Model string
	// Key is taken out of whatever is said.
	Key string
	// KeyName is the variable that has the key.
	KeyName string
}

// longestDetail is the most of a server's words that is passed on.
const longestDetail = 200

// shortestKey is the length from which a key is one: a server of one's own is told
// "x", which stands in any text.
const shortestKey = 6

// Fault is an error of a class.
func (p Peer) Fault(fault chat.Fault, detail string) *chat.Error {
	return &chat.Error{
		Fault: fault, Provider: p.Provider, Endpoint: Shown(p.Endpoint), Model: p.Model,
		Detail: p.clean(detail), Remedy: p.remedy(fault),
	}
}

// hide takes the key out of a server's words, however it is written there: the
// server knows it, and may repeat it.
func (p Peer) hide(text string) string {
	if len(p.Key) < shortestKey {
		return text
	}
	for _, form := range redact.Forms(p.Key) {
		text = strings.ReplaceAll(text, form, "[key]")
	}
	return p.unmasked(text)
}

// maskedBeside is how many characters of a key a server may leave beside its mask.
const maskedBeside = 3

// unmasked takes out what a server left of the key when it masked a part of it:
// "sk-ab****yz".
func (p Peer) unmasked(text string) string {
	if len(p.Key) < 3*maskedBeside || !strings.Contains(text, p.Key[:maskedBeside]) {
		return text
	}
	masked := regexp.MustCompile(regexp.QuoteMeta(p.Key[:maskedBeside]) + `[A-Za-z0-9_-]*(?:\*{2,}|\.{3,}|…+|•{2,}|[xX]{4,})[A-Za-z0-9_*.…•-]*`)
	return masked.ReplaceAllString(text, "[key]")
}

// clean makes one short line of a server's words, without the key and what a
// terminal would obey.
func (p Peer) clean(text string) string {
	text = p.hide(text)
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }), " ")
	text = strings.TrimRight(strings.ToValidUTF8(text, "?"), ". ")
	if len(text) > longestDetail {
		text = strings.ToValidUTF8(text[:longestDetail], "") + "…"
	}
	return text
}

func (p Peer) remedy(f chat.Fault) string {
	switch f {
	case chat.NoKey:
		return "set " + p.KeyName + ", or keep it with: autocoder key set " + p.Provider
	case chat.WrongKey:
		if p.KeyName == "" {
			return "check its access rules"
		}
		return "check " + p.KeyName
	case chat.UnknownModel:
		return "check model, and autocoder doctor for what there is"
	case chat.Unreachable, chat.Untrusted:
		return "check base_url and the network"
	case chat.Proxied:
		return "check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
	case chat.TooLong:
		return "set model_context to what the model can take"
	case chat.InvalidFault, chat.NoCredit, chat.Limited, chat.Overloaded, chat.Rejected, chat.Stalled, chat.Broken, chat.Oversized:
		return ""
	default:
		return ""
	}
}

// Explain turns the error of a call that got no status, or of reading its answer,
// into one sentence. The end of ctx stays what it is.
func (p Peer) Explain(ctx context.Context, err error) error {
	var known *chat.Error
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	var dial *net.OpError
	var syntax *json.SyntaxError
	var instead *insteadError
	switch {
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return ctx.Err()
	case p.proxied(err) != nil:
		return p.proxied(err)
	case errors.Is(err, ErrOversized):
		return p.Fault(chat.Oversized, "")
	case errors.As(err, &instead):
		return p.Amid(instead.body)
	case errors.Is(err, errPage):
		return p.Fault(chat.Rejected, "it answers with a web page: is base_url right, and does the network want you to sign in?")
	case errors.Is(err, ErrStalled):
		return p.Fault(chat.Stalled, "")
	case errors.Is(err, errRedirect):
		return p.Fault(chat.Rejected, "it redirects, which is not followed: set base_url to where it leads")
	case errors.As(err, &cert), errors.As(err, &authority):
		return p.Fault(chat.Untrusted, deepest(err))
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return p.Fault(chat.Untrusted, "it does not speak TLS: use http:// for a local server")
	case strings.Contains(err.Error(), "timeout awaiting response headers"):
		return p.Fault(chat.Stalled, "no answer began in time")
	case errors.As(err, &dial) && dial.Op == "proxyconnect":
		return p.Fault(chat.Unreachable, "its proxy: "+deepest(err))
	case errors.As(err, &dial) && dial.Op == "dial", strings.Contains(err.Error(), "no such host"):
		return p.Fault(chat.Unreachable, deepest(err))
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return p.Fault(chat.Broken, deepest(err))
	default:
		return p.Fault(chat.Broken, deepest(err))
	}
}

// deepest is the innermost error's text: what the system said.
func deepest(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

var (
	tooLong = regexp.MustCompile(`(?i)context.{0,20}length|context window|too long|too many tokens|maximum context|exceed.{0,40}(context|token)|prompt is too`)
	noModel = regexp.MustCompile(`(?i)model.{0,80}(not found|does ?n.t exist|does not exist|not exist|unknown|not available|no access|not supported|not a valid)|(unknown|invalid|no such|not found).{0,20}model`)
	noTools = regexp.MustCompile(`(?i)(?:not|n't) support.{0,30}(?:tool|function call)|(?:tools?|function call\w*)\b.{0,40}(?:requires?|not supported|unsupported|not available)|support (?:for )?tool use`)
	credit  = regexp.MustCompile(`(?i)insufficient[_ ](?:quota|credits?|balance|funds)|credit balance|exceeded your current quota|billing|payment`)
)

// Status turns an answer that is an error into one sentence.
func (p Peer) Status(status int, header http.Header, body string) *chat.Error {
	detail := message(body)
	fault := chat.Rejected
	switch {
	case status == http.StatusPaymentRequired, credit.MatchString(body) && status < 500:
		fault = chat.NoCredit
	case status == http.StatusUnauthorized:
		fault = chat.WrongKey
	case noTools.MatchString(detail): // whatever the status
	case (status == http.StatusNotFound || status == http.StatusBadRequest || status == http.StatusForbidden) && noModel.MatchString(body):
		fault = chat.UnknownModel
	case status == http.StatusForbidden:
		fault = chat.WrongKey
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status == http.StatusConflict:
		fault = chat.Limited
	case status == http.StatusRequestEntityTooLarge || tooLong.MatchString(body) && status < 500:
		fault = chat.TooLong
	case status >= 500:
		fault = chat.Overloaded
	case status == http.StatusNotFound:
		detail = strings.TrimPrefix(detail+": is base_url right?", ": ")
	}
	e := p.Fault(fault, detail)
	e.Status, e.After = status, retryAfter(header)
	return e
}

// Amid turns an error that came in the place of an answer, or in the middle of one,
// into one sentence: there is no status, and only its words tell what it is.
func (p Peer) Amid(body string) *chat.Error {
	e := p.Status(http.StatusBadRequest, nil, body)
	if e.Fault == chat.Rejected {
		e = p.Fault(chat.Overloaded, message(body))
	}
	e.Status = 0
	return e
}

// message is what an error's body says: the message of the usual forms, or its
// beginning.
func message(body string) string {
	var form struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	if json.Unmarshal([]byte(body), &form) != nil {
		if strings.Contains(body, "<html") || strings.Contains(body, "<HTML") {
			return "a web page instead of an answer"
		}
		return body
	}
	var inner struct {
		Message string `json:"message"`
	}
	var text string
	switch {
	case json.Unmarshal(form.Error, &inner) == nil && inner.Message != "":
		return inner.Message
	case json.Unmarshal(form.Error, &text) == nil && text != "":
		return text
	case form.Message != "":
		return form.Message
	case form.Detail != "":
		return form.Detail
	default:
		return body
	}
}

// mostWait is the longest wait that is told apart from one without end.
const mostWait = 365 * 24 * time.Hour

// retryAfter reads how long a server asks to wait: in seconds, in milliseconds,
// or until a date by its own clock.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms*float64(time.Millisecond), float64(mostWait)))
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil && s > 0 {
		return time.Duration(min(s*float64(time.Second), float64(mostWait)))
	}
	at, err := http.ParseTime(after)
	now, err2 := http.ParseTime(h.Get("Date"))
	if err != nil || err2 != nil {
		return 0
	}
	return min(max(0, at.Sub(now)), mostWait)
}

// Decode reads one small JSON answer.
func (p Peer) Decode(ctx context.Context, client *http.Client, r *http.Request, to any) error {
	response, err := client.Do(r)
	if err != nil {
		return p.Explain(ctx, err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return p.Explain(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		return p.Status(response.StatusCode, response.Header, string(content))
	}
	if err := json.Unmarshal(content, to); err != nil {
		return p.Fault(chat.Broken, fmt.Sprintf("%v", err))
	}
	return nil
}
