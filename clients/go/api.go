package restantetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// marginOfRequests is the time beyond the wait of a request after which the client gives up.
const marginOfRequests = 30 * time.Second

// api sends requests to a service.
type api struct {
	url string
	key string
}

// request is a request to the service. Wait is the time that the service may take by intention.
type request struct {
	method string
	path   string
	query  url.Values
	body   any
	wait   time.Duration
}

// do sends a request and decodes the JSON of the response into result, unless that is nil.
func (a *api) do(r request, result any) error {
	content, err := a.bytes(r)
	if err != nil || result == nil {
		return err
	}
	if err := json.Unmarshal(content, result); err != nil {
		return fmt.Errorf("%s %s: the response is not the expected JSON: %w", r.method, r.path, err)
	}
	return nil
}

// bytes sends a request and returns the body of the response.
func (a *api) bytes(r request) ([]byte, error) {
	var content io.Reader
	if r.body != nil {
		encoded, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(encoded)
	}
	address := strings.TrimRight(a.url, "/") + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	sent, err := http.NewRequest(r.method, address, content)
	if err != nil {
		return nil, err
	}
	sent.Header.Set("Authorization", "Bearer "+a.key)
	if r.body != nil {
		sent.Header.Set("Content-Type", "application/json")
	}
	client := http.Client{Timeout: r.wait + marginOfRequests}
	response, err := client.Do(sent)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, newResponseError(r.method+" "+r.path, response.StatusCode, received)
	}
	return received, nil
}
