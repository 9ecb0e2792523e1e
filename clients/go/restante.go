package restantetest

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

const (
	defaultMailDomain = "restante.example.com"
	// serverTTLSeconds is the lifetime of the server of a test, for test processes that are killed before they delete it.
	serverTTLSeconds = 6 * 60 * 60
	// nameLengthMax is the length of the name in an address, whose local part may have 64 characters (RFC 5321 §4.5.3.1.1).
	nameLengthMax = 48
	// numberAttemptsMax is the number of attempts to find a phone number that no other test has.
	numberAttemptsMax = 5
)

// Restante is a service as one test sees it: a server, and inboxes in it.
type Restante struct {
	// URL is the base URL of the API and of the web UI.
	URL string
	// APIKey is the key of the requests.
	APIKey string
	// SMTP is the host and port to which the application under test sends its mail.
	SMTP string
	// ServerID is the id of the server.
	ServerID string
	// Domain is the mail domain of the server: mail to any address in it is stored in the server.
	Domain string

	t           testing.TB
	api         *api
	inboxes     []*Inbox
	startedAt   time.Time
	isOwnServer bool
}

// New returns the service for a test, with a server of its own, and starts the service if none is running. The server is
// deleted after the test. Fails the test if the service cannot be used.
func New(t testing.TB) *Restante {
	t.Helper()
	found, err := connect(t)
	if err != nil {
		t.Fatal(err)
	}
	r := &Restante{URL: found.url, APIKey: found.apiKey, SMTP: found.smtp, t: t, api: &api{found.url, found.apiKey}, startedAt: time.Now()}
	if err := r.useServer(); err != nil {
		t.Fatal(err)
	}
	r.Domain = r.ServerID + "." + firstOf(os.Getenv("RESTANTE_MAIL_DOMAIN"), defaultMailDomain)
	// Runs before the server is deleted, which is registered earlier.
	t.Cleanup(r.finish)
	return r
}

// finish records the test, reports a failure and, on a server that other tests use, deletes what belongs to this test.
func (r *Restante) finish() {
	noteEnded(r.t)
	r.record()
	if r.t.Failed() {
		r.report()
	}
	if r.isOwnServer {
		return
	}
	for _, inbox := range r.inboxes {
		if err := inbox.clear(); err != nil {
			r.t.Error(err)
		}
	}
}

// useServer creates the server of the test, or takes the one that the key is restricted to.
func (r *Restante) useServer() error {
	var server struct{ ID string }
	body := map[string]any{"name": "go test " + r.t.Name(), "ttlSeconds": serverTTLSeconds}
	err := r.api.do(request{method: http.MethodPost, path: "/api/servers", body: body}, &server)
	var response *ResponseError
	if errors.As(err, &response) && response.Status == http.StatusForbidden && os.Getenv("RESTANTE_SERVER") != "" {
		r.ServerID = os.Getenv("RESTANTE_SERVER")
		return nil
	}
	if err != nil {
		return err
	}
	r.ServerID = server.ID
	r.isOwnServer = true
	r.t.Cleanup(func() { r.cleanUp("/api/servers/" + server.ID) })
	return nil
}

// Inbox returns an inbox with an address of its own, in which the name of the test can be recognised. Its messages are
// deleted after the test.
func (r *Restante) Inbox() *Inbox {
	r.t.Helper()
	local := randomHex(r.t, 5)
	if name := readable(r.t.Name()); name != "" {
		local = name + "-" + local
	}
	return r.InboxAt(local + "@" + r.Domain)
}

// InboxAt returns the inbox of an address. Tests that share an address see each other's mail.
func (r *Restante) InboxAt(address string) *Inbox {
	inbox := &Inbox{Address: address, restante: r, t: r.t}
	r.inboxes = append(r.inboxes, inbox)
	return inbox
}

// Phone returns an inbox with a random phone number of its own, which is deleted after the test. Needs an account key.
func (r *Restante) Phone() *Phone {
	r.t.Helper()
	for attempt := 1; ; attempt++ {
		var added struct{ ID, Number string }
		body := map[string]string{"number": "+1555" + randomDigits(r.t, 7), "server": r.ServerID}
		err := r.api.do(request{method: http.MethodPost, path: "/api/phone-numbers", body: body}, &added)
		var response *ResponseError
		if errors.As(err, &response) && response.Status == http.StatusConflict && attempt < numberAttemptsMax {
			// The number exists.
			continue
		}
		if err != nil {
			r.t.Fatal(err)
		}
		r.t.Cleanup(func() { r.cleanUp("/api/phone-numbers/" + added.ID) })
		return &Phone{Inbox: r.InboxAt(added.Number)}
	}
}

// Step is a step of a journey: messages that match, or a time in which none does.
type Step struct {
	Name string `json:"name,omitempty"`
	// SentTo, SentFrom, Subject and Body are criteria as in a Search.
	SentTo   string `json:"sentTo,omitempty"`
	SentFrom string `json:"sentFrom,omitempty"`
	Subject  string `json:"subject,omitempty"`
	Body     string `json:"body,omitempty"`
	// Count is the number of messages that the step expects; 0 means 1.
	Count int `json:"count,omitempty"`
	// QuietMs is the time in milliseconds for which no message may match, instead of a number of messages.
	QuietMs int `json:"quiet,omitempty"`
}

// Journey waits until messages have met the steps in their order, and fails the test with the reason of each step that
// none met.
func (r *Restante) Journey(steps ...Step) {
	r.t.Helper()
	query := url.Values{"server": {r.ServerID}, "timeout": {milliseconds(DefaultTimeout)}}
	body := map[string]any{"steps": steps}
	err := r.api.do(request{method: http.MethodPost, path: "/api/messages/journey", query: query, body: body, wait: 2 * requestWaitMax}, nil)
	var response *ResponseError
	if !errors.As(err, &response) {
		if err != nil {
			r.t.Fatal(err)
		}
		return
	}
	var result struct{ Failures []struct{ Text string } }
	if json.Unmarshal(response.body, &result) != nil || len(result.Failures) == 0 {
		r.t.Fatal(err)
	}
	text := strings.Builder{}
	for _, failure := range result.Failures {
		text.WriteString("\n- " + failure.Text)
	}
	r.t.Fatalf("the journey is not complete:%s", text.String())
}

// cleanUp deletes an object; that it is gone already is no error.
func (r *Restante) cleanUp(path string) {
	_, err := r.api.bytes(request{method: http.MethodDelete, path: path})
	var response *ResponseError
	if err != nil && !(errors.As(err, &response) && response.Status == http.StatusNotFound) {
		r.t.Error(err)
	}
}

// readable returns the letters and digits of a name for use in an address.
func readable(name string) string {
	text := strings.Builder{}
	for _, letter := range strings.ToLower(name) {
		if (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') {
			text.WriteRune(letter)
		} else if text.Len() > 0 && !strings.HasSuffix(text.String(), "-") {
			text.WriteByte('-')
		}
		if text.Len() == nameLengthMax {
			break
		}
	}
	return strings.Trim(text.String(), "-")
}

func randomHex(t testing.TB, length int) string {
	t.Helper()
	random := make([]byte, length)
	if _, err := rand.Read(random); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(random)
}

func randomDigits(t testing.TB, length int) string {
	t.Helper()
	random := make([]byte, length)
	if _, err := rand.Read(random); err != nil {
		t.Fatal(err)
	}
	for i, value := range random {
		random[i] = '0' + value%10
	}
	return fmt.Sprintf("%s", random)
}
