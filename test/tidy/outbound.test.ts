/** Only the files listed here may open connections. Imports are allow-listed, so that a new way out cannot go unseen. */
import { expect, test } from "vitest";
import { filesBelow, type SourceFile } from "./source-files.ts";

/** Files that open connections or query DNS, and what bounds each. */
const outbound: Readonly<Record<string, string>> = {
  "src/authentication/dns.ts":
    "queries DNS for deliverability reports, restante check-domain and mail from the Internet; RESTANTE_DNS=off forbids it",
  "src/authentication/mail-authentication.ts": "mailauth queries the resolver that src/authentication/dns.ts returns",
  "src/cli/remote/service-client.ts": "commands that call the service of this data folder",
  "src/cli/environment/env.ts": "restante env, which calls the service of this data folder",
  "src/cli/environment/probe-programs.ts":
    "programs of restante check, which call a reserved host by the proxy of this service",
  "src/cli/remote/listen.ts": "restante listen, which calls the URL of --forward; no redirects",
  "src/cli/service/healthcheck.ts": "restante healthcheck, which calls the service on this machine",
  "src/cli/remote/mcp.ts": "restante mcp, which calls the service of this data folder or of RESTANTE_URL",
  "src/egress/acme/acme-connection.ts": "jose, which requests nothing for it",
  "src/egress/callbacks/send-callback.ts":
    "webhooks, event webhooks, inbound routes and SMS: checked by core/outgoing-target.ts at every call; no redirects",
  "src/egress/checks/public-fetch.ts": "links of mails, on the public Internet only; RESTANTE_LINK_CHECK allows it",
  "src/egress/checks/spamd.ts": "the SpamAssassin that RESTANTE_SPAMD names",
  "src/egress/limited-request.ts":
    "the certificate authority of RESTANTE_ACME, the receiver of traces (RESTANTE_TRACES), and restante check-domain, which requests the policy of the operator's domain; no redirects",
  "src/egress/oidc/issuer-fetch.ts":
    "the OpenID providers of RESTANTE_OIDC_ISSUER and RESTANTE_OIDC_FILE; no redirects",
  "src/egress/oidc/open-issuer.ts": "openid-client, by src/egress/oidc/issuer-fetch.ts",
  "src/egress/oidc/verify-token.ts": "jose requests keys of issuers by src/egress/oidc/issuer-fetch.ts",
  "src/egress/pinned-request.ts": "requests to an address that its importers have checked, which are listed here too",
  "src/egress/relay/smtp-relay.ts":
    "the relay that the operator names, and restante check-domain, which connects to the mail host of the operator's domain",
  "src/egress/resolve-host.ts": "queries DNS for links of mails, webhooks and SMS providers",
  "src/egress/scanner/scanner-client.ts":
    "link scanners, at the origins of RESTANTE_SCANNER_ORIGINS, and media of SMS, at those of callbacks: checked by core/outgoing-target.ts at every redirect",
  "src/egress/sms/post-form.ts":
    "SMS providers, and status callbacks of older versions: checked by core/outgoing-target.ts at every call; no redirects",
  "src/http/tunnels.ts": "CONNECT, to our own HTTPS listener and nowhere else",
  "src/previews/browser.ts":
    "a browser without DNS and network, every request decided here; RESTANTE_CHROMIUM=off forbids it",
  "src/providers/graph/rich-notifications.ts": "jose, which requests nothing for it",
  "src/store/postgres/connection/connection.ts": "the database that RESTANTE_DATABASE_URL names",
  "src/store/postgres/content/blobs-s3.ts": "the bucket that RESTANTE_BLOB_URL names",
};

/** Exports of Node's network modules that open no connection; every other import of them counts as outbound. */
const harmlessImports: Readonly<Record<string, readonly string[]>> = {
  "node:net": ["BlockList", "SocketAddress", "createServer", "isIP", "isIPv4", "isIPv6"],
  "node:tls": ["TLSSocket", "createSecureContext", "getCACertificates"],
  "node:http": ["METHODS", "STATUS_CODES", "createServer"],
  "node:https": ["createServer"],
  "node:http2": ["createServer"],
  "node:dns": [],
  "node:dns/promises": [],
  "node:dgram": [],
  ws: ["WebSocketServer"],
};

/** Libraries of the service, and whether they open connections. */
const libraries: Readonly<Record<string, boolean>> = {
  "@csstools/css-tokenizer": false,
  "@exodus/bytes": false,
  "@fastify/busboy": false,
  "@modelcontextprotocol/server": false,
  "@sparticuz/chromium": false,
  entities: false,
  "find-my-way": false,
  tlds: false,
  handlebars: false,
  "iconv-lite": false,
  jose: true,
  "libphonenumber-js": false,
  mailauth: true,
  nodemailer: true,
  // Composes mail and opens nothing.
  "nodemailer/lib/mime-node": false,
  "openid-client": true,
  otpauth: false,
  pg: true,
  pino: false,
  pixelmatch: false,
  "playwright-core": true,
  "@playwright/test": false,
  vitest: false,
  "prom-client": false,
  s3mini: true,
  sax: false,
  ws: true,
  yauzl: false,
  yazl: false,
};

interface Import {
  readonly module: string;
  /** `*` for a default, namespace, dynamic or side-effect import. */
  readonly names: readonly string[];
}

const product = filesBelow("src", ".ts").filter(
  ({ path }) => !/\.test(?:-aid)?\.ts$/.test(path) && !/^src\/(?:testing|store\/conformance)\//.test(path),
);

/** Returns the value imports of a file, of whatever form; type imports are erased and connect to nothing. */
function importsOf(text: string): readonly Import[] {
  const declared = Array.from(
    text.matchAll(/^(?:import|export)\s+(?!type\b)(?:([^;"]*?)\s+from\s+)?"([^"]+)"/gm),
    ([, clause = "", module = ""]) => ({ module, names: namesOf(clause) }),
  );
  const dynamic = Array.from(text.matchAll(/\b(?:import|require|getBuiltinModule)\)?\(\s*"([^"]+)"/g));
  const required = Array.from(text.matchAll(/createRequire\([^)]*\)\)?\("([^"]+)"/g));
  return [...declared, ...[...dynamic, ...required].map(([, module = ""]) => ({ module, names: ["*"] }))];
}

function namesOf(clause: string): readonly string[] {
  const inBraces = /^\{([^}]*)\}$/s.exec(clause.trim())?.[1];
  if (inBraces === undefined) return ["*"];
  return inBraces
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => name.split(/\s+as\s+/)[0] ?? name);
}

/** Returns the key of a module in {@link libraries}: the module itself where it has a row, else its package. */
function rowOf(module: string): string {
  if (Object.hasOwn(libraries, module)) return module;
  return /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module;
}

function connects({ module, names }: Import): boolean {
  if (module.endsWith("/pinned-request.ts")) return names.some((name) => name !== "readBody");
  const harmless = harmlessImports[module];
  if (harmless !== undefined) return names.some((name) => !harmless.includes(name));
  return names.length > 0 && libraries[rowOf(module)] === true;
}

function codeOf(text: string): string {
  return text.replaceAll(/^ *(?:\*|\/\/|\/\*).*$/gm, "");
}

function isOutbound({ text }: Pick<SourceFile, "text">): boolean {
  const code = codeOf(text);
  return /(?<![.\w"'`])(?:fetch|new WebSocket|new EventSource)\(/.test(code) || importsOf(code).some(connects);
}

test("connections are opened, and DNS is queried, only by these files", () => {
  const found = product.filter(isOutbound).map(({ path }) => path);
  expect(found).toEqual(Object.keys(outbound).toSorted());
});

/** Files of `src/egress` that connect to addresses which another file has checked, and that file. */
const checkedElsewhere: Readonly<Record<string, string>> = {
  "src/egress/pinned-request.ts": "src/egress/resolve-host.ts",
};
/** Returns whether only the operator sets the URLs of a file: OpenID providers, a certificate authority, hosts of its own domain. */
const isOfOperator = (path: string): boolean => /^src\/egress\/(?:acme\/|oidc\/|limited-request)/.test(path);
/** Checks of addresses that recognise the listeners of this service. */
const ownCheck = /\b(?:refuseAddress|isOwnListener|CheckedAddresses|checkedAddress)\b/;

test("every file of egress that opens connections refuses the listeners of this service", () => {
  const files = product.filter(({ path }) => path in outbound && path.startsWith("src/egress/"));
  const textOf = (path: string): string => product.find((file) => file.path === path)?.text ?? "";
  const unchecked = files.filter(
    ({ path }) => !isOfOperator(path) && !ownCheck.test(textOf(checkedElsewhere[path] ?? path)),
  );
  expect(unchecked.map(({ path }) => path)).toEqual([]);
  expect(files.length).toBeGreaterThan(5);
});

test("libraries are only these, and each says whether it connects", () => {
  const used = product
    .flatMap(({ text }) => importsOf(codeOf(text).replaceAll(/^(import|export) type /gm, "$1 ")))
    .filter(({ module }) => !module.startsWith(".") && !module.startsWith("node:"))
    .map(({ module }) => rowOf(module));
  expect(Array.from(new Set(used)).toSorted()).toEqual(Object.keys(libraries).toSorted());
});

test.each([
  ['import { connect } from "node:net";', true],
  ['import { connect as open, isIP } from "node:net";', true],
  ['import {\n  isIP,\n  connect,\n} from "node:net";', true],
  ['import net from "node:net";', true],
  ['import * as http from "node:http";', true],
  ['const { request } = await import("node:https");', true],
  ['const net = process.getBuiltinModule("node:net");', true],
  ['const net = createRequire(import.meta.url)("node:net");', true],
  ['import { readBody, sendPinned } from "../pinned-request.ts";', true],
  ['import { readBody } from "../pinned-request.ts";', false],
  ['import { S3mini } from "s3mini";', true],
  ['export { Client } from "pg";', true],
  ['await fetch("http://a.example");', true],
  ['new WebSocket("ws://a.example");', true],
  ['import { isIP, createServer, type Socket } from "node:net";', false],
  ['import type { Socket } from "node:net";', false],
  ['import type { PoolClient } from "pg";', false],
  ['import { pino } from "pino";', false],
  ['messages.fetch("x");', false],
])("recognises whether %s connects: %s", (text, expected) => {
  expect(isOutbound({ text })).toBe(expected);
});
