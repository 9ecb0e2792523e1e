/** Every snippet has the values of the server, and no value can break out of its literal. */
import { transformWithOxc } from "vite";
import { describe, expect, test } from "vitest";
import type { Message, Session } from "../wire.ts";
import { readingSnippets } from "./reading-snippets.ts";
import { sendingSnippets } from "./sending-snippets.ts";
import { testSnippets } from "./test-snippets.ts";

const session: Session = {
  url: "http://127.0.0.1:8025",
  smtp: { host: "127.0.0.1", port: 1025 },
  mailDomain: "restante.test",
  version: "1.0.0",
  server: null,
  isAccount: true,
  user: null,
  hasPeople: false,
  scope: "full",
  smsProviders: [],
  providerLabels: {},
  verified: [],
};
const none = { links: [], codes: [], body: null };
const message = {
  server: "abcd1234",
  subject: `It's "new" \\ \${x} \`y\``,
  to: [{ name: "", email: "a+b@abcd1234.restante.test", phone: null }],
  cc: [],
  bcc: [],
  metadata: { headers: [], ehlo: null, mailFrom: null, rcptTo: [] },
  html: { ...none, images: [] },
  text: { ...none, codes: [{ value: "AB-1234" }] },
} as unknown as Message;

const isScript = (file: string): boolean => /\.[jt]s$/.test(file);

describe("sendingSnippets", () => {
  const settings = {
    host: "127.0.0.1",
    port: 1025,
    user: "abcd1234",
    password: "s3cret_-",
    address: "x@abcd1234.m.test",
  };
  const snippets = sendingSnippets(settings);

  test("returns a snippet for each framework", () => {
    const names =
      "Shell nodemailer Rails Django Laravel Symfony Spring .NET Go PHP Python WordPress Supabase Keycloak Variables";
    expect(snippets.map(({ name }) => name)).toEqual(names.split(" "));
  });

  test.each(snippets.map((snippet) => [snippet.name, snippet.code] as const))(
    "%s contains the values of the server",
    (name, code) => {
      // Supabase sends from a container.
      expect(code).toContain(name === "Supabase" ? "host.docker.internal" : "127.0.0.1");
      expect(code).toContain("1025");
      const credentials = name === "Shell" ? [settings.address] : [settings.user, settings.password];
      for (const value of credentials) expect(code).toContain(value);
    },
  );
});

describe("readingSnippets and testSnippets", () => {
  const reading = readingSnippets({ url: session.url, server: "abcd1234", domain: "abcd1234.restante.test" });
  const all = [...reading, ...testSnippets(message, session)];

  // A test with inboxes of its own takes the service from the environment, and PHP its HTTPS address.
  const named = all.filter(({ name }) => name !== "restante/playwright" && name !== "PHP");
  test.each(named.map((snippet) => [snippet.file, snippet.code] as const))(
    "%s contains the values of the server",
    (_file, code) => {
      expect(code).toContain(session.url);
      expect(code).toContain('"abcd1234"');
    },
  );

  test.each(all.filter(({ file }) => isScript(file)).map(({ file, code }) => [file, code] as const))(
    "%s parses with quotes and templates in the subject",
    async (file, code) => {
      await expect(transformWithOxc(code, file)).resolves.toMatchObject({ code: expect.any(String) as unknown });
    },
  );

  test("wait for the recipient and subject, and assert a code of the same form", () => {
    for (const { name, code } of testSnippets(message, session)) {
      expect(code).toContain(name === "PHP" ? "'It\\'s \"new\" \\\\ ${x} `y`'" : JSON.stringify(message.subject));
      if (name !== "restante/playwright") expect(code).toContain("a+b@abcd1234.restante.test");
      const pattern = String.raw`[A-Za-z]{2}-\d{4}`;
      const isDoubled = ["Java", ".NET", "Go", "PHP"].includes(name);
      expect(code).toContain(isDoubled ? pattern.replace("\\", "\\\\") : pattern);
      expect(code).toMatch(
        /message(?:\.|->)text!?(?:\(\))?(?:\.|->)codes|message\.Text\.Codes|message\.code\(\)|toHaveCode/,
      );
    }
  });

  test("assert no code if there is none, and omit an unknown recipient", () => {
    for (const { code } of testSnippets({ ...message, to: [], text: none }, session)) {
      expect(code).not.toMatch(/codes|\.code\(|toHaveCode|regexp|sent_?to/i);
    }
  });

  test("have a title for a message without a subject", () => {
    for (const { name, code } of testSnippets({ ...message, subject: "" }, session)) {
      if (/client|laywright|Cypress/.test(name)) expect(code).toContain('"the message arrives"');
      expect(code).not.toMatch(/subject: |subject = |withSubject/i);
    }
  });

  test.each([
    [".NET", String.raw`"#{a} \u2028 \"$b\" '\\' 😀"`],
    ["Ruby", String.raw`"\#{a} ␤ \"$b\" '\\' 😀"`.replace("␤", "\u2028")],
    ["PHP", String.raw`'#{a} ␤ "$b" \'\\\' 😀'`.replace("␤", "\u2028")],
    ["Go", String.raw`"#{a} ␤ \"$b\" '\\' 😀"`.replace("␤", "\u2028")],
  ])("%s has literals without interpolation, which no subject can end", (name, literal) => {
    const subject = "#{a} \u2028 \"$b\" '\\' 😀";
    const found = testSnippets({ ...message, subject }, session).find((snippet) => snippet.name === name);
    expect(found?.code.split(literal)).toHaveLength(3);
  });

  test("PHP, whose official library requires HTTPS, names the service only if it has HTTPS", () => {
    const php = (url: string): string =>
      testSnippets(message, { ...session, url }).find(({ name }) => name === "PHP")?.code ?? "";
    expect(php(session.url)).toContain("getenv('MAILOSAUR_BASE_URL')");
    expect(php(session.url)).toContain('eval "$(npx restante env --https)"');
    expect(php("https://mail.example")).toContain("'https://mail.example/'");
    expect(php("http://mail.example")).toContain("MAILOSAUR_BASE_URL=https://");
  });

  // Go is parsed by `test/snippets`; the other languages have no parser here.
  test.each([
    [
      ".NET",
      "using Mailosaur.Models;",
      `new MailosaurClient(\n        Environment.GetEnvironmentVariable("RESTANTE_API_KEY"), "${session.url}/")`,
      'var criteria = new SearchCriteria { SentTo = "a+b@abcd1234.restante.test", Subject = "Your code" };',
      'mail.Messages.Get("abcd1234", criteria, timeout: 10000);',
      "message.Text.Codes[0].Value);",
    ],
    [
      "Ruby",
      'require "mailosaur"',
      `Mailosaur::MailosaurClient.new(ENV.fetch("RESTANTE_API_KEY"), base_url: "${session.url}/")`,
      'Mailosaur::Models::SearchCriteria.new\n    criteria.sent_to = "a+b@abcd1234.restante.test"\n',
      'mail.messages.get("abcd1234", criteria, timeout: 10_000)',
      "message.text.codes[0].value)",
    ],
    [
      "PHP",
      "use Mailosaur\\MailosaurClient;\nuse Mailosaur\\Models\\SearchCriteria;",
      "new MailosaurClient(getenv('RESTANTE_API_KEY'), ",
      "$criteria->sentTo = 'a+b@abcd1234.restante.test';\n        $criteria->subject = 'Your code';",
      "$mail->messages->get('abcd1234', $criteria, 10000);",
      "$message->text->codes[0]->value);",
    ],
  ])("%s has the names and the order of arguments of the official library", (name, ...lines) => {
    const found = testSnippets({ ...message, subject: "Your code" }, session).find((snippet) => snippet.name === name);
    for (const line of lines) expect(found?.code).toContain(line);
  });
});
