/** Nothing leaves this machine but through the files that are named here, so that no new way out goes unseen. */
import { expect, test } from "vitest";
import { filesBelow } from "./source-files.ts";

/** Each way out and what bounds it. */
const waysOut: Readonly<Record<string, string>> = {
  "src/authentication/dns.ts": "asks the name system for deliverability reports; RESTANTE_DNS=off forbids it",
  "src/cli/api-client.ts": "commands that ask the service of this data folder",
  "src/cli/client-access.ts": "restante env, which asks the service of this data folder",
  "src/egress/post-form.ts":
    "web hooks, status callbacks and SMS providers: judged by core/outgoing-target.ts at every call; no redirects",
  "src/egress/public-fetch.ts": "links of mails, on the public Internet only; RESTANTE_LINK_CHECK allows it",
  "src/egress/smtp-relay.ts": "the relay that the operator names",
  "src/egress/spamd.ts": "the SpamAssassin that RESTANTE_SPAMD names",
  "src/http/tunnels.ts": "CONNECT, to our own HTTPS listener and nowhere else",
  "src/previews/browser.ts":
    "a browser without name system and way out, every request decided here; RESTANTE_CHROMIUM=off forbids it",
  "src/store/postgres/connection/connection.ts": "the database that RESTANTE_DATABASE_URL names",
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

/** Every library in the service, and where it may connect to. */
const libraries: Readonly<Record<string, string>> = {
  "@csstools/css-tokenizer": "nowhere",
  "@sparticuz/chromium": "nowhere: unpacks a browser from its package",
  "find-my-way": "nowhere",
  htmlparser2: "nowhere",
  "iconv-lite": "nowhere",
  "libphonenumber-js": "nowhere",
  mailauth: "the resolver that src/authentication gives it",
  nodemailer: "the relay that the operator names; composes mail",
  otpauth: "nowhere",
  pg: "the database that RESTANTE_DATABASE_URL names",
  pino: "nowhere",
  "playwright-core": "the browser that it starts, which has no way out",
  "prom-client": "nowhere",
  s3mini: "the bucket that RESTANTE_BLOB_URL names",
};

test("only these libraries are used, and each says where it connects to", () => {
  const names = filesBelow("src", ".ts")
    .filter(({ path }) => !/\.test(?:-aid)?\.ts$/.test(path) && !/^src\/(?:testing|store\/conformance)\//.test(path))
    .flatMap(({ text }) => Array.from(text.matchAll(/(?:^(?:import|export)[^;"]*?from |^import |import\()"([^"]+)"/gm)))
    .map(([, name = ""]) => name)
    .filter((name) => !name.startsWith(".") && !name.startsWith("node:"))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  expect(Array.from(new Set(names)).toSorted()).toEqual(Object.keys(libraries).toSorted());
});
