// Prints which addresses net/mail accepts: one JSON object by name of the validator, then by address.
package main

import (
	"encoding/json"
	"net/mail"
	"os"
)

func main() {
	accepted := map[string]bool{}
	for _, address := range os.Args[1:] {
		parsed, err := mail.ParseAddress(address)
		accepted[address] = err == nil && parsed.Address == address
	}
	result := map[string]map[string]bool{"Go mail.ParseAddress": accepted}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		panic(err)
	}
}
