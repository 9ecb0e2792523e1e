package restantetest

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	defaultCommand  = "npx restante"
	defaultSMTPPort = "1025"

	// startMax is long, because a first start by npx downloads the package.
	startMax     = 2 * time.Minute
	stopMax      = 20 * time.Second
	pollInterval = 20 * time.Millisecond
	// outputLengthMax is the number of bytes of the output of the service that an error shows.
	outputLengthMax = 4000
)

// address has what a client needs to use a service.
type address struct {
	url    string
	apiKey string
	smtp   string
}

// service is a service that this process has started.
type service struct {
	address
	folder string
	output *tail
	stop   func() error
}

// shared is the service of all tests of a package that calls Run.
var shared struct {
	sync.Mutex
	isUsed  bool
	service *service
	err     error
}

// Run runs the tests of a package, which then share one service unless RESTANTE_URL names one, and returns the exit code:
//
//	func TestMain(m *testing.M) { os.Exit(restantetest.Run(m)) }
//
// The service is started by the first test that uses it.
func Run(m *testing.M) int {
	shared.Lock()
	shared.isUsed = true
	shared.Unlock()
	code := m.Run()
	if code == 0 {
		if err := reportObsolete(); err != nil {
			fmt.Fprintln(os.Stderr, "restantetest: obsolete snapshots:", err)
		}
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.service != nil {
		if err := shared.service.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "restantetest:", err)
		}
	}
	return code
}

// connect returns the address of the service for a test, and starts the service if there is none.
func connect(t testing.TB) (address, error) {
	if running := os.Getenv("RESTANTE_URL"); running != "" {
		return addressFromEnvironment(running)
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.isUsed {
		if shared.service == nil && shared.err == nil {
			shared.service, shared.err = start()
		}
		if shared.err != nil {
			return address{}, shared.err
		}
		return shared.service.address, nil
	}
	started, err := start()
	if err != nil {
		return address{}, err
	}
	t.Cleanup(func() {
		if err := started.stop(); err != nil {
			t.Error(err)
		}
	})
	return started.address, nil
}

func addressFromEnvironment(running string) (address, error) {
	key := os.Getenv("RESTANTE_API_KEY")
	if key == "" {
		return address{}, errors.New("RESTANTE_API_KEY is missing: set it to a key of the service at RESTANTE_URL")
	}
	parsed, err := url.Parse(running)
	if err != nil {
		return address{}, fmt.Errorf("RESTANTE_URL: %w", err)
	}
	// `restante env` sets those of the official libraries, because RESTANTE_SMTP_PORT is also a setting of the service.
	host := firstOf(os.Getenv("RESTANTE_SMTP_HOST"), os.Getenv("MAILOSAUR_SMTP_HOST"), parsed.Hostname())
	port := firstOf(os.Getenv("RESTANTE_SMTP_PORT"), os.Getenv("MAILOSAUR_SMTP_PORT"), defaultSMTPPort)
	return address{url: running, apiKey: key, smtp: net.JoinHostPort(host, port)}, nil
}

// start starts a service on free ports of the loopback interface and waits until it is ready.
func start() (*service, error) {
	folder, err := os.MkdirTemp("", "restante-")
	if err != nil {
		return nil, err
	}
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	key := hex.EncodeToString(secret)
	dataDir := filepath.Join(folder, "data")
	words := append(commandWords(), "serve", "--http-port=0", "--https-port=0", "--smtp-port=0", "--data-dir="+dataDir)
	command := exec.Command(words[0], words[1:]...)
	command.Env = append(os.Environ(), "RESTANTE_API_KEY="+key)
	output := &tail{}
	command.Stdout, command.Stderr = output, output
	// A child of npx that outlives it must not keep Wait from returning.
	command.WaitDelay = stopMax
	ownGroup(command)
	if err := command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot run %s: %w", words[0], err), os.RemoveAll(folder))
	}
	exited := make(chan error, 1)
	go func() { exited <- command.Wait() }()
	started := &service{folder: folder, output: output}
	started.stop = sync.OnceValue(func() error {
		return errors.Join(stopProcess(command, exited), os.RemoveAll(folder))
	})
	if err := started.waitReady(filepath.Join(dataDir, "service.json"), exited); err != nil {
		return nil, errors.Join(err, started.stop())
	}
	started.apiKey = key
	return started, nil
}

func (s *service) waitReady(file string, exited chan error) error {
	timeout := time.After(startMax)
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		if s.readAddress(file) {
			return nil
		}
		select {
		case err := <-exited:
			exited <- err
			return fmt.Errorf("the service exited (%v); its output:\n%s", err, s.output)
		case <-timeout:
			return fmt.Errorf("the service did not start within %s; its output:\n%s", startMax, s.output)
		case <-ticker.C:
		}
	}
}

// readAddress returns whether the file exists and is complete.
func (s *service) readAddress(file string) bool {
	content, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var found struct {
		URL  string
		SMTP struct {
			Host string
			Port int
		}
	}
	if json.Unmarshal(content, &found) != nil || found.URL == "" {
		return false
	}
	s.url, s.smtp = found.URL, net.JoinHostPort(found.SMTP.Host, strconv.Itoa(found.SMTP.Port))
	return true
}

func stopProcess(command *exec.Cmd, exited chan error) error {
	select {
	case <-exited:
		return nil
	default:
	}
	if err := terminate(command); err != nil {
		return fmt.Errorf("cannot stop the service: %w", err)
	}
	select {
	case <-exited:
		return nil
	case <-time.After(stopMax):
		return fmt.Errorf("the service did not stop within %s and was killed: %v", stopMax, kill(command))
	}
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}

// tail keeps the end of the output of a process.
type tail struct {
	mutex sync.Mutex
	bytes []byte
}

// Write appends to the output.
func (t *tail) Write(content []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.bytes = append(t.bytes, content...)
	if excess := len(t.bytes) - outputLengthMax; excess > 0 {
		t.bytes = append([]byte{}, t.bytes[excess:]...)
	}
	return len(content), nil
}

// String returns the end of the output.
func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return string(bytes.TrimSpace(t.bytes))
}
