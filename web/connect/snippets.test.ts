/** Every snippet has the values of the server, and no value can break out of its literal. */
import { transformWithOxc } from "vite";
import { describe, expect, test } from "vitest";
import type { Message, Session } from "../wire.ts";
import { readingSnippets } from "./reading-snippets.ts";
import { curlSnippet, sendingSnippets } from "./sending-snippets.ts";
import { testSnippets } from "./test-snippets.ts";

const session: Session = {
  url: "http://127.0.0.1:8025",
  smtp: { host: "127.0.0.1", port: 1025 },
  mailDomain: "restante.test",
  version: "1.0.0",
  server: null,
  scope: "full",
  smsProviders: [],
  providerLabels: {},
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
  const snippets = [...sendingSnippets(settings), curlSnippet(settings)];

  test("returns a snippet for each framework", () => {
    const names =
      "nodemailer Rails Django Laravel Symfony Spring .NET Go PHP Python WordPress Supabase Keycloak Variables Shell";
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

  // A test with inboxes of its own takes the service from the environment.
  const named = all.filter(({ name }) => name !== "restante/playwright");
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
      expect(code).toContain(JSON.stringify(message.subject));
      if (name !== "restante/playwright") expect(code).toContain("a+b@abcd1234.restante.test");
      const pattern = String.raw`[A-Za-z]{2}-\d{4}`;
      expect(code).toContain(name === "Java" ? pattern.replace("\\", "\\\\") : pattern);
      expect(code).toMatch(/message\.text!?(?:\(\))?\.codes|message\.code\(\)|toHaveCode/);
    }
  });

  test("assert no code if there is none, and omit an unknown recipient", () => {
    for (const { code } of testSnippets({ ...message, to: [], text: none }, session)) {
      expect(code).not.toMatch(/codes|\.code\(|toHaveCode|sent_?to/i);
    }
  });

  test("have a title for a message without a subject", () => {
    for (const { name, code } of testSnippets({ ...message, subject: "" }, session)) {
      if (/client|laywright|Cypress/.test(name)) expect(code).toContain('"the message arrives"');
      expect(code).not.toMatch(/subject: |subject = |withSubject/);
    }
  });
});
