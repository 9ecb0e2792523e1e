//go:build unix

package restantetest

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a group of its own, because npx does not forward signals.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// terminate asks the process and its children to stop.
func terminate(command *exec.Cmd) error {
	return syscall.Kill(-command.Process.Pid, syscall.SIGTERM)
}

// kill ends the process and its children.
func kill(command *exec.Cmd) error {
	return syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
}
