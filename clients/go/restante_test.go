package restantetest_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/smtp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	restantetest "restante.example/clients/go"
)

func TestMain(m *testing.M) { os.Exit(restantetest.Run(m)) }

const html = `<p>Your code is <b>804219</b></p><a href="https://a.example/1">Confirm  address</a> <a href="https://a.example/2">Help</a>`

func TestReadsTheCodeAndLinksOfAMail(t *testing.T) {
	t.Parallel()
	restante := restantetest.New(t)
	inbox := restante.Inbox()
	send(t, restante, inbox, "Subject: Welcome\r\nContent-Type: text/html", html)
	message := inbox.WaitForOne(restantetest.Search{Subject: "welcome"})
	equal(t, message.Code(), "804219")
	equal(t, message.CodeMatching(regexp.MustCompile(`^\d{6}$`)), "804219")
	equal(t, message.Link("confirm address"), "https://a.example/1")
	equal(t, message.Link("HELP"), "https://a.example/2")
	equal(t, message.Link("example/2"), "https://a.example/2")
	equal(t, message.From[0], restantetest.Contact{Name: "Shop", Email: "shop@example.com"})
	equal(t, message.To[0].Address(), inbox.Address)
	if since := time.Since(message.Received).Abs(); since > 5*time.Minute {
		t.Errorf("received %s ago", since)
	}
}

func TestReturnsManyMessagesInTheirOrder(t *testing.T) {
	t.Parallel()
	restante := restantetest.New(t)
	inbox := restante.Inbox()
	for _, subject := range []string{"one", "two", "three"} {
		send(t, restante, inbox, "Subject: "+subject, "")
	}
	equal(t, subjects(inbox.WaitForMany(3, restantetest.Search{})), "one two three")
	equal(t, subjects(inbox.ExpectExactly(3, restantetest.Search{Settle: time.Millisecond})), "one two three")
	equal(t, subjects(inbox.Messages()), "one two three")
}

func TestWaitsForAMailThatArrivesLater(t *testing.T) {
	t.Parallel()
	restante := restantetest.New(t)
	inbox := restante.Inbox()
	sent := make(chan struct{})
	time.AfterFunc(200*time.Millisecond, func() {
		defer close(sent)
		send(t, restante, inbox, "Subject: Later", "")
	})
	equal(t, inbox.WaitForOne(restantetest.Search{Timeout: 30 * time.Second}).Subject, "Later")
	<-sent
}

func TestSeesOnlyItsOwnAddress(t *testing.T) {
	t.Parallel()
	restante := restantetest.New(t)
	inbox, other := restante.Inbox(), restante.Inbox()
	send(t, restante, other, "Subject: Other", "")
	other.WaitForOne(restantetest.Search{})
	inbox.ExpectNone(restantetest.Search{Timeout: time.Millisecond})
}

func TestRepliesWithAnAttachment(t *testing.T) {
	t.Parallel()
	restante := restantetest.New(t)
	inbox, application := restante.Inbox(), restante.Inbox()
	send(t, restante, inbox, "Subject: Question\r\nReply-To: "+application.Address, "Yes or no?")
	attachment := restantetest.NewAttachment{FileName: "a.txt", ContentType: "text/plain", Content: []byte("content")}
	sent := inbox.WaitForOne(restantetest.Search{}).Reply(restantetest.Reply{
		Text:        "Yes",
		Attachments: []restantetest.NewAttachment{attachment},
	})
	equal(t, sent.Subject, "Re: Question")
	received := application.WaitForOne(restantetest.Search{SentFrom: inbox.Address})
	equal(t, string(received.Attachment("a.txt").Content()), "content")
	if !strings.Contains(string(received.Raw()), base64.StdEncoding.EncodeToString([]byte("content"))) {
		t.Error("the raw mail lacks the attachment")
	}
	equal(t, string(received.Bundle()[:2]), "PK")
}

func TestReceivesSMS(t *testing.T) {
	t.Parallel()
	phone := restantetest.New(t).Phone()
	phone.ReceiveSMS("Shop", "Your code is 117204")
	message := phone.WaitForOne(restantetest.Search{})
	equal(t, message.Type, "SMS")
	equal(t, message.Code(), "117204")
	equal(t, message.From[0].Address(), "Shop")
}

func TestFollowsAJourney(t *testing.T) {
	t.Parallel()
	restante := restantetest.New(t)
	inbox := restante.Inbox()
	send(t, restante, inbox, "Subject: Order", "")
	send(t, restante, inbox, "Subject: Shipped", "")
	restante.Journey(restantetest.Step{Subject: "Order"}, restantetest.Step{Subject: "Shipped", SentTo: inbox.Address})
}

func TestMatchesASnapshotAndMeetsABudget(t *testing.T) {
	// The snapshots of this test are not those of the package.
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(folder) })
	restante := restantetest.New(t)
	inbox := restante.Inbox()
	send(t, restante, inbox, "Subject: Welcome Ada\r\nContent-Type: text/html", html)
	message := inbox.WaitForOne(restantetest.Search{})
	t.Setenv("RESTANTE_UPDATE_SNAPSHOTS", "1")
	options := restantetest.Snapshot{Mask: map[string]string{"customer": "Ada"}}
	message.MatchSnapshot(options)
	t.Setenv("RESTANTE_UPDATE_SNAPSHOTS", "")
	message.MatchSnapshot(options)
	content, err := os.ReadFile("testdata/mail-snapshots/TestMatchesASnapshotAndMeetsABudget.txt")
	if err != nil || !strings.HasPrefix(string(content), "Subject: Welcome {customer}\n") {
		t.Errorf("got %q, %v", content, err)
	}
	message.MeetBudget(restantetest.Budget{
		MaxLinks: restantetest.Limit(2),
		Support:  map[string]float64{"outlook": 100},
	})
}

func TestDeletesItsServer(t *testing.T) {
	t.Parallel()
	outer := restantetest.New(t)
	var server string
	t.Run("inner", func(t *testing.T) { server = restantetest.New(t).ServerID })
	equal(t, status(t, outer, "/api/servers/"+outer.ServerID), 200)
	equal(t, status(t, outer, "/api/servers/"+server), 404)
}

func TestFailures(t *testing.T) {
	restante := restantetest.New(t)
	tests := map[string]struct {
		run  func(inbox *restantetest.Inbox)
		want []string
	}{
		"explains why nothing matched": {
			func(inbox *restantetest.Inbox) {
				inbox.WaitForOne(restantetest.Search{Subject: "Goodbye", Timeout: time.Millisecond})
			},
			[]string{`no message matched {"sentTo":"ada@`, `subject: expected "Goodbye", is "Welcome"`},
		},
		"counts the matches": {
			func(inbox *restantetest.Inbox) {
				inbox.WaitForMany(2, restantetest.Search{Timeout: time.Millisecond})
			},
			[]string{"1 of 2 messages matched"},
		},
		"lists unexpected messages": {
			func(inbox *restantetest.Inbox) { inbox.ExpectNone(restantetest.Search{}) },
			[]string{"expected none, and 1 matched", `"Welcome"`},
		},
		"finds too few for an exact number": {
			func(inbox *restantetest.Inbox) {
				inbox.ExpectExactly(2, restantetest.Search{Timeout: time.Millisecond, Settle: time.Millisecond})
			},
			[]string{"1 of 2 messages matched"},
		},
		"says that there is no code": {
			func(inbox *restantetest.Inbox) { inbox.WaitForOne(restantetest.Search{}).Code() },
			[]string{`the message "Welcome" has no one-time code. It begins: "No digits here"`},
		},
		"says that there is no link": {
			func(inbox *restantetest.Inbox) { inbox.WaitForOne(restantetest.Search{}).Link("Sign in") },
			[]string{`the message "Welcome" has no links`},
		},
		"writes no snapshot by itself": {
			func(inbox *restantetest.Inbox) {
				inbox.WaitForOne(restantetest.Search{}).MatchSnapshot(restantetest.Snapshot{Name: "absent"})
			},
			[]string{"there is no snapshot", "RESTANTE_UPDATE_SNAPSHOTS=1 writes it", "Subject: Welcome"},
		},
		"names the limits that a mail exceeds": {
			func(inbox *restantetest.Inbox) {
				inbox.WaitForOne(restantetest.Search{}).MeetBudget(restantetest.Budget{SpamScore: restantetest.Limit(-100.0)})
			},
			[]string{`the message "Welcome" exceeds its budget:`, "spamScore: ", "expected at most -100"},
		},
		"lists the attachments": {
			func(inbox *restantetest.Inbox) { inbox.WaitForOne(restantetest.Search{}).Attachment("a.pdf") },
			[]string{`the message "Welcome" has no attachment "a.pdf"`},
		},
		"rejects an impossible count": {
			func(inbox *restantetest.Inbox) { inbox.WaitForMany(101, restantetest.Search{}) },
			[]string{"count must be 1 to 100, not 101"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("RESTANTE_BUNDLES", "")
			failed := run(t, func(t testing.TB) {
				inbox := useServer(t, restante).InboxAt("ada@" + restante.Domain)
				send(t, restante, inbox, "Subject: Welcome", "No digits here")
				test.run(inbox)
			})
			for _, want := range test.want {
				if !strings.Contains(failed.output(), want) {
					t.Errorf("%q is missing in:\n%s", want, failed.output())
				}
			}
		})
	}
}

func TestReportsTheMailOfAFailedTest(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("RESTANTE_BUNDLES", folder)
	failed := run(t, func(t testing.TB) {
		restante := restantetest.New(t)
		inbox := restante.Inbox()
		send(t, restante, inbox, "Subject: Welcome\r\nContent-Type: text/html", html)
		inbox.WaitForOne(restantetest.Search{})
		inbox.WaitForOne(restantetest.Search{Subject: "Goodbye", Timeout: time.Millisecond})
	})
	for _, want := range []string{
		"restante: inbox testreportsthemailofafailedtest-",
		`subject: expected "Goodbye", is "Welcome"`,
		"codes: 804219",
		`link "Help": https://a.example/2`,
		"saved: " + folder,
	} {
		if !strings.Contains(failed.output(), want) {
			t.Errorf("%q is missing in:\n%s", want, failed.output())
		}
	}
	saved, err := filepath.Glob(filepath.Join(folder, "*", "*.zip"))
	if err != nil || len(saved) != 1 {
		t.Errorf("saved %v, %v", saved, err)
	}
}

func TestDeletesOnlyItsOwnMessagesOnASharedServer(t *testing.T) {
	restante := restantetest.New(t)
	other := restante.Inbox()
	send(t, restante, other, "Subject: Other", "")
	t.Run("inner", func(t *testing.T) {
		inner := useServer(t, restante)
		equal(t, inner.ServerID, restante.ServerID)
		inbox := inner.InboxAt("bob@" + inner.Domain)
		send(t, restante, inbox, "Subject: Own\r\nReply-To: "+other.Address, "")
		inbox.WaitForOne(restantetest.Search{})
	})
	equal(t, len(restante.InboxAt("bob@"+restante.Domain).Messages()), 0)
	equal(t, len(other.Messages()), 1)
}

func TestSaysThatTheKeyIsMissing(t *testing.T) {
	t.Setenv("RESTANTE_URL", "http://127.0.0.1:1")
	t.Setenv("RESTANTE_API_KEY", "")
	failed := run(t, func(t testing.TB) { restantetest.New(t) })
	if !strings.Contains(failed.output(), "RESTANTE_API_KEY is missing") {
		t.Error(failed.output())
	}
}

func TestReportsErrorsOfTheService(t *testing.T) {
	restante := restantetest.New(t)
	t.Setenv("RESTANTE_URL", restante.URL)
	t.Setenv("RESTANTE_API_KEY", "wrong-key")
	failed := run(t, func(t testing.TB) { restantetest.New(t) })
	if !strings.Contains(failed.output(), "POST /api/servers failed with 401") {
		t.Error(failed.output())
	}
}

// useServer returns the service with a key that is restricted to the server of another test.
func useServer(t testing.TB, other *restantetest.Restante) *restantetest.Restante {
	t.Helper()
	content, err := json.Marshal(map[string]string{"name": "restricted", "server": other.ServerID})
	if err != nil {
		t.Fatal(err)
	}
	response := call(t, other, http.MethodPost, "/api/keys", string(content))
	defer response.Body.Close()
	var created struct{ Key string }
	if err := json.NewDecoder(response.Body).Decode(&created); err != nil || created.Key == "" {
		t.Fatalf("no key: %v", err)
	}
	host, port, _ := strings.Cut(other.SMTP, ":")
	for name, value := range map[string]string{
		"RESTANTE_URL":       other.URL,
		"RESTANTE_API_KEY":   created.Key,
		"RESTANTE_SERVER":    other.ServerID,
		"RESTANTE_SMTP_HOST": host,
		"RESTANTE_SMTP_PORT": port,
	} {
		t.Setenv(name, value)
	}
	return restantetest.New(t)
}

func send(t testing.TB, restante *restantetest.Restante, inbox *restantetest.Inbox, header, body string) {
	t.Helper()
	mail := fmt.Sprintf("From: Shop <shop@example.com>\r\nTo: %s\r\n%s\r\n\r\n%s\r\n", inbox.Address, header, body)
	if err := smtp.SendMail(restante.SMTP, nil, "shop@example.com", []string{inbox.Address}, []byte(mail)); err != nil {
		t.Error(err)
	}
}

func call(t testing.TB, restante *restantetest.Restante, method, path, body string) *http.Response {
	t.Helper()
	request, err := http.NewRequest(method, restante.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+restante.APIKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func status(t testing.TB, restante *restantetest.Restante, path string) int {
	t.Helper()
	response := call(t, restante, http.MethodGet, path, "")
	response.Body.Close()
	return response.StatusCode
}

func subjects(messages []*restantetest.Message) string {
	var found []string
	for _, message := range messages {
		found = append(found, message.Subject)
	}
	return strings.Join(found, " ")
}

func equal[T comparable](t testing.TB, actual, expected T) {
	t.Helper()
	if actual != expected {
		t.Errorf("got %v, expected %v", actual, expected)
	}
}

// recorder is a test that records its failure instead of failing.
type recorder struct {
	testing.TB

	mutex    sync.Mutex
	failed   bool
	lines    []string
	cleanups []func()
}

// run runs a function as a test of its own, which is expected to fail.
func run(t *testing.T, body func(t testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// A test that fails exits its goroutine after its clean-up.
		defer func() {
			for len(r.cleanups) > 0 {
				last := r.cleanups[len(r.cleanups)-1]
				r.cleanups = r.cleanups[:len(r.cleanups)-1]
				last()
			}
		}()
		body(r)
	}()
	<-done
	if !r.failed {
		t.Errorf("the test did not fail: %s", r.output())
	}
	return r
}
