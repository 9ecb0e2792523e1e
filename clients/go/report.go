package restantetest

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// reportMessagesMax is the number of messages of an inbox that the report of a failed test shows: the newest ones.
	reportMessagesMax = 5
	// reportTextMax is the number of characters of a message that the report shows.
	reportTextMax = 1000
)

// report logs the mail of a failed test, and saves a ZIP archive of each message if there is a folder for it.
func (r *Restante) report() {
	r.t.Helper()
	folder := r.bundleFolder()
	for _, inbox := range r.inboxes {
		text := strings.Builder{}
		fmt.Fprintf(&text, "restante: inbox %s", inbox.Address)
		if inbox.failedWait != nil {
			fmt.Fprintf(&text, "\n%s", inbox.failedWait)
		}
		items, err := inbox.list()
		if err != nil {
			fmt.Fprintf(&text, "\nthe messages are missing: %v", err)
		} else if len(items) == 0 {
			text.WriteString("\nno message arrived")
		}
		messages, err := inbox.decode(items[max(0, len(items)-reportMessagesMax):])
		if err != nil {
			fmt.Fprintf(&text, "\n%v", err)
		}
		for _, message := range messages {
			text.WriteString(describe(message))
			if folder != "" {
				fmt.Fprintf(&text, "\n  %s", r.save(message, folder))
			}
		}
		r.t.Log(text.String())
	}
}

// bundleFolder returns the folder for the archives of the test; empty if none is wanted.
func (r *Restante) bundleFolder() string {
	if folder := os.Getenv("RESTANTE_BUNDLES"); folder != "" {
		return filepath.Join(folder, readable(r.t.Name()))
	}
	// The folder of the test runner exists since Go 1.26, and is kept with its flag only.
	artifacts := flag.Lookup("test.artifacts")
	keeper, ok := r.t.(interface{ ArtifactDir() string })
	if ok && artifacts != nil && artifacts.Value.String() == "true" {
		return keeper.ArtifactDir()
	}
	return ""
}

// save saves the archive of a message and returns what it did.
func (r *Restante) save(message *Message, folder string) string {
	content, err := r.api.bytes(request{method: http.MethodGet, path: bundlePath(message.ID), wait: 90 * time.Second})
	if err != nil {
		return fmt.Sprintf("not saved: %v", err)
	}
	file := filepath.Join(folder, message.ID+".zip")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Sprintf("not saved: %v", err)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return fmt.Sprintf("not saved: %v", err)
	}
	return "saved: " + file
}

func describe(message *Message) string {
	text := strings.Builder{}
	fmt.Fprintf(&text, "\n- %s", message)
	if codes := message.Codes(); len(codes) > 0 {
		fmt.Fprintf(&text, "\n  codes: %s", strings.Join(codes, ", "))
	}
	for _, link := range message.Links() {
		fmt.Fprintf(&text, "\n  link %q: %s", link.Text, link.Href)
	}
	body := []rune(firstOf(message.Text.Body, message.HTML.Body))
	for _, line := range strings.Split(strings.TrimSpace(string(body[:min(len(body), reportTextMax)])), "\n") {
		fmt.Fprintf(&text, "\n  | %s", strings.TrimRight(line, "\r"))
	}
	return text.String()
}
