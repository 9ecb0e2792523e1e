package restantetest

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// snapshots has the snapshots that the tests of this process compared, and the tests that ended, with whether all passed.
var snapshots = struct {
	sync.Mutex
	compared map[string]bool
	passed   map[string]bool
}{compared: map[string]bool{}, passed: map[string]bool{}}

func noteCompared(file string) {
	snapshots.Lock()
	defer snapshots.Unlock()
	snapshots.compared[file] = true
}

func noteEnded(t testing.TB) {
	snapshots.Lock()
	defer snapshots.Unlock()
	before, isKnown := snapshots.passed[t.Name()]
	snapshots.passed[t.Name()] = (before || !isKnown) && !t.Failed() && !t.Skipped()
}

// reportObsolete writes a line for each snapshot that no test compared, after all tests of a package have passed, and removes
// it with RESTANTE_UPDATE_SNAPSHOTS=1. A snapshot of a test that may have been skipped is not judged.
func reportObsolete() error {
	if testing.Short() || isSet("test.run") || isSet("test.skip") || isSet("test.fuzz") || isSet("test.list") {
		return nil
	}
	declared, err := declaredTests(".")
	if err != nil || len(declared) == 0 {
		return err
	}
	entries, err := os.ReadDir(filepath.FromSlash(snapshotFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	snapshots.Lock()
	defer snapshots.Unlock()
	for _, entry := range entries {
		file := filepath.Join(filepath.FromSlash(snapshotFolder), entry.Name())
		name, isSnapshot := strings.CutSuffix(entry.Name(), ".txt")
		if !isSnapshot || snapshots.compared[file] || mayBeCompared(name, declared) {
			continue
		}
		if os.Getenv(updateVariable) == "1" {
			if err := os.Remove(file); err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "restantetest: removed %s, which no test compares\n", file)
		} else {
			fmt.Fprintf(os.Stderr, "restantetest: %s is obsolete: no test compares it; %s=1 removes it\n", file, updateVariable)
		}
	}
	return nil
}

func isSet(name string) bool {
	found := flag.Lookup(name)
	return found != nil && found.Value.String() != ""
}

// mayBeCompared returns whether the test of a snapshot exists, and has not been seen to run to its end.
func mayBeCompared(name string, declared map[string]bool) bool {
	for test, maySkip := range declared {
		if !belongsTo(name, test) {
			continue
		}
		hasRun := false
		for ended, hasPassed := range snapshots.passed {
			if ended != test && !strings.HasPrefix(ended, test+"/") {
				continue
			}
			if !hasPassed {
				return true
			}
			hasRun = true
		}
		if maySkip || !hasRun {
			return true
		}
	}
	return false
}

func belongsTo(snapshot, test string) bool {
	name := unsafeInNames.ReplaceAllString(test, "-")
	return snapshot == name || strings.HasPrefix(snapshot, name+"-")
}

// declaredTests returns the tests of the package in a folder by name, those of other build tags too, and whether their source,
// or a function that is not a test, skips tests: the runner does not tell which tests it skipped.
func declaredTests(folder string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	tests, othersSkip := map[string]bool{}, false
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declaration := range parsed.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if ok && function.Recv == nil && isTestName(function.Name.Name) {
				tests[function.Name.Name] = skips(function)
			} else {
				othersSkip = othersSkip || skips(declaration)
			}
		}
	}
	for name := range tests {
		tests[name] = tests[name] || othersSkip
	}
	return tests, nil
}

func isTestName(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Benchmark") || strings.HasPrefix(name, "Fuzz")
}

func skips(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(inner ast.Node) bool {
		if selector, ok := inner.(*ast.SelectorExpr); ok {
			found = found || strings.HasPrefix(selector.Sel.Name, "Skip")
		}
		return !found
	})
	return found
}
