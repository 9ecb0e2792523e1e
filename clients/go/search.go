package restantetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// DefaultTimeout is the longest time of a wait whose search names none.
	DefaultTimeout = 10 * time.Second
	// DefaultAbsence is the time for which ExpectNone waits when its search names none.
	DefaultAbsence = 2 * time.Second
	// DefaultSettle is the time for which ExpectExactly waits for further messages when its search names none.
	DefaultSettle = time.Second

	requestWaitMax = time.Minute
	countMax       = 100
)

// Search has the criteria of a wait; the zero value matches every message of the inbox.
type Search struct {
	// SentTo is the whole address or number of a recipient. Waits of an inbox set it.
	SentTo string
	// SentFrom is the whole address or number of the sender.
	SentFrom string
	// Subject is a part of the subject.
	Subject string
	// Body is a part of the text, of the HTML source, or of the visible text of the HTML.
	Body string
	// Provider is the name of the provider through whose API the message was submitted, such as "sendgrid".
	Provider string
	// ProviderID is the id of the message in the response of that API.
	ProviderID string
	// Tag is one of the tags of the message at the provider.
	Tag string
	// Sent searches the messages that were sent from the server instead of those that it received.
	Sent bool
	// ReceivedAfter leaves out messages received until this instant.
	ReceivedAfter time.Time
	// Timeout is the longest time of the wait; 0 means the default.
	Timeout time.Duration
	// Settle is the time for which no further message may match, for ExpectExactly; 0 means the default.
	Settle time.Duration
}

// criteria returns the body of the request.
func (s Search) criteria() map[string]string {
	result := map[string]string{}
	for name, value := range map[string]string{
		"sentTo": s.SentTo, "sentFrom": s.SentFrom, "subject": s.Subject, "body": s.Body,
		"provider": s.Provider, "providerId": s.ProviderID, "tag": s.Tag,
	} {
		if value != "" {
			result[name] = value
		}
	}
	return result
}

// query returns the parameters of the request.
func (s Search) query(server string) url.Values {
	result := url.Values{"server": {server}}
	if s.Sent {
		result.Set("dir", "Sent")
	}
	if !s.ReceivedAfter.IsZero() {
		result.Set("receivedAfter", s.ReceivedAfter.UTC().Format(time.RFC3339Nano))
	}
	return result
}

// String returns the criteria for error messages, with their names in the order of the alphabet.
func (s Search) String() string {
	encoded, err := json.Marshal(s.criteria())
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

func (s Search) timeoutOr(otherwise time.Duration) time.Duration {
	if s.Timeout == 0 {
		return otherwise
	}
	return s.Timeout
}

// found is the response of a search with an explanation.
type found struct {
	Items       []json.RawMessage
	Explanation *struct{ Text string }
}

// waitForMany returns the newest matches, the oldest first, as soon as there are so many.
func (a *api) waitForMany(server string, count int, s Search) ([]json.RawMessage, error) {
	if count < 1 || count > countMax {
		return nil, fmt.Errorf("count must be 1 to %d, not %d", countMax, count)
	}
	deadline := time.Now().Add(s.timeoutOr(DefaultTimeout))
	for {
		wait := sliceOf(time.Until(deadline))
		query := s.query(server)
		query.Set("timeout", milliseconds(wait))
		query.Set("count", strconv.Itoa(count))
		query.Set("explain", "true")
		query.Set("full", "true")
		query.Set("itemsPerPage", strconv.Itoa(count))
		result := found{}
		if err := a.search(s, query, wait, &result); err != nil {
			return nil, err
		}
		if result.Explanation == nil {
			return a.rest(server, s, result.Items, count)
		}
		if !time.Now().Before(deadline) {
			return nil, &NoMatchError{len(result.Items), count, result.Explanation.Text, s.String()}
		}
	}
}

// expectNone returns an error as soon as a message matches within the time.
func (a *api) expectNone(server string, s Search) error {
	deadline := time.Now().Add(s.timeoutOr(DefaultAbsence))
	for {
		wait := sliceOf(time.Until(deadline))
		query := s.query(server)
		query.Set("timeout", milliseconds(wait))
		query.Set("absent", "true")
		if err := a.search(s, query, wait, nil); err != nil {
			return unexpected(err, 0, s)
		}
		if !time.Now().Before(deadline) {
			return nil
		}
	}
}

// expectExactly returns the matches, the oldest first, when there are exactly so many.
func (a *api) expectExactly(server string, count int, s Search) ([]json.RawMessage, error) {
	if count < 1 || count > countMax {
		return nil, fmt.Errorf("count must be 1 to %d, not %d", countMax, count)
	}
	settle := s.Settle
	if settle == 0 {
		settle = DefaultSettle
	}
	wait := s.timeoutOr(DefaultTimeout)
	query := s.query(server)
	query.Set("timeout", milliseconds(wait))
	query.Set("expect", strconv.Itoa(count))
	query.Set("settle", milliseconds(settle))
	query.Set("explain", "true")
	query.Set("full", "true")
	// One more than expected, so that the error lists each of too many.
	query.Set("itemsPerPage", strconv.Itoa(min(count+1, countMax)))
	result := found{}
	if err := a.search(s, query, wait, &result); err != nil {
		return nil, unexpected(err, count, s)
	}
	return a.rest(server, s, result.Items, count)
}

// rest adds the matches before the given ones, because a page ends early when its messages are large, and reverses them.
func (a *api) rest(server string, s Search, items []json.RawMessage, count int) ([]json.RawMessage, error) {
	for len(items) < count {
		var last struct{ ID string }
		if err := json.Unmarshal(items[len(items)-1], &last); err != nil {
			return nil, err
		}
		query := s.query(server)
		query.Set("full", "true")
		query.Set("before", last.ID)
		query.Set("itemsPerPage", strconv.Itoa(count-len(items)))
		var more []json.RawMessage
		if err := a.search(s, query, 0, &more); err != nil {
			return nil, err
		}
		if len(more) == 0 {
			break
		}
		items = append(items, more...)
	}
	for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
		items[i], items[j] = items[j], items[i]
	}
	return items, nil
}

func (a *api) search(s Search, query url.Values, wait time.Duration, result any) error {
	r := request{method: http.MethodPost, path: "/api/messages/search", query: query, body: s.criteria(), wait: wait}
	return a.do(r, result)
}

// unexpected converts the conflict that a search reports; other errors are returned unchanged.
func unexpected(err error, expected int, s Search) error {
	var response *ResponseError
	if !errors.As(err, &response) || response.Status != http.StatusConflict {
		return err
	}
	var body struct {
		Messages    []summary
		Explanation *struct{ Text string }
	}
	if json.Unmarshal(response.body, &body) != nil || body.Messages == nil {
		return err
	}
	if len(body.Messages) < expected {
		result := &NoMatchError{Matched: len(body.Messages), Expected: expected, search: s.String()}
		if body.Explanation != nil {
			result.Explanation = body.Explanation.Text
		}
		return result
	}
	result := &UnexpectedMessageError{Expected: expected, search: s.String()}
	for _, message := range body.Messages {
		result.Matched = append(result.Matched, message.String())
	}
	return result
}

// summary is what lines about a message show of it.
type summary struct {
	Received time.Time
	From     []Contact
	To       []Contact
	Subject  string
}

// String returns the instant, sender, recipients and subject.
func (s summary) String() string {
	return fmt.Sprintf("%s from %s to %s: %q", s.Received.Format(time.RFC3339Nano), listed(s.From), listed(s.To), s.Subject)
}

func listed(contacts []Contact) string {
	addresses := make([]string, len(contacts))
	for i, contact := range contacts {
		addresses[i] = contact.Address()
	}
	return strings.Join(addresses, ", ")
}

func sliceOf(remaining time.Duration) time.Duration {
	return min(max(remaining, 0), requestWaitMax)
}

func milliseconds(duration time.Duration) string {
	return strconv.FormatInt(duration.Milliseconds(), 10)
}
