// Package restantecontainer runs restante, a self-hosted message store for tests of e-mail and SMS, in a container by
// Testcontainers.
package restantecontainer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	// DefaultImage is the image of this version of the package.
	DefaultImage = "restante:0.1.0"
	// DefaultServerID is the id of the server that the container creates.
	DefaultServerID = "tests001"

	httpPort = "8025/tcp"
	smtpPort = "1025/tcp"

	readyMax = 2 * time.Minute
)

// Container is a running service with one server and an account key.
type Container struct {
	testcontainers.Container

	// APIKey is the account key.
	APIKey string
	// ServerID is the id of the server.
	ServerID string
}

// WithAPIKey sets the account key, which must have at least 16 characters; otherwise it is random.
func WithAPIKey(key string) testcontainers.CustomizeRequestOption {
	return testcontainers.WithEnv(map[string]string{"RESTANTE_API_KEY": key})
}

// WithServerID sets the id of the server, eight letters or digits.
func WithServerID(id string) testcontainers.CustomizeRequestOption {
	return testcontainers.WithEnv(map[string]string{"RESTANTE_SERVERS": id + ":Tests"})
}

// WithAlias connects the container to a network, in which the application under test reaches it as alias, with SMTP on
// port 1025 and HTTP on port 8025.
func WithAlias(net *testcontainers.DockerNetwork, alias string) testcontainers.CustomizeRequestOption {
	return network.WithNetwork([]string{alias}, net)
}

// Run starts a container of the image and returns when the service is ready. The container is not nil when it exists,
// also together with an error, so that it can be terminated.
func Run(ctx context.Context, image string, options ...testcontainers.ContainerCustomizer) (*Container, error) {
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	environment := map[string]string{
		"RESTANTE_API_KEY": hex.EncodeToString(secret),
		"RESTANTE_SERVERS": DefaultServerID + ":Tests",
		// Clients come from other addresses than loopback; without this they would have to trust the local CA.
		"RESTANTE_SMTP_STARTTLS": "never",
	}
	final := map[string]string{}
	all := []testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(httpPort, smtpPort),
		testcontainers.WithEnv(environment),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/readyz").WithPort(httpPort).WithStartupTimeout(readyMax)),
	}
	all = append(all, options...)
	all = append(all, testcontainers.CustomizeRequestOption(func(request *testcontainers.GenericContainerRequest) error {
		final = request.Env
		return nil
	}))
	started, err := testcontainers.Run(ctx, image, all...)
	if started == nil {
		return nil, fmt.Errorf("start restante: %w", err)
	}
	var id string
	if servers := final["RESTANTE_SERVERS"]; len(servers) >= len(DefaultServerID) {
		id = servers[:len(DefaultServerID)]
	}
	container := &Container{Container: started, APIKey: final["RESTANTE_API_KEY"], ServerID: id}
	if err != nil {
		return container, fmt.Errorf("start restante: %w", err)
	}
	return container, nil
}

// URL returns the base URL of the API and of the web UI for this machine.
func (c *Container) URL(ctx context.Context) (string, error) {
	return c.PortEndpoint(ctx, httpPort, "http")
}

// SMTP returns the host and port to which an application on this machine sends its mail.
func (c *Container) SMTP(ctx context.Context) (string, error) {
	host, err := c.Host(ctx)
	if err != nil {
		return "", err
	}
	port, err := c.MappedPort(ctx, smtpPort)
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(host, port.Port()), nil
}
