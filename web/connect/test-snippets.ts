/** "Copy as test": a test that waits for exactly one message and holds it to what it said. */
import { addressOf } from "../shared/format.ts";
import type { Message, Session } from "../wire.ts";
import { quote, type Snippet } from "./snippet.ts";
import { cypressCommand, playwrightCommand, pytestCommand } from "./run-command.ts";

/** What identifies the message, and what may be expected of it. */
interface TestValues {
  readonly url: string;
  readonly server: string;
  readonly sentTo: string;
  readonly subject: string;
  /** The first code, and whether it stands in the HTML or in the text; null where there is none. */
  readonly code: { readonly value: string; readonly part: "html" | "text" } | null;
}

/** The test for each runner; it looks for recipient and subject, and expects a code where this message has one. */
export function testSnippets(message: Message, { url }: Session): readonly Snippet[] {
  const [recipient] = [...message.to, ...message.cc, ...message.bcc, ...message.metadata.rcptTo];
  const waiting: TestValues = {
    url,
    server: message.server,
    sentTo: recipient === undefined ? "" : addressOf(recipient),
    subject: message.subject,
    code: firstCode(message),
  };
  return [playwright, cypress, pytest].map((write) => write(waiting));
}

function firstCode({ html, text }: Message): TestValues["code"] {
  const [inHtml] = html.codes;
  const [inText] = text.codes;
  if (inHtml !== undefined) return { value: inHtml.value, part: "html" };
  return inText === undefined ? null : { value: inText.value, part: "text" };
}

function criteria(waiting: TestValues): string {
  const { sentTo, subject } = waiting;
  const given = [sentTo === "" ? "" : `sentTo: ${quote(sentTo)}`, subject === "" ? "" : `subject: ${quote(subject)}`];
  return `{ ${given.filter((text) => text !== "").join(", ")} }`;
}

/** A code changes from mail to mail; its form stays. */
function patternOf(code: string): string {
  return code
    .replaceAll(/\d+/g, (digits) => `\\d{${digits.length.toString()}}`)
    .replaceAll(/[A-Za-z]+/g, (letters) => (letters === "d" ? letters : `[A-Za-z]{${letters.length.toString()}}`));
}

function playwright(waiting: TestValues): Snippet {
  const { url, server, subject, code } = waiting;
  const expectation =
    code === null ? "" : `\n  expect(message.${code.part}!.codes![0]!.value).toMatch(/^${patternOf(code.value)}$/);`;
  const text = `${playwrightCommand(url)}
import { expect, test } from "@playwright/test";
import MailosaurClient from "mailosaur";

const mail = new MailosaurClient(process.env.RESTANTE_API_KEY!, ${quote(`${url}/`)});

test(${quote(subject)}, async () => {
  const message = await mail.messages.get(
    ${quote(server)},
    ${criteria(waiting)},
    { timeout: 10_000 },
  );
  expect(message.subject).toBe(${quote(subject)});${expectation}
});`;
  return { name: "Playwright", file: "mail.spec.ts", code: text };
}

function cypress(waiting: TestValues): Snippet {
  const { url, server, subject, code } = waiting;
  const expectation =
    code === null ? "" : `\n    expect(message.${code.part}.codes[0].value).to.match(/^${patternOf(code.value)}$/);`;
  const text = `${cypressCommand(url)}

it(${quote(subject)}, () => {
  cy.mailosaurGetMessage(
    ${quote(server)},
    ${criteria(waiting)},
    { timeout: 10000 },
  ).then((message) => {
    expect(message.subject).to.equal(${quote(subject)});${expectation}
  });
});`;
  return { name: "Cypress", file: "cypress/e2e/mail.cy.js", code: text };
}

function pytest(waiting: TestValues): Snippet {
  const { url, server, sentTo, subject, code } = waiting;
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
