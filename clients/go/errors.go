package restantetest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ResponseError is an error response of the service.
type ResponseError struct {
	// Call is the method and the path of the request.
	Call string
	// Status is the HTTP status.
	Status int
	// Type is the kind of error, such as "ValidationError".
	Type string
	// Message says what is wrong.
	Message string

	body []byte
}

// Error returns the message with the call and the status.
func (e *ResponseError) Error() string {
	return fmt.Sprintf("%s failed with %d: %s", e.Call, e.Status, e.Message)
}

// excerptLengthMax is the number of characters of a body that an error shows.
const excerptLengthMax = 200

func newResponseError(call string, status int, content []byte) *ResponseError {
	var body struct {
		Type    string
		Message string
		Errors  []struct {
			Field  string
			Detail []struct{ Description string }
		}
	}
	result := &ResponseError{Call: call, Status: status, Type: "Unknown", body: content}
	if err := json.Unmarshal(content, &body); err != nil || body.Message == "" {
		// Not from the service, such as the page of a proxy.
		result.Message = excerpt(string(content))
		return result
	}
	text := strings.Builder{}
	text.WriteString(body.Message)
	for _, entry := range body.Errors {
		for _, detail := range entry.Detail {
			fmt.Fprintf(&text, "\n- %s: %s", entry.Field, detail.Description)
		}
	}
	result.Type, result.Message = body.Type, text.String()
	return result
}

// NoMatchError says that too few messages matched within the time of a wait.
type NoMatchError struct {
	// Matched is the number of messages that matched.
	Matched int
	// Expected is the number of messages that the wait expected.
	Expected int
	// Explanation says which criteria the nearest messages fail.
	Explanation string

	search string
}

// Error returns the criteria and the explanation.
func (e *NoMatchError) Error() string {
	matched := "no message"
	if e.Expected > 1 {
		matched = fmt.Sprintf("%d of %d messages", e.Matched, e.Expected)
	}
	return strings.TrimRight(fmt.Sprintf("%s matched %s\n%s", matched, e.search, e.Explanation), "\n")
}

// UnexpectedMessageError says that messages matched that should not exist.
type UnexpectedMessageError struct {
	// Expected is the number of messages that were expected.
	Expected int
	// Matched has a line for each message that matched.
	Matched []string

	search string
}

// Error returns the criteria and the messages.
func (e *UnexpectedMessageError) Error() string {
	expected := "none"
	if e.Expected > 0 {
		expected = fmt.Sprint(e.Expected)
	}
	list := strings.Join(append([]string{""}, e.Matched...), "\n- ")
	return fmt.Sprintf("expected %s, and %d matched %s:%s", expected, len(e.Matched), e.search, list)
}

func excerpt(text string) string {
	runes := []rune(text)
	if len(runes) <= excerptLengthMax {
		return text
	}
	return string(runes[:excerptLengthMax]) + "…"
}
