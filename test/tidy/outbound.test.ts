/** Nothing leaves this machine but through the files that are named here, so that no new way out goes unseen. */
import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** Each way out and what bounds it. */
const waysOut: Readonly<Record<string, string>> = {
  "src/authentication/dns.ts": "asks the name system for deliverability reports; RESTANTE_DNS=off forbids it",
  "src/cli/api-client.ts": "commands that ask the service of this data folder",
  "src/egress/provider-api.ts": "replies to texts, by the account that the operator gave a number; no redirects",
  "src/egress/public-fetch.ts": "links of mails, on the public Internet only; RESTANTE_LINK_CHECK allows it",
  "src/egress/smtp-relay.ts": "the relay that the operator names",
  "src/egress/spamd.ts": "the SpamAssassin that RESTANTE_SPAMD names",
  "src/egress/web-hook.ts": "web hooks of numbers and status callbacks, whose origins the operator names; no redirects",
  "src/http/tunnels.ts": "CONNECT, to our own HTTPS listener and nowhere else",
  "src/previews/browser.ts":
    "a browser without name system and way out, every request decided here; RESTANTE_CHROMIUM=off forbids it",
  "src/store/postgres/connection.ts": "the database that RESTANTE_DATABASE_URL names",
};

const opensConnections =
  /\bfetch\(|import \{[^}]*\b(?:connect|createConnection|request|get|lookup|Resolver|createSocket)\b[^}]*\} from "node:(?:https?|http2|net|tls|dns|dns\/promises|dgram)"|import nodemailer from|import\("playwright-core"\)/;

test("only these files open connections or ask the name system", () => {
  const found = filesBelow("src", ".ts")
    .filter(({ path }) => !/\.test(?:-aid)?\.ts$/.test(path) && !path.startsWith("src/testing/"))
    .filter(({ text }) => opensConnections.test(text.replaceAll(/^ *(?:\*|\/\/|\/\*).*$/gm, "")))
    .map(({ path }) => path);
  expect(found).toEqual(Object.keys(waysOut));
});
