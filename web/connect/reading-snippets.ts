/** Snippets for tests that read email with the official clients. */
import { cypressCommand, playwrightCommand, quote, type Snippet, startComment } from "./snippet.ts";

/** Values of the server in the snippets. */
export interface ReadingValues {
  /** Base URL of the API, without a trailing slash. */
  readonly url: string;
  readonly server: string;
  readonly domain: string;
}

/** Returns set-up and a first test for each test framework. */
export function readingSnippets(settings: ReadingValues): readonly Snippet[] {
  return [playwright, cypress, pytest].map((write) => write(settings));
}

function playwright({ url, server, domain }: ReadingValues): Snippet {
  const code = `${playwrightCommand(url)}
import { test } from "@playwright/test";
import MailosaurClient from "mailosaur";

const mail = new MailosaurClient(process.env.RESTANTE_API_KEY!, ${quote(`${url}/`)});

test("the code arrives", async ({ page }) => {
  const address = \`sign-up-\${Date.now()}@${domain}\`;
  await page.goto("/sign-up");
  await page.getByLabel("E-mail").fill(address);
  await page.getByRole("button", { name: "Sign up" }).click();

  const message = await mail.messages.get(${quote(server)}, { sentTo: address });
  await page.getByLabel("Code").fill(message.html!.codes![0]!.value!);
});`;
  return { name: "Playwright", file: "sign-up.spec.ts", code };
}

function cypress({ url, server, domain }: ReadingValues): Snippet {
  const code = `${cypressCommand(url)}
// cypress/support/e2e.js: import "cypress-mailosaur";

it("the code arrives", () => {
  const address = \`sign-up-\${Date.now()}@${domain}\`;
  cy.visit("/sign-up");
  cy.get("[name=email]").type(address);
  cy.contains("Sign up").click();

  cy.mailosaurGetMessage(${quote(server)}, { sentTo: address }).then((message) => cy.get("[name=code]").type(message.html.codes[0].value));
});`;
  return { name: "Cypress", file: "cypress/e2e/sign-up.cy.js", code };
}

function pytest({ url, server, domain }: ReadingValues): Snippet {
  const code = `# ${startComment(url, "pytest")}
import os
import time

from mailosaur import MailosaurClient
from mailosaur.models import SearchCriteria

mail = MailosaurClient(os.environ["RESTANTE_API_KEY"], ${quote(`${url}/`)})


def test_the_code_arrives(app):
    address = f"sign-up-{time.time_ns()}@${domain}"
    app.sign_up(address)

    criteria = SearchCriteria()
    criteria.sent_to = address
    message = mail.messages.get(${quote(server)}, criteria)
    assert message.html.codes[0].value`;
  return { name: "pytest", file: "test_sign_up.py", code };
}
