// Package restantetest tests e-mail and SMS with restante, a self-hosted message store.
//
// Every inbox has an address of its own. Waits take the time that the mail takes, and fail the test with the reason why
// nothing matched:
//
//	func TestSignUp(t *testing.T) {
//		restante := restantetest.New(t)
//		inbox := restante.Inbox()
//		signUp(inbox.Address, restante.SMTP)
//		message := inbox.WaitForOne(restantetest.Search{Subject: "Welcome"})
//		visit(message.Link("Confirm address"))
//		enter(message.Code())
//	}
//
// The service is the one that the variables RESTANTE_URL and RESTANTE_API_KEY name. Without them it is started by the
// command in RESTANTE_COMMAND (default "npx restante"): for one test, or for all tests of a package by [Run].
//
// Each test has a server of its own, which is deleted after the test and expires if it cannot be deleted. With a key that
// is restricted to one server, tests share the server in RESTANTE_SERVER, and each deletes its own messages only.
//
// When a test fails, its log has its mail. With -artifacts (Go 1.26) or the variable RESTANTE_BUNDLES, a ZIP archive of
// each message is saved.
//
// Methods that can fail the test must be called from the goroutine that runs it.
package restantetest

// Version of the package, and of the service it is made for.
const Version = "0.1.0"
