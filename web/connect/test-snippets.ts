/** Snippets of tests that wait for one message and assert its content. */
import { addressOf } from "../shared/format.ts";
import type { Message, Session } from "../wire.ts";
import {
  cypressCommand,
  fixtureCommand,
  patternOf,
  playwrightCommand,
  quote,
  type Snippet,
  startComment,
  type TestValues,
} from "./snippet.ts";
import { dotnet, go, php, ruby } from "./native-test-snippets.ts";

/**
 * Returns a test per framework: it waits for recipient and subject, and asserts the form of the code if there is one. The test
 * with inboxes of its own waits for the subject alone.
 */
export function testSnippets(message: Message, { url }: Session): readonly Snippet[] {
  const [recipient] = [...message.to, ...message.cc, ...message.bcc, ...message.metadata.rcptTo];
  const values: TestValues = {
    url,
    server: message.server,
    sentTo: recipient === undefined ? "" : addressOf(recipient),
    subject: message.subject,
    code: firstCode(message),
  };
  const writers = [playwright, cypress, pytest, java, dotnet, ruby, php, go, restanteClient, restantePlaywright];
  return writers.map((write) => write(values));
}

function firstCode({ html, text }: Message): TestValues["code"] {
  const [inHtml] = html.codes;
  const [inText] = text.codes;
  if (inHtml !== undefined) return { value: inHtml.value, part: "html" };
  return inText === undefined ? null : { value: inText.value, part: "text" };
}

function criteria(values: TestValues): string {
  const { sentTo, subject } = values;
  const given = [sentTo === "" ? "" : `sentTo: ${quote(sentTo)}`, subject === "" ? "" : `subject: ${quote(subject)}`];
  return `{ ${given.filter((text) => text !== "").join(", ")} }`;
}

function playwright(values: TestValues): Snippet {
  const { url, server, subject, code } = values;
  const expectation =
    code === null ? "" : `\n  expect(message.${code.part}!.codes![0]!.value).toMatch(/^${patternOf(code.value)}$/);`;
  const text = `${playwrightCommand(url)}
import { expect, test } from "@playwright/test";
import MailosaurClient from "mailosaur";

const mail = new MailosaurClient(process.env.RESTANTE_API_KEY!, ${quote(`${url}/`)});

test(${titleOf(values)}, async () => {
  const message = await mail.messages.get(
    ${quote(server)},
    ${criteria(values)},
    { timeout: 10_000 },
  );
  expect(message.subject).toBe(${quote(subject)});${expectation}
});`;
  return { name: "Playwright", file: "mail.spec.ts", code: text };
}

function cypress(values: TestValues): Snippet {
  const { url, server, subject, code } = values;
  const expectation =
    code === null ? "" : `\n    expect(message.${code.part}.codes[0].value).to.match(/^${patternOf(code.value)}$/);`;
  const text = `${cypressCommand(url)}

it(${titleOf(values)}, () => {
  cy.mailosaurGetMessage(
    ${quote(server)},
    ${criteria(values)},
    { timeout: 10000 },
  ).then((message) => {
    expect(message.subject).to.equal(${quote(subject)});${expectation}
  });
});`;
  return { name: "Cypress", file: "cypress/e2e/mail.cy.js", code: text };
}

function pytest(values: TestValues): Snippet {
  const { url, server, sentTo, subject, code } = values;
  const given = [
    ...(sentTo === "" ? [] : [`    criteria.sent_to = ${quote(sentTo)}`]),
    ...(subject === "" ? [] : [`    criteria.subject = ${quote(subject)}`]),
  ].join("\n");
  const expectation =
    code === null ? "" : `\n    assert re.fullmatch(r"${patternOf(code.value)}", message.${code.part}.codes[0].value)`;
  const text = `# ${startComment(url, "pytest")}
import os
import re

from mailosaur import MailosaurClient
from mailosaur.models import SearchCriteria

mail = MailosaurClient(os.environ["RESTANTE_API_KEY"], ${quote(`${url}/`)})


def test_mail():
    criteria = SearchCriteria()
${given}
    message = mail.messages.get(${quote(server)}, criteria, timeout=10000)
    assert message.subject == ${quote(subject)}${expectation}`;
  return { name: "pytest", file: "test_mail.py", code: text };
}

function java(values: TestValues): Snippet {
  const { url, server, sentTo, subject, code } = values;
  const given = [
    ...(sentTo === "" ? [] : [`.withSentTo(${quote(sentTo)})`]),
    ...(subject === "" ? [] : [`.withSubject(${quote(subject)})`]),
  ].join("");
  const expectation =
    code === null
      ? ""
      : `\n    assertTrue(message.${code.part}().codes().get(0).value().matches(${quote(patternOf(code.value))}));`;
  const text = `// ${startComment(url, "mvn test")}
import static org.junit.jupiter.api.Assertions.assertEquals;
${code === null ? "" : "import static org.junit.jupiter.api.Assertions.assertTrue;\n"}
import com.mailosaur.MailosaurClient;
import com.mailosaur.models.Message;
import com.mailosaur.models.SearchCriteria;
import org.junit.jupiter.api.Test;

class MailTest {
  private final MailosaurClient mail = new MailosaurClient(System.getenv("RESTANTE_API_KEY"), ${quote(`${url}/`)});

  @Test
  void mailArrives() throws Exception {
    SearchCriteria criteria = new SearchCriteria()${given};
    Message message = mail.messages().get(${quote(server)}, criteria);
    assertEquals(${quote(subject)}, message.subject());${expectation}
  }
}`;
  return { name: "Java", file: "src/test/java/MailTest.java", code: text };
}

function restanteClient(values: TestValues): Snippet {
  const { url, server, subject, code } = values;
  const expectation = code === null ? "" : `\n  assert.match(message.code(), /^${patternOf(code.value)}$/);`;
  const text = `// ${startComment(url, "node --test mail.test.ts")}
import assert from "node:assert/strict";
import { test } from "node:test";
import { RestanteClient } from "restante/client";

const restante = new RestanteClient({ url: ${quote(url)} });

test(${titleOf(values)}, async () => {
  const message = await restante.messages.waitForOne(${quote(server)}, ${criteria(values)});
  assert.equal(message.subject, ${quote(subject)});${expectation}
});`;
  return { name: "restante/client", file: "mail.test.ts", code: text };
}

function restantePlaywright(values: TestValues): Snippet {
  const { url, subject, code } = values;
  const search = subject === "" ? "" : `{ subject: ${quote(subject)} }`;
  const expectation = code === null ? "" : `\n  expect(message).toHaveCode(/^${patternOf(code.value)}$/);`;
  const text = `${fixtureCommand(url)}
import { expect, test } from "restante/playwright";

test(${titleOf(values)}, async ({ inbox }) => {
  // Let the application send its mail to inbox.address here.
  const message = await inbox.waitForOne(${search});
  expect(message).toHaveSubject(${quote(subject)});${expectation}
});`;
  return { name: "restante/playwright", file: "inbox.spec.ts", code: text };
}

/** Returns the title of the test, as a literal. */
function titleOf({ subject }: TestValues): string {
  return quote(subject === "" ? "the message arrives" : subject);
}
