// Sends mail to the address of the argument by the host names of providers: with the library of Resend and with net/http.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/resend/resend-go/v2"
)

func main() {
	to := os.Args[1]
	_, err := resend.NewClient("re_any").Emails.Send(&resend.SendEmailRequest{
		From: "a@shop.example", To: []string{to}, Subject: "Go SDK", Text: "x",
	})
	must(err)

	mail, err := json.Marshal(map[string]string{
		"from": "a@shop.example", "to": to, "subject": "Go HTTP client", "text": "x",
	})
	must(err)
	request, err := http.NewRequest("POST", "https://api.resend.com/emails", strings.NewReader(string(mail)))
	must(err)
	request.Header.Set("Authorization", "Bearer re_any")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must(err)
	fmt.Println(response.StatusCode)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
