package restantetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	// recordMax is long, because a first start by npx downloads the package.
	recordMax = 2 * time.Minute
	// waitsMax is the number of waits of a test that are recorded.
	waitsMax = 200
	// lineLengthMax and textLengthMax are limits of a record, in characters.
	lineLengthMax = 1000
	textLengthMax = 20_000
)

// wait is a wait of an inbox, in the form of `restante record`.
type wait struct {
	Title      string  `json:"title"`
	StartedAt  string  `json:"startedAt"`
	DurationMs float64 `json:"durationMs"`
	Error      string  `json:"error,omitempty"`
}

// timed runs a wait of the inbox, and keeps how long it took for the record of the test.
func (i *Inbox) timed(title string, search Search, run func(Search) ([]json.RawMessage, error)) ([]json.RawMessage, error) {
	if criteria := search.String(); criteria != "{}" {
		title += " " + criteria
	}
	start := time.Now()
	items, err := run(i.own(search))
	ended := wait{Title: cut(title, lineLengthMax), StartedAt: instant(start), DurationMs: time.Since(start).Seconds() * 1000}
	if err != nil {
		ended.Error = cut(err.Error(), textLengthMax)
	}
	if len(i.waits) < waitsMax {
		i.waits = append(i.waits, ended)
	}
	return items, err
}

// record adds the test with the mail of its inboxes to the folder in RESTANTE_RECORD, by the command line tool of the service,
// and logs why it could not.
func (r *Restante) record() {
	r.t.Helper()
	folder := os.Getenv("RESTANTE_RECORD")
	if folder == "" || len(r.inboxes) == 0 {
		return
	}
	status := "passed"
	if r.t.Failed() {
		status = "failed"
	}
	test := struct {
		Title     string   `json:"title"`
		Status    string   `json:"status"`
		StartedAt string   `json:"startedAt"`
		Addresses []string `json:"addresses"`
		Waits     []wait   `json:"waits"`
	}{cut(r.t.Name(), lineLengthMax), status, instant(r.startedAt), []string{}, []wait{}}
	for _, inbox := range r.inboxes[:min(len(r.inboxes), waitsMax)] {
		test.Addresses = append(test.Addresses, inbox.Address)
		test.Waits = append(test.Waits, inbox.waits...)
	}
	test.Waits = test.Waits[:min(len(test.Waits), waitsMax)]
	if err := r.runRecord(test); err != nil {
		r.t.Log(fmt.Sprintf("restante: the mail of the test is not in %s: %v", folder, err))
	}
}

func (r *Restante) runRecord(test any) error {
	input, err := json.Marshal(test)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordMax)
	defer cancel()
	words := append(commandWords(), "record", "-")
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Env = append(os.Environ(), "RESTANTE_URL="+r.URL, "RESTANTE_API_KEY="+r.APIKey, "RESTANTE_SERVER="+r.ServerID)
	command.Stdin = bytes.NewReader(input)
	command.WaitDelay = stopMax
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(output))
	}
	return nil
}

// commandWords returns the command of the service.
func commandWords() []string {
	return strings.Fields(firstOf(os.Getenv("RESTANTE_COMMAND"), defaultCommand))
}

func cut(text string, length int) string {
	letters := []rune(text)
	return string(letters[:min(len(letters), length)])
}

func instant(time time.Time) string { return time.UTC().Format("2006-01-02T15:04:05.000Z") }
