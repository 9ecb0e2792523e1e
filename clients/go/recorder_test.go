package restantetest_test

import (
	"fmt"
	"runtime"
	"strings"
)

// Cleanup registers a function that runs at the end of the recorded test.
func (r *recorder) Cleanup(run func()) { r.cleanups = append(r.cleanups, run) }

// Error records a failure.
func (r *recorder) Error(arguments ...any) { r.record(true, fmt.Sprintln(arguments...)) }

// Failed returns whether the recorded test has failed.
func (r *recorder) Failed() bool { return r.failed }

// Fatal records a failure and ends the goroutine.
func (r *recorder) Fatal(arguments ...any) {
	r.Error(arguments...)
	runtime.Goexit()
}

// Fatalf records a failure and ends the goroutine.
func (r *recorder) Fatalf(format string, arguments ...any) {
	r.Fatal(fmt.Sprintf(format, arguments...))
}

// Log records a line.
func (r *recorder) Log(arguments ...any) { r.record(false, fmt.Sprintln(arguments...)) }

func (r *recorder) record(isFailure bool, line string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.failed = r.failed || isFailure
	r.lines = append(r.lines, line)
}

func (r *recorder) output() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return strings.Join(r.lines, "")
}
