/** "Copy as test": a test that waits for exactly one message and holds it to what it said. */
import { addressOf } from "../shared/format.ts";
import type { Message, Session } from "../wire.ts";
import { quoted, type Snippet } from "./snippet.ts";
import { cypressStart, playwrightStart, pytestStart } from "./start-line.ts";

/** What identifies the message, and what may be expected of it. */
interface Waiting {
  readonly url: string;
  readonly server: string;
  readonly sentTo: string;
  readonly subject: string;
  /** The first code, and whether it stands in the HTML or in the text; null where there is none. */
  readonly code: { readonly value: string; readonly part: "html" | "text" } | null;
}

/** The test for each runner; it looks for recipient and subject, and expects a code where this message has one. */
export function waitingTests(message: Message, { url }: Session): readonly Snippet[] {
  const [recipient] = [...message.to, ...message.cc, ...message.bcc, ...message.metadata.rcptTo];
  const waiting: Waiting = {
    url,
    server: message.server,
    sentTo: recipient === undefined ? "" : addressOf(recipient),
    subject: message.subject,
    code: firstCode(message),
  };
  return [playwright, cypress, pytest].map((write) => write(waiting));
}

function firstCode({ html, text }: Message): Waiting["code"] {
  const [inHtml] = html.codes;
  const [inText] = text.codes;
  if (inHtml !== undefined) return { value: inHtml.value, part: "html" };
  return inText === undefined ? null : { value: inText.value, part: "text" };
}

function criteria(waiting: Waiting): string {
  const { sentTo, subject } = waiting;
  const given = [sentTo === "" ? "" : `sentTo: ${quoted(sentTo)}`, subject === "" ? "" : `subject: ${quoted(subject)}`];
  return `{ ${given.filter((text) => text !== "").join(", ")} }`;
}

/** A code changes from mail to mail; its form stays. */
function patternOf(code: string): string {
  return code
    .replaceAll(/\d+/g, (digits) => `\\d{${digits.length.toString()}}`)
    .replaceAll(/[A-Za-z]+/g, (letters) => (letters === "d" ? letters : `[A-Za-z]{${letters.length.toString()}}`));
}

function playwright(waiting: Waiting): Snippet {
  const { url, server, subject, code } = waiting;
  const expectation =
    code === null ? "" : `\n  expect(message.${code.part}!.codes![0]!.value).toMatch(/^${patternOf(code.value)}$/);`;
  const text = `${playwrightStart(url)}
import { expect, test } from "@playwright/test";
import MailosaurClient from "mailosaur";

const mail = new MailosaurClient(process.env.RESTANTE_API_KEY!, ${quoted(`${url}/`)});

test(${quoted(subject)}, async () => {
  const message = await mail.messages.get(
    ${quoted(server)},
    ${criteria(waiting)},
    { timeout: 10_000 },
  );
  expect(message.subject).toBe(${quoted(subject)});${expectation}
});`;
  return { name: "Playwright", file: "mail.spec.ts", code: text };
}

function cypress(waiting: Waiting): Snippet {
  const { url, server, subject, code } = waiting;
  const expectation =
    code === null ? "" : `\n    expect(message.${code.part}.codes[0].value).to.match(/^${patternOf(code.value)}$/);`;
  const text = `${cypressStart(url)}

it(${quoted(subject)}, () => {
  cy.mailosaurGetMessage(
    ${quoted(server)},
    ${criteria(waiting)},
    { timeout: 10000 },
  ).then((message) => {
    expect(message.subject).to.equal(${quoted(subject)});${expectation}
  });
});`;
  return { name: "Cypress", file: "cypress/e2e/mail.cy.js", code: text };
}

function pytest(waiting: Waiting): Snippet {
  const { url, server, sentTo, subject, code } = waiting;
  const given = [
    ...(sentTo === "" ? [] : [`    criteria.sent_to = ${quoted(sentTo)}`]),
    ...(subject === "" ? [] : [`    criteria.subject = ${quoted(subject)}`]),
  ].join("\n");
  const expectation =
    code === null ? "" : `\n    assert re.fullmatch(r"${patternOf(code.value)}", message.${code.part}.codes[0].value)`;
  const text = `${pytestStart(url)}
import os
import re

from mailosaur import MailosaurClient
from mailosaur.models import SearchCriteria

mail = MailosaurClient(os.environ["RESTANTE_API_KEY"], ${quoted(`${url}/`)})


def test_mail():
    criteria = SearchCriteria()
${given}
    message = mail.messages.get(${quoted(server)}, criteria, timeout=10000)
    assert message.subject == ${quoted(subject)}${expectation}`;
  return { name: "pytest", file: "test_mail.py", code: text };
}
