//go:build !unix

package restantetest

import "os/exec"

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// terminate ends the process, because this system has no signal that asks it to stop.
func terminate(command *exec.Cmd) error {
	return command.Process.Kill()
}

// kill ends the process.
func kill(command *exec.Cmd) error {
	return command.Process.Kill()
}
