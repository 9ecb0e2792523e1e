/** The table of libraries of providers that were run; `vitest -u` writes it from the results of `npm run compat:sdks`. */
import { expect, test } from "vitest";
import { readResults, scenarios } from "../../compat/sdks/record.ts";
import { markdownTable, pagePath, pageWith } from "../documentation.ts";
import { readText } from "./source-files.ts";

const labels: Readonly<Record<string, string>> = {
  acs: "Azure Communication Services",
  brevo: "Brevo",
  gmail: "Gmail",
  graph: "Microsoft Graph",
  mailersend: "MailerSend",
  mailgun: "Mailgun",
  mailjet: "Mailjet",
  mailtrap: "Mailtrap",
  mandrill: "Mandrill",
  postmark: "Postmark",
  resend: "Resend",
  sendgrid: "SendGrid",
  ses: "Amazon SES",
  "ses v1": "Amazon SES, version 1",
  sns: "Amazon SNS",
  sparkpost: "SparkPost",
  twilio: "Twilio",
  vonage: "Vonage",
};

test("docs/guide/providers/sdks.md shows the results of the last run of each library", async () => {
  const page = "docs/guide/providers/sdks.md";
  const rows = readResults().map(({ provider, language, sdk, scenarios: outcomes }) => {
    const cells = scenarios.map((scenario) => (scenario in outcomes ? "yes" : "–"));
    return [labels[provider] ?? expect.unreachable(provider), language, `\`${sdk}\``, ...cells];
  });
  const head = ["provider", "language", "library", "attachment", "inline image", "batch", "template", "SMS", "error"];
  await expect(pageWith(page, { sdks: markdownTable(head, rows) })).toMatchFileSnapshot(pagePath(page));
});

test("no library failed in its last run", () => {
  const failed = readResults().filter(({ scenarios: outcomes }) => Object.values(outcomes).some((one) => one !== "ok"));
  expect(failed).toEqual([]);
});

test("results exist for each language that npm run compat:sdks runs", () => {
  const command = /"compat:sdks": "([^"]+)"/.exec(readText("package.json"))?.[1] ?? "";
  const languages = Array.from(command.matchAll(/(\w+)-sdks/g), ([, name]) => name);
  expect(new Set(languages)).toEqual(new Set(readResults().map(({ language }) => language.toLowerCase())));
});
