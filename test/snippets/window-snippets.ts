/** Snippets shown in the web UI, with the values of a running service. */
import type { ServiceProcess } from "../../src/testing/service-process.ts";
import { readingSnippets } from "../../web/connect/reading-snippets.ts";
import { sendingSnippets } from "../../web/connect/sending-snippets.ts";
import type { Snippet } from "../../web/connect/snippet.ts";
import { testSnippets } from "../../web/connect/test-snippets.ts";
import type { Message, Session } from "../../web/wire.ts";

const none = { links: [], codes: [], body: null };

/** Message stored by `service.send("ada@abcd1234.restante.example.com", "Your code")`. */
const message = {
  server: "abcd1234",
  subject: "Your code",
  to: [],
  cc: [],
  bcc: [],
  metadata: {
    headers: [],
    ehlo: null,
    mailFrom: null,
    rcptTo: [{ name: "", email: "ada@abcd1234.restante.example.com", phone: null }],
  },
  html: { ...none, images: [] },
  text: none,
} as unknown as Message;

/** All snippets of the server `abcd1234`. */
export function windowSnippets(
  service: Pick<ServiceProcess, "url" | "smtpPort">,
  password = "not-asked-for",
): readonly Snippet[] {
  const { url, smtpPort } = service;
  const [server, domain] = ["abcd1234", "abcd1234.restante.example.com"];
  const smtp = { host: "127.0.0.1", port: smtpPort };
  const session: Session = {
    url,
    smtp,
    mailDomain: "restante.example.com",
    version: "0",
    server: null,
    isAccount: true,
    user: null,
    hasPeople: false,
    scope: "full",
    smsProviders: [],
    providerLabels: {},
    verified: [],
  };
  const smtpValues = { ...smtp, user: server, password, address: `anyone@${domain}` };
  return [
    ...sendingSnippets(smtpValues),
    ...readingSnippets({ url, server, domain }),
    ...testSnippets(message, session),
  ];
}
