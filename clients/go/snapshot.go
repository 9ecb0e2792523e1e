package restantetest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// snapshotFolder is the folder of snapshots, below that of the package under test.
const snapshotFolder = "testdata/mail-snapshots"

// updateVariable is the environment variable that writes snapshots instead of comparing them.
const updateVariable = "RESTANTE_UPDATE_SNAPSHOTS"

var unsafeInNames = regexp.MustCompile(`[^\pL\pM\pN._-]+`)

// Snapshot has the options of snapshots.
type Snapshot struct {
	// Name names the snapshot where a test has several. Default: the test has one.
	Name string
	// Mask has values that differ from one sending to the next, by the name that stands for them, besides codes, ids, tokens,
	// dates, recipients and ports, which are masked anyway.
	Mask map[string]string
	// Headers are names of further header fields to show.
	Headers []string
}

// Snapshot returns the message as a text that is equal for two sendings of the same message.
func (m *Message) Snapshot(options Snapshot) string {
	m.t.Helper()
	type masked struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	body := struct {
		Mask    []masked `json:"mask"`
		Headers []string `json:"headers"`
	}{Mask: []masked{}, Headers: append([]string{}, options.Headers...)}
	for name, value := range options.Mask {
		body.Mask = append(body.Mask, masked{name, value})
	}
	content, err := m.api.bytes(request{method: http.MethodPost, path: "/api/analysis/snapshot/" + m.ID, body: body})
	if err != nil {
		m.t.Fatal(err)
	}
	return string(content)
}

// MatchSnapshot fails the test when the message differs from its snapshot, a text in testdata/mail-snapshots that is named
// after the test. With RESTANTE_UPDATE_SNAPSHOTS=1 it writes the file.
func (m *Message) MatchSnapshot(options Snapshot) {
	m.t.Helper()
	name := m.t.Name()
	if options.Name != "" {
		name += "-" + options.Name
	}
	file := filepath.Join(filepath.FromSlash(snapshotFolder), unsafeInNames.ReplaceAllString(name, "-")+".txt")
	noteCompared(file)
	got := m.Snapshot(options)
	if os.Getenv(updateVariable) == "1" {
		if err := writeSnapshot(file, got); err != nil {
			m.t.Fatal(err)
		}
		return
	}
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		m.t.Fatalf("there is no snapshot %s yet: %s=1 writes it. The mail is:\n%s", file, updateVariable, got)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	if want := strings.ReplaceAll(string(content), "\r\n", "\n"); want != got {
		m.t.Fatalf("the mail differs from its snapshot %s; %s=1 replaces it.\n%s", file, updateVariable, diffLines(want, got))
	}
}

// Budget has limits that a mail has to meet; those that are nil or empty are not judged.
type Budget struct {
	MaxHTMLKB        *float64 `json:"maxHtmlKb,omitempty"`
	MaxImages        *int     `json:"maxImages,omitempty"`
	MaxLinks         *int     `json:"maxLinks,omitempty"`
	MaxAttachmentsKB *float64 `json:"maxAttachmentsKb,omitempty"`
	// Contrast is "AA".
	Contrast string `json:"contrast,omitempty"`
	// Support has the least percentage of the used features by email client, or by the beginning of the names of several.
	Support   map[string]float64 `json:"-"`
	SpamScore *float64           `json:"spamScore,omitempty"`
	// Links is "valid" or "reachable".
	Links string `json:"links,omitempty"`
	// Lint is "error" or "warning".
	Lint string `json:"lint,omitempty"`
}

// Limit returns a limit for a Budget.
func Limit[Number int | float64](value Number) *Number { return &value }

// MeetBudget fails the test when the mail exceeds a limit, and names each one with the place in the HTML.
func (m *Message) MeetBudget(budget Budget) {
	m.t.Helper()
	type support struct {
		Client     string  `json:"client"`
		PercentMin float64 `json:"percentMin"`
	}
	body := struct {
		Budget
		Support []support `json:"support,omitempty"`
	}{Budget: budget}
	for client, percent := range budget.Support {
		body.Support = append(body.Support, support{client, percent})
	}
	var report struct {
		IsMet    bool
		Verdicts []verdict
	}
	r := request{method: http.MethodPost, path: "/api/analysis/budget/" + m.ID, body: body, wait: time.Minute}
	if err := m.api.do(r, &report); err != nil {
		m.t.Fatal(err)
	}
	if report.IsMet {
		return
	}
	text := strings.Builder{}
	for _, one := range report.Verdicts {
		text.WriteString(one.String())
	}
	m.t.Fatalf("the message %q exceeds its budget:%s", m.Subject, text.String())
}

type verdict struct {
	Rule, Limit, Actual string
	IsMet               bool
	Findings            []struct {
		Message string
		Subject string
		Line    *int
	}
}

// String returns the lines about a limit that is not met.
func (v verdict) String() string {
	if v.IsMet {
		return ""
	}
	text := strings.Builder{}
	fmt.Fprintf(&text, "\n  %s: %s, expected %s", v.Rule, v.Actual, v.Limit)
	for _, finding := range v.Findings {
		fmt.Fprintf(&text, "\n    %s", finding.Message)
		if finding.Line != nil {
			fmt.Fprintf(&text, " (line %d: %s)", *finding.Line, finding.Subject)
		} else if finding.Subject != "" {
			fmt.Fprintf(&text, " (%s)", finding.Subject)
		}
	}
	return text.String()
}

func writeSnapshot(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// diffLines returns the lines of both texts, those of one alone after - or +: the longest common subsequence stays.
func diffLines(want, got string) string {
	a, b := strings.Split(strings.TrimSuffix(want, "\n"), "\n"), strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	text := strings.Builder{}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			fmt.Fprintf(&text, "  %s\n", a[i])
			i, j = i+1, j+1
		case j == len(b) || (i < len(a) && common[i+1][j] >= common[i][j+1]):
			fmt.Fprintf(&text, "- %s\n", a[i])
			i++
		default:
			fmt.Fprintf(&text, "+ %s\n", b[j])
			j++
		}
	}
	return text.String()
}
