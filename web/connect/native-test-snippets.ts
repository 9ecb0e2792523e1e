/** Snippets of tests with the official clients for .NET, Ruby, PHP and Go. */
import { isHttps, patternOf, phpCommand, quote, type Snippet, startComment, type TestValues } from "./snippet.ts";

/** Returns a test for .NET with xUnit. */
export function dotnet(values: TestValues): Snippet {
  const { url, server, sentTo, subject, code } = values;
  const given = [
    ...(sentTo === "" ? [] : [`SentTo = ${quoteCsharp(sentTo)}`]),
    ...(subject === "" ? [] : [`Subject = ${quoteCsharp(subject)}`]),
  ].join(", ");
  const expectation =
    code === null
      ? ""
      : `\n        Assert.Matches(${quoteCsharp(`^${patternOf(code.value)}$`)}, message.${partOf(code.part)}.Codes[0].Value);`;
  const text = `// ${startComment(url, "dotnet test")}
using System;
using Mailosaur;
using Mailosaur.Models;
using Xunit;

public class MailTest
{
    private readonly MailosaurClient mail = new MailosaurClient(
        Environment.GetEnvironmentVariable("RESTANTE_API_KEY"), ${quoteCsharp(`${url}/`)});

    [Fact]
    public void MailArrives()
    {
        var criteria = new SearchCriteria { ${given} };
        var message = mail.Messages.Get(${quoteCsharp(server)}, criteria, timeout: 10000);
        Assert.Equal(${quoteCsharp(subject)}, message.Subject);${expectation}
    }
}`;
  return { name: ".NET", file: "MailTest.cs", code: text };
}

/** Returns a test for Ruby with minitest. */
export function ruby(values: TestValues): Snippet {
  const { url, server, sentTo, subject, code } = values;
  const given = [
    ...(sentTo === "" ? [] : [`\n    criteria.sent_to = ${quoteRuby(sentTo)}`]),
    ...(subject === "" ? [] : [`\n    criteria.subject = ${quoteRuby(subject)}`]),
  ].join("");
  const expectation =
    code === null ? "" : `\n    assert_match(/\\A${patternOf(code.value)}\\z/, message.${code.part}.codes[0].value)`;
  const text = `# ${startComment(url, "ruby mail_test.rb")}
require "mailosaur"
require "minitest/autorun"

class MailTest < Minitest::Test
  def test_mail_arrives
    mail = Mailosaur::MailosaurClient.new(ENV.fetch("RESTANTE_API_KEY"), base_url: ${quoteRuby(`${url}/`)})
    criteria = Mailosaur::Models::SearchCriteria.new${given}
    message = mail.messages.get(${quoteRuby(server)}, criteria, timeout: 10_000)
    assert_equal(${quoteRuby(subject)}, message.subject)${expectation}
  end
end`;
  return { name: "Ruby", file: "mail_test.rb", code: text };
}

/** Returns a test for PHP with PHPUnit. The official library requires HTTPS. */
export function php(values: TestValues): Snippet {
  const { url, server, sentTo, subject, code } = values;
  const base = isHttps(url) ? quotePhp(`${url}/`) : "getenv('MAILOSAUR_BASE_URL')";
  const given = [
    ...(sentTo === "" ? [] : [`\n        $criteria->sentTo = ${quotePhp(sentTo)};`]),
    ...(subject === "" ? [] : [`\n        $criteria->subject = ${quotePhp(subject)};`]),
  ].join("");
  const pattern = code === null ? "" : quotePhp(`/^${patternOf(code.value)}$/`);
  const expectation =
    code === null
      ? ""
      : `\n        self::assertMatchesRegularExpression(${pattern}, $message->${code.part}->codes[0]->value);`;
  const text = `<?php
${phpCommand(url)}

use Mailosaur\\MailosaurClient;
use Mailosaur\\Models\\SearchCriteria;
use PHPUnit\\Framework\\TestCase;

final class MailTest extends TestCase
{
    public function testMailArrives(): void
    {
        $mail = new MailosaurClient(getenv('RESTANTE_API_KEY'), ${base});
        $criteria = new SearchCriteria();${given}
        $message = $mail->messages->get(${quotePhp(server)}, $criteria, 10000);
        self::assertSame(${quotePhp(subject)}, $message->subject);${expectation}
    }
}`;
  return { name: "PHP", file: "MailTest.php", code: text };
}

/** Returns a test for Go. The official library has a fixed base URL, which the transport replaces. */
export function go(values: TestValues): Snippet {
  const { url, server, sentTo, subject, code } = values;
  const { protocol, host } = new URL(url);
  const given = [
    ...(sentTo === "" ? [] : [`SentTo: ${quote(sentTo.toWellFormed())}`]),
    ...(subject === "" ? [] : [`Subject: ${quote(subject.toWellFormed())}`]),
  ].join(", ");
  const expectation =
    code === null
      ? ""
      : `
	code := message.${partOf(code.part)}.Codes[0].Value
	if !regexp.MustCompile(${quote(`^${patternOf(code.value)}$`)}).MatchString(code) {
		t.Errorf("code is %q", code)
	}`;
  const imports = ["net/http", "os", ...(code === null ? [] : ["regexp"]), "testing"];
  const text = `// ${startComment(url, "go test ./...")}
package mail_test

import (
${imports.map((name) => `\t"${name}"`).join("\n")}

	"github.com/mailosaur/mailosaur-go"
)

// restante sends the requests of the library to ${url}
type restante struct{}

func (restante) RoundTrip(request *http.Request) (*http.Response, error) {
	own := request.Clone(request.Context())
	own.URL.Scheme, own.URL.Host, own.Host = ${quote(protocol.slice(0, -1))}, ${quote(host)}, ${quote(host)}
	return http.DefaultTransport.RoundTrip(own)
}

func TestMailArrives(t *testing.T) {
	mail := mailosaur.NewWithClient(os.Getenv("RESTANTE_API_KEY"), &http.Client{Transport: restante{}})
	message, err := mail.Messages.Get(
		&mailosaur.MessageSearchParams{Server: ${quote(server)}, Timeout: 10},
		&mailosaur.SearchCriteria{${given}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if message.Subject != ${quote(subject.toWellFormed())} {
		t.Errorf("subject is %q", message.Subject)
	}${expectation}
}`;
  return { name: "Go", file: "mail_test.go", code: text };
}

function partOf(part: "html" | "text"): "Html" | "Text" {
  return part === "html" ? "Html" : "Text";
}

/** Returns a string literal of C#, in which U+0085, U+2028 and U+2029 would end the line. */
function quoteCsharp(text: string): string {
  return quote(text).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns a string literal of Ruby, in which `#` would begin an interpolation. */
function quoteRuby(text: string): string {
  return quote(text.toWellFormed()).replaceAll("#", String.raw`\#`);
}

/** Returns a string literal of PHP without interpolation. */
function quotePhp(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
