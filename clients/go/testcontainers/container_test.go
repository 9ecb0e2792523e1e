package restantecontainer_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/smtp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"

	restantecontainer "restante.example/clients/go/testcontainers"
)

func TestReceivesMailInAContainer(t *testing.T) {
	needDocker(t)
	ctx := context.Background()
	container, err := restantecontainer.Run(ctx, "restante:other", restantecontainer.WithServerID("abcd0001"))
	testcontainers.CleanupContainer(t, container)
	if err != nil {
		t.Fatal(err)
	}
	host, err := container.SMTP(ctx)
	if err != nil {
		t.Fatal(err)
	}
	to := []string{"ada@abcd0001.restante.example.com"}
	if err := smtp.SendMail(host, nil, "shop@example.com", to, []byte("Subject: Welcome\r\n\r\nHello\r\n")); err != nil {
		t.Fatal(err)
	}
	if subjects := list(t, container); !slices.Equal(subjects, []string{"Welcome"}) {
		t.Errorf("got %v", subjects)
	}
	inspected, err := container.Inspect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if inspected.Config.Image != "restante:other" || !slices.Contains(inspected.Config.Env, "RESTANTE_SMTP_STARTTLS=never") {
		t.Errorf("started %s with %v", inspected.Config.Image, inspected.Config.Env)
	}
}

func TestIsReachedByItsAliasInANetwork(t *testing.T) {
	needDocker(t)
	ctx := context.Background()
	joined, err := network.New(ctx)
	testcontainers.CleanupNetwork(t, joined)
	if err != nil {
		t.Fatal(err)
	}
	key := strings.Repeat("k", 24)
	container, err := restantecontainer.Run(ctx, restantecontainer.DefaultImage,
		restantecontainer.WithAlias(joined, "mail"), restantecontainer.WithAPIKey(key))
	testcontainers.CleanupContainer(t, container)
	if err != nil {
		t.Fatal(err)
	}
	if container.APIKey != key || container.ServerID != restantecontainer.DefaultServerID {
		t.Errorf("key %s, server %s", container.APIKey, container.ServerID)
	}
	aliases, err := container.NetworkAliases(ctx)
	if err != nil || !slices.Contains(aliases[joined.Name], "mail") {
		t.Errorf("aliases %v, %v", aliases, err)
	}
}

// list returns the subjects of the messages in the server, by the API.
func list(t *testing.T, container *restantecontainer.Container) []string {
	t.Helper()
	url, err := container.URL(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodGet, url+"/api/messages?server="+container.ServerID, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(container.APIKey, "")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var messages []struct{ Subject string }
	if err := json.NewDecoder(response.Body).Decode(&messages); err != nil {
		t.Fatal(err)
	}
	var subjects []string
	for _, message := range messages {
		subjects = append(subjects, message.Subject)
	}
	return subjects
}

func needDocker(t *testing.T) {
	t.Helper()
	if os.Getenv("DOCKER_HOST") == "" {
		t.Skip("DOCKER_HOST is not set")
	}
}
