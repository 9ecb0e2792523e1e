package restantetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// Inbox is a recipient of its own: all waits see only messages to Address. Its methods fail the test when what they expect
// does not happen.
type Inbox struct {
	// Address is an e-mail address, or a phone number in international form.
	Address string

	restante *Restante
	t        testing.TB
	// sent has the ids of the replies.
	sent []string
	// waits has the first waits that ended.
	waits []wait
	// failedWait is the last wait that found too few messages; the report of a failed test shows it.
	failedWait *NoMatchError
}

// WaitForOne returns the newest message that matches, as soon as there is one.
func (i *Inbox) WaitForOne(search Search) *Message {
	i.t.Helper()
	return i.WaitForMany(1, search)[0]
}

// WaitForMany returns the newest count messages that match, the oldest first, as soon as there are so many.
func (i *Inbox) WaitForMany(count int, search Search) []*Message {
	i.t.Helper()
	title := "wait for a message"
	if count != 1 {
		title = fmt.Sprintf("wait for %d messages", count)
	}
	items, err := i.timed(title, search, func(own Search) ([]json.RawMessage, error) {
		return i.restante.api.waitForMany(i.restante.ServerID, count, own)
	})
	return i.messagesOr(items, err)
}

// ExpectNone waits for the timeout of the search, by default DefaultAbsence, and fails the test as soon as a message
// matches.
func (i *Inbox) ExpectNone(search Search) {
	i.t.Helper()
	_, err := i.timed("expect no message", search, func(own Search) ([]json.RawMessage, error) {
		return nil, i.restante.api.expectNone(i.restante.ServerID, own)
	})
	if err != nil {
		i.t.Fatal(err)
	}
}

// ExpectExactly returns the matches, the oldest first, when exactly count messages match and no more follow within the
// settle time of the search.
func (i *Inbox) ExpectExactly(count int, search Search) []*Message {
	i.t.Helper()
	title := fmt.Sprintf("expect exactly %d messages", count)
	items, err := i.timed(title, search, func(own Search) ([]json.RawMessage, error) {
		return i.restante.api.expectExactly(i.restante.ServerID, count, own)
	})
	return i.messagesOr(items, err)
}

// ExpectNoDuplicates fails the test when messages were sent twice, compared without codes, ids and times.
func (i *Inbox) ExpectNoDuplicates() {
	i.t.Helper()
	var groups []struct {
		Count   int
		Subject string
	}
	query := url.Values{"server": {i.restante.ServerID}, "sentTo": {i.Address}}
	r := request{method: http.MethodGet, path: "/api/messages/duplicates", query: query}
	if err := i.restante.api.do(r, &groups); err != nil {
		i.t.Fatal(err)
	}
	if len(groups) == 0 {
		return
	}
	text := strings.Builder{}
	for _, group := range groups {
		fmt.Fprintf(&text, "\n- %d times %q", group.Count, group.Subject)
	}
	i.t.Fatalf("messages to %s were sent more than once:%s", i.Address, text.String())
}

// Messages returns the messages that are there, without waiting; the newest 100, the oldest first.
func (i *Inbox) Messages() []*Message {
	i.t.Helper()
	items, err := i.list()
	return i.messagesOr(items, err)
}

func (i *Inbox) own(search Search) Search {
	search.SentTo = i.Address
	return search
}

func (i *Inbox) list() ([]json.RawMessage, error) {
	search := Search{SentTo: i.Address}
	query := search.query(i.restante.ServerID)
	query.Set("full", "true")
	query.Set("itemsPerPage", strconv.Itoa(countMax))
	// Without it the service holds repeated empty searches for a second, for clients that poll.
	query.Set("timeout", "0")
	var items []json.RawMessage
	if err := i.restante.api.search(search, query, 0, &items); err != nil {
		return nil, err
	}
	for a, b := 0, len(items)-1; a < b; a, b = a+1, b-1 {
		items[a], items[b] = items[b], items[a]
	}
	return items, nil
}

func (i *Inbox) messagesOr(items []json.RawMessage, err error) []*Message {
	i.t.Helper()
	var messages []*Message
	if err == nil {
		messages, err = i.decode(items)
	}
	if err != nil {
		errors.As(err, &i.failedWait)
		i.t.Fatal(err)
	}
	return messages
}

func (i *Inbox) decode(items []json.RawMessage) ([]*Message, error) {
	var messages []*Message
	for _, item := range items {
		message, err := decodeMessage(i.t, i.restante.api, i, item)
		if err != nil {
			return nil, err
		}
		messages = append(messages, message)
	}
	return messages, nil
}

// clear deletes the messages to the address and the replies that were sent from it; no others.
func (i *Inbox) clear() error {
	for {
		items, err := i.list()
		if err != nil {
			return err
		}
		ids := i.sent
		i.sent = nil
		for _, item := range items {
			var message struct{ ID string }
			if err := json.Unmarshal(item, &message); err != nil {
				return err
			}
			ids = append(ids, message.ID)
		}
		for _, id := range ids {
			i.restante.cleanUp("/api/messages/" + id)
		}
		if len(items) < countMax {
			return nil
		}
	}
}

// Phone is an inbox whose address is a phone number.
type Phone struct {
	*Inbox
}

// ReceiveSMS stores an SMS to the number, as if the sender (a number, or a name of at most 11 letters) had sent it.
func (p *Phone) ReceiveSMS(sender, text string) *Message {
	p.t.Helper()
	var content json.RawMessage
	body := map[string]string{"from": sender, "to": p.Address, "text": text}
	if err := p.restante.api.do(request{method: http.MethodPost, path: "/api/sms", body: body}, &content); err != nil {
		p.t.Fatal(err)
	}
	return p.messagesOr([]json.RawMessage{content}, nil)[0]
}
