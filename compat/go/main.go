// What a Go test does through the official library, whose host is fixed: requests of the same shape, by Go's default
// transport, which finds the tunnel by HTTPS_PROXY and trusts by SSL_CERT_FILE.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/smtp"
	"os"
)

const base = "https://mailosaur.com/"

type object = map[string]any

func send(method, path string, body any) (int, object) {
	var content io.Reader
	if body != nil {
		var buffer bytes.Buffer
		must(json.NewEncoder(&buffer).Encode(body))
		content = &buffer
	}
	request, err := http.NewRequest(method, base+path, content)
	must(err)
	request.SetBasicAuth(os.Getenv("MAILOSAUR_API_KEY"), "")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "mailosaur-go/2.0.0")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	must(err)
	defer response.Body.Close()
	answer := object{}
	text, err := io.ReadAll(response.Body)
	must(err)
	if len(text) > 0 {
		must(json.Unmarshal(text, &answer))
	}
	return response.StatusCode, answer
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func expect(what string, expected, actual any) {
	if fmt.Sprint(expected) != fmt.Sprint(actual) {
		must(fmt.Errorf("%s: expected %v, was %v", what, expected, actual))
	}
	fmt.Println(what)
}

func main() {
	status, server := send("POST", "api/servers", object{"name": "Go"})
	expect("a server is made", 200, status)
	id := server["id"].(string)
	to := "reader@" + id + ".localhost"
	address := os.Getenv("RESTANTE_SMTP_HOST") + ":" + os.Getenv("MAILOSAUR_SMTP_PORT")
	must(smtp.SendMail(address, nil, "go@app.example", []string{to}, []byte("To: "+to+"\r\nSubject: From Go\r\n\r\nHello\r\n")))
	criteria := object{"sentFrom": "", "sentTo": to, "subject": "", "body": "", "match": ""}
	status, found := send("POST", "api/messages/search?server="+id+"&receivedAfter=2026-01-01T00%3A00%3A00Z", criteria)
	expect("a search with empty criteria beside a full one", 200, status)
	items := found["items"].([]any)
	expect("finds the mail", 1, len(items))
	expect("whose subject is right", "From Go", items[0].(object)["subject"])
	status, _ = send("DELETE", "api/servers/"+id, nil)
	expect("the server is deleted", 204, status)
}
