package restantetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// linksListedMax is the number of links that an error lists.
const linksListedMax = 10

// Contact is a sender or a recipient; an SMS has a phone number instead of an address.
type Contact struct {
	Name  string
	Email string
	Phone string
}

// Address returns the e-mail address or the phone number.
func (c Contact) Address() string {
	if c.Email != "" {
		return c.Email
	}
	return c.Phone
}

// Link is a link of a message. Text is what a reader sees of it.
type Link struct {
	Href string
	Text string
}

// Header is a header field with its decoded value.
type Header struct {
	Field string
	Value string
}

// Attachment is a file attached to a message.
type Attachment struct {
	ID          string
	FileName    string
	ContentType string
	ContentID   string
	Length      int

	t   testing.TB
	api *api
}

// Content downloads the file.
func (a *Attachment) Content() []byte {
	a.t.Helper()
	return download(a.t, a.api, "/api/files/attachments/"+a.ID)
}

// Body is a body of a message with what was found in it.
type Body struct {
	// Body is empty when the message has no such body.
	Body  string
	Links []Link
	Codes []struct{ Value string }
}

// Message is an e-mail or an SMS. Its methods fail the test when what they return is missing.
type Message struct {
	ID string
	// Type is "Email" or "SMS".
	Type        string
	Server      string
	From        []Contact
	To          []Contact
	Cc          []Contact
	Received    time.Time
	Subject     string
	HTML        Body
	Text        Body
	Attachments []*Attachment
	Metadata    struct{ Headers []Header }

	// JSON is the whole message as the API returns it.
	JSON json.RawMessage `json:"-"`

	t     testing.TB
	api   *api
	inbox *Inbox
}

func decodeMessage(t testing.TB, a *api, inbox *Inbox, content json.RawMessage) (*Message, error) {
	message := &Message{JSON: content, t: t, api: a, inbox: inbox}
	if err := json.Unmarshal(content, message); err != nil {
		return nil, fmt.Errorf("the message is not the expected JSON: %w", err)
	}
	for _, attachment := range message.Attachments {
		attachment.t, attachment.api = t, a
	}
	return message, nil
}

// Codes returns the one-time codes, those of the HTML first, each once.
func (m *Message) Codes() []string {
	var codes []string
	seen := map[string]bool{}
	for _, code := range append(append([]struct{ Value string }{}, m.HTML.Codes...), m.Text.Codes...) {
		if !seen[code.Value] {
			seen[code.Value] = true
			codes = append(codes, code.Value)
		}
	}
	return codes
}

// Links returns the links, those of the HTML first.
func (m *Message) Links() []Link {
	return append(append([]Link{}, m.HTML.Links...), m.Text.Links...)
}

// Code returns the first one-time code.
func (m *Message) Code() string {
	m.t.Helper()
	for _, code := range m.Codes() {
		return code
	}
	m.t.Fatalf("the message %q has no one-time code. %s", m.Subject, m.beginning())
	return ""
}

// CodeMatching returns the first one-time code that matches.
func (m *Message) CodeMatching(pattern *regexp.Regexp) string {
	m.t.Helper()
	for _, code := range m.Codes() {
		if pattern.MatchString(code) {
			return code
		}
	}
	m.t.Fatalf("the message %q has no one-time code that matches %s. Its codes: %s", m.Subject, pattern, strings.Join(m.Codes(), ", "))
	return ""
}

// Link returns the target of a link. The name is compared with the visible text: the whole text, else a part of it, else a
// part of the URL, without regard to letter case and white space. An empty name stands for the only target of the message.
// Fails the test when no link or links to several targets match.
func (m *Message) Link(name string) string {
	m.t.Helper()
	links := m.Links()
	var targets []string
	seen := map[string]bool{}
	for _, link := range named(links, name) {
		if !seen[link.Href] {
			seen[link.Href] = true
			targets = append(targets, link.Href)
		}
	}
	if len(targets) == 1 {
		return targets[0]
	}
	if len(links) == 0 {
		m.t.Fatalf("the message %q has no links. %s", m.Subject, m.beginning())
	}
	problem := "has no link"
	if len(targets) > 1 {
		problem = fmt.Sprintf("has %d different links", len(targets))
	}
	if name != "" {
		problem += fmt.Sprintf(" %q", name)
	}
	m.t.Fatalf("the message %q %s. Its links:%s", m.Subject, problem, listLinks(links))
	return ""
}

// Attachment returns the attachment with this file name.
func (m *Message) Attachment(fileName string) *Attachment {
	m.t.Helper()
	var names []string
	for _, attachment := range m.Attachments {
		if attachment.FileName == fileName {
			return attachment
		}
		names = append(names, fmt.Sprintf("%q", attachment.FileName))
	}
	m.t.Fatalf("the message %q has no attachment %q. Its attachments: %s", m.Subject, fileName, strings.Join(names, ", "))
	return nil
}

// NewAttachment is a file to attach to a reply. ContentID is only for files that the HTML shows.
type NewAttachment struct {
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType,omitempty"`
	Content     []byte `json:"content"`
	ContentID   string `json:"contentId,omitempty"`
}

// Reply is a reply to a message: text above the quoted original.
type Reply struct {
	Text        string          `json:"text,omitempty"`
	HTML        string          `json:"html,omitempty"`
	Cc          string          `json:"cc,omitempty"`
	Attachments []NewAttachment `json:"attachments,omitempty"`
}

// Reply replies from the address that the message was sent to, and returns the sent message.
func (m *Message) Reply(reply Reply) *Message {
	m.t.Helper()
	var content json.RawMessage
	r := request{method: http.MethodPost, path: "/api/messages/" + m.ID + "/reply", body: reply}
	if err := m.api.do(r, &content); err != nil {
		m.t.Fatal(err)
	}
	sent, err := decodeMessage(m.t, m.api, m.inbox, content)
	if err != nil {
		m.t.Fatal(err)
	}
	if m.inbox != nil {
		m.inbox.sent = append(m.inbox.sent, sent.ID)
	}
	return sent
}

// Raw downloads the mail as it was received.
func (m *Message) Raw() []byte {
	m.t.Helper()
	return download(m.t, m.api, "/api/files/email/"+m.ID)
}

// Bundle downloads everything about the message as a ZIP archive: raw mail, SMTP transcript, lint report, picture.
func (m *Message) Bundle() []byte {
	m.t.Helper()
	return download(m.t, m.api, bundlePath(m.ID))
}

// String returns the instant, sender, recipients and subject.
func (m *Message) String() string {
	return summary{m.Received, m.From, m.To, m.Subject}.String()
}

func (m *Message) beginning() string {
	text := m.Text.Body
	if text == "" {
		text = m.HTML.Body
	}
	words := strings.Join(strings.Fields(text), " ")
	if words == "" {
		return "It has no text."
	}
	return fmt.Sprintf("It begins: %q", excerpt(words))
}

func named(links []Link, name string) []Link {
	if name == "" {
		return links
	}
	wanted := normal(name)
	for _, matches := range []func(Link) bool{
		func(link Link) bool { return normal(link.Text) == wanted },
		func(link Link) bool { return strings.Contains(normal(link.Text), wanted) },
		func(link Link) bool { return strings.Contains(strings.ToLower(link.Href), wanted) },
	} {
		var chosen []Link
		for _, link := range links {
			if matches(link) {
				chosen = append(chosen, link)
			}
		}
		if len(chosen) > 0 {
			return chosen
		}
	}
	return nil
}

func normal(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

func listLinks(links []Link) string {
	text := strings.Builder{}
	for i, link := range links {
		if i == linksListedMax {
			fmt.Fprintf(&text, "\n- and %d more", len(links)-linksListedMax)
			break
		}
		fmt.Fprintf(&text, "\n- %q %s", link.Text, link.Href)
	}
	return text.String()
}

func bundlePath(id string) string {
	return "/api/messages/" + id + "/bundle"
}

func download(t testing.TB, a *api, path string) []byte {
	t.Helper()
	// A bundle may render a picture first.
	content, err := a.bytes(request{method: http.MethodGet, path: path, wait: 90 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return content
}
