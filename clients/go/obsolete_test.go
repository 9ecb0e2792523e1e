package restantetest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	restantetest "restante.example/clients/go"
)

// shop is a package with snapshots of a test that exists, of one that skips, and of one that was renamed.
var shop = map[string]string{
	"go.mod": "module shop\n\ngo 1.21\n\nrequire restante.example/clients/go v0.0.0\n\nreplace restante.example/clients/go => %s\n",
	"shop_test.go": `package shop

import (
	"os"
	"testing"

	restantetest "restante.example/clients/go"
)

func TestMain(m *testing.M) { os.Exit(restantetest.Run(m)) }

func TestOrder(t *testing.T) { restantetest.New(t) }

func TestLater(t *testing.T) {
	restantetest.New(t)
	t.Skip("later")
}

func TestFails(t *testing.T) {
	if os.Getenv("FAIL") != "" {
		t.Fatal("as asked")
	}
}
`,
	"tagged_test.go": "//go:build tagged\n\npackage shop\n\nimport \"testing\"\n\nfunc TestTagged(t *testing.T) {}\n",
	"testdata/mail-snapshots/TestOrder-old.txt": "",
	"testdata/mail-snapshots/TestLater.txt":     "",
	"testdata/mail-snapshots/TestTagged.txt":    "",
	"testdata/mail-snapshots/TestRenamed.txt":   "",
}

func TestReportsObsoleteSnapshotsOfAWholeRun(t *testing.T) {
	restante := restantetest.New(t)
	host, port, _ := strings.Cut(restante.SMTP, ":")
	module, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, content := range shop {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(content, "%s", module)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	test := func(environment string, flags ...string) string {
		command := exec.Command("go", append([]string{"test", "-count=1"}, flags...)...)
		command.Dir = folder
		command.Env = append(os.Environ(), "RESTANTE_URL="+restante.URL, "RESTANTE_API_KEY="+restante.APIKey,
			"RESTANTE_SMTP_HOST="+host, "RESTANTE_SMTP_PORT="+port, "GOFLAGS=-mod=mod", environment)
		output, err := command.CombinedOutput()
		if (err != nil) != (environment == "FAIL=1") {
			t.Fatalf("%v: %s", err, output)
		}
		return string(output)
	}
	for _, partial := range []string{
		test("", "-run=TestOrder"), test("", "-skip=TestLater"), test("", "-short"), test("FAIL=1"),
	} {
		if strings.Contains(partial, "obsolete") {
			t.Error(partial)
		}
	}
	whole := test("")
	for name, isObsolete := range map[string]bool{
		"TestOrder-old.txt": true, "TestRenamed.txt": true, "TestLater.txt": false, "TestTagged.txt": false,
	} {
		line := filepath.Join("testdata", "mail-snapshots", name) + " is obsolete: no test compares it; RESTANTE_UPDATE_SNAPSHOTS=1 removes it"
		equal(t, strings.Contains(whole, line), isObsolete)
	}
	test("RESTANTE_UPDATE_SNAPSHOTS=1")
	left, err := os.ReadDir(filepath.Join(folder, "testdata", "mail-snapshots"))
	if err != nil || len(left) != 2 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestRecordsItsMailForAReport(t *testing.T) {
	if os.Getenv("RESTANTE_COMMAND") == "" {
		t.Skip("RESTANTE_COMMAND is not set")
	}
	folder := t.TempDir()
	t.Setenv("RESTANTE_RECORD", folder)
	t.Run("order", func(t *testing.T) {
		restante := restantetest.New(t)
		inbox := restante.Inbox()
		send(t, restante, inbox, "Subject: Welcome", "")
		inbox.WaitForOne(restantetest.Search{Subject: "Welcome"})
	})
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("recorded %v, %v", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Title, Status string
		Waits         []struct{ Title string }
		Messages      []struct{ Subject string }
	}
	if err := json.Unmarshal(content, &recorded); err != nil {
		t.Fatal(err)
	}
	equal(t, recorded.Title+" "+recorded.Status, "TestRecordsItsMailForAReport/order passed")
	equal(t, recorded.Waits[0].Title, `wait for a message {"subject":"Welcome"}`)
	equal(t, recorded.Messages[0].Subject, "Welcome")
}
