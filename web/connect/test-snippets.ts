/** Snippets of tests that wait for one message and assert its content. */
import { addressOf } from "../shared/format.ts";
import type { Message, Session } from "../wire.ts";
import { cypressCommand, playwrightCommand, pytestCommand } from "./run-command.ts";
import { quote, type Snippet } from "./snippet.ts";

/** Criteria that identify the message, and what the test asserts. */
interface TestValues {
  readonly url: string;
  readonly server: string;
  readonly sentTo: string;
  readonly subject: string;
  /** The first code and the body that contains it; null for none. */
  readonly code: { readonly value: string; readonly part: "html" | "text" } | null;
}

/** Returns a test per framework: it waits for recipient and subject, and asserts the form of the code if there is one. */
export function testSnippets(message: Message, { url }: Session): readonly Snippet[] {
  const [recipient] = [...message.to, ...message.cc, ...message.bcc, ...message.metadata.rcptTo];
  const values: TestValues = {
    url,
    server: message.server,
    sentTo: recipient === undefined ? "" : addressOf(recipient),
    subject: message.subject,
    code: firstCode(message),
  };
  return [playwright, cypress, pytest].map((write) => write(values));
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

/** Returns a pattern of the form of a code: each email has another one of the same form. */
function patternOf(code: string): string {
  return code
    .replaceAll(/\d+/g, (digits) => `\\d{${digits.length.toString()}}`)
    .replaceAll(/[A-Za-z]+/g, (letters) => (letters === "d" ? letters : `[A-Za-z]{${letters.length.toString()}}`));
}

function playwright(values: TestValues): Snippet {
  const { url, server, subject, code } = values;
  const expectation =
    code === null ? "" : `\n  expect(message.${code.part}!.codes![0]!.value).toMatch(/^${patternOf(code.value)}$/);`;
  const text = `${playwrightCommand(url)}
import { expect, test } from "@playwright/test";
import MailosaurClient from "mailosaur";

const mail = new MailosaurClient(process.env.RESTANTE_API_KEY!, ${quote(`${url}/`)});

test(${quote(subject)}, async () => {
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

it(${quote(subject)}, () => {
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
  const text = `${pytestCommand(url)}
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
