/** Conversations with which the fuzzing of listeners starts: sessions of mail protocols, and a request to every route. */
import type { Ports } from "../../src/app/listeners/listeners.ts";
import { catcherNames, type CatcherName } from "../../src/app/settings/listener-settings.ts";
import type { Route } from "../../src/http/route.ts";
import { routeTable } from "../../src/http/route-table.ts";
import type { SchemaShape } from "../../src/core/schema.ts";
import { catcherTable } from "../../src/catchers/catcher-routes.ts";
import { providers } from "../../src/providers/registry.ts";
import { fuzzAccess } from "./access.ts";
import type { FuzzTarget } from "./target.ts";

/** Name of a listener. */
export type ListenerName = Exclude<keyof Ports, "catchers"> | CatcherName;

/** Inputs of one listener. */
export type ListenerSeeds = Pick<FuzzTarget, "seeds" | "tokens" | "repair">;

const { key, server } = fuzzAccess;

const mail = [
  "From: App <app@example.com>",
  `To: anyone@${server}.restante.test`,
  "Subject: =?utf-8?Q?Best=C3=A4tigen?=",
  "Content-Type: multipart/mixed; boundary=b",
  "",
  "--b",
  "",
  "Your code is 482913",
  "--b",
  "Content-Type: image/png; name=a.png",
  "Content-Transfer-Encoding: base64",
  "",
  "iVBORw0KGgo=",
  "--b--",
].join("\r\n");

function session(...lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(""));
}

const envelope = ["EHLO test.example", "MAIL FROM:<app@example.com>", `RCPT TO:<anyone@${server}.restante.test>`];
const smtp: ListenerSeeds = {
  seeds: [
    session(...envelope, "DATA", mail, ".", "QUIT"),
    session("HELO x", "MAIL FROM:<> SIZE=10 BODY=8BITMIME SMTPUTF8", "RSET", "VRFY x", "HELP", "NOOP", "QUIT"),
    session("EHLO x", "AUTH PLAIN AGEAYg==", "AUTH LOGIN", "YQ==", "Yg==", "AUTH CRAM-MD5", "*", "QUIT"),
    session(...envelope, "BDAT 5", "hello", "BDAT 0 LAST", "QUIT"),
    session("PROXY TCP4 192.0.2.1 192.0.2.2 1 2", ...envelope, "QUIT"),
  ],
  tokens: [
    ..."EHLO |HELO |MAIL FROM:<|RCPT TO:<|DATA\r\n|BDAT |LAST|RSET\r\n|AUTH |PLAIN |LOGIN|XOAUTH2 |STARTTLS\r\n|QUIT\r\n".split(
      "|",
    ),
    ...'\r\n.\r\n|\n.\n|\r.\r|\r\n..\r\n|SIZE=|BODY=BINARYMIME|SMTPUTF8|RET=HDRS|NOTIFY=NEVER|>|@a,@b:|[127.0.0.1]|"a b"@'.split(
      "|",
    ),
  ],
};
const lmtp: ListenerSeeds = {
  seeds: smtp.seeds.map((seed) => Buffer.from(seed.toString("latin1").replaceAll("EHLO", "LHLO"), "latin1")),
  tokens: [...smtp.tokens, "LHLO "],
};
const signInImap = `a1 LOGIN ${server} wrong`;
const imap: ListenerSeeds = {
  seeds: [
    session("a1 CAPABILITY", 'a2 ID ("name" "x")', signInImap, "a3 AUTHENTICATE PLAIN", "AGEAYg==", "a4 LOGOUT"),
    session("a1 LOGIN {4+}", "user {4+}", "pass", "a2 SELECT INBOX", "a3 NOOP", "a4 LOGOUT"),
    session("a1 UID FETCH 1:* (FLAGS BODY.PEEK[HEADER.FIELDS (SUBJECT)] BODYSTRUCTURE ENVELOPE)", "a2 LOGOUT"),
    session('a1 SEARCH CHARSET UTF-8 OR SUBJECT "a" NOT (SINCE 1-Jan-2026 LARGER 10) UID 1:3,5', "a2 LOGOUT"),
    session("a1 APPEND INBOX (\\Seen) {5}", "hello", "a2 IDLE", "DONE", 'a3 LIST "" "*"', "a4 LOGOUT"),
  ],
  tokens:
    ' |(|)|"|\\|{10}|{10+}|~{5}|[|]|*|%|\r\n|a9 |LOGIN |UID |FETCH |SEARCH |STORE |APPEND |1:*|$|BODY[]<0.10>|NIL'.split(
      "|",
    ),
};
const pop3: ListenerSeeds = {
  seeds: [
    session("CAPA", `USER ${server}`, "PASS wrong", "QUIT"),
    session("AUTH PLAIN", "AGEAYg==", "STAT", "LIST", "UIDL 1", "RETR 1", "TOP 1 0", "DELE 1", "RSET", "NOOP", "QUIT"),
  ],
  tokens: "USER |PASS |APOP |AUTH |CAPA\r\n|STLS\r\n|LIST |RETR |TOP |UIDL |\r\n|\n".split("|"),
};

const httpTokens = [
  ..."GET |POST |PUT |PATCH |DELETE |HEAD |OPTIONS |CONNECT |HTTP/1.1|HTTP/1.0|\r\n|\r\n\r\n|Host: |Content-Length: |Expect: 100-continue\r\n".split(
    "|",
  ),
  ..."Transfer-Encoding: chunked\r\n|Content-Type: |application/json|multipart/form-data; boundary=x|Origin: http://a.example\r\n|Upgrade: websocket\r\n".split(
    "|",
  ),
  ...'{|}|[|]|:|,|"|null|true|1e400|\\u0000|\\ud800|"__proto__":|?|&|=|%2e%2e|%00|%|#|;|*'.split("|"),
];

/** Placeholder of an id in paths. */
const anyId = "0199aabb-ccdd-8eee-8fff-001122334455";

function pathOf(path: string): string {
  return path.replace("/servers/:id", `/servers/${server}`).replaceAll(/:\w+/g, anyId).replace(/\*$/, "x");
}

interface SeedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
}

function request({ method, path, body = "", contentType = "application/json" }: SeedRequest): Buffer {
  const authorization = `Authorization: Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  const length =
    body === "" ? [] : [`Content-Type: ${contentType}`, `Content-Length: ${String(Buffer.byteLength(body))}`];
  const head = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", "Connection: close", authorization, ...length];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Returns a value that a schema accepts, as far as its keywords tell. */
function sampleOf(schema: SchemaShape): unknown {
  const [first] = schema.anyOf ?? [];
  if (first !== undefined) return sampleOf(first);
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.properties !== undefined) {
    return Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, sampleOf(one)]));
  }
  if (schema.type === "array") return [sampleOf(schema.items ?? {})];
  const samples: Readonly<Record<string, unknown>> = { integer: 1, number: 1, boolean: true, object: { a: "b" } };
  return samples[schema.type ?? ""] ?? "a@b.example";
}

function routeRequest({ method, path, body, query = [] }: Route): Buffer {
  const parameters = query.map(
    ({ name, schema }) => `${name}=${name === "server" ? server : encodeURIComponent(String(sampleOf(schema)))}`,
  );
  const target = pathOf(path) + (parameters.length === 0 ? "" : `?${parameters.join("&")}`);
  return request({ method, path: target, ...(body !== undefined && { body: JSON.stringify(sampleOf(body.schema)) }) });
}

const providerBodies: readonly Pick<SeedRequest, "body" | "contentType">[] = [
  {
    body: '{"from":"a@b.example","to":["c@d.example"],"subject":"x","html":"<p>y","attachments":[{"content":"YQ=="}]}',
  },
  {
    body: "From=a%40b.example&To=%2B447700900123&Body=x&Action=SendEmail",
    contentType: "application/x-www-form-urlencoded",
  },
  {
    body: '--x\r\nContent-Disposition: form-data; name="to"\r\n\r\na@b.example\r\n--x--\r\n',
    contentType: "multipart/form-data; boundary=x",
  },
];

const http: ListenerSeeds = {
  seeds: [
    ...routeTable.map(routeRequest),
    ...providers.flatMap(({ name, endpoints }) =>
      endpoints.flatMap(({ method, path }) => {
        const target = { method, path: `/providers/${name}${pathOf(path)}` };
        return method === "GET" || method === "DELETE"
          ? [request(target)]
          : providerBodies.map((body) => request({ ...target, ...body }));
      }),
    ),
    Buffer.from("CONNECT mailosaur.com:443 HTTP/1.1\r\nHost: mailosaur.com:443\r\n\r\n"),
  ],
  tokens: httpTokens,
  repair: repairLength,
};

async function catcherSeeds(name: CatcherName): Promise<ListenerSeeds> {
  const { routes } = await catcherTable[name]();
  const seeds = routes.map(({ method, path }) =>
    request({
      method,
      path: pathOf(path),
      ...(method !== "GET" && { body: `{"IDs":["${anyId}"],"Read":true,"name":"x"}` }),
    }),
  );
  return { seeds, tokens: httpTokens, repair: repairLength };
}

/** Inputs for every listener that the service can open. */
export const listenerSeeds: { readonly [Listener in ListenerName]: ListenerSeeds } = {
  smtp,
  smtps: smtp,
  lmtp,
  imap,
  imaps: imap,
  pop3,
  pop3s: pop3,
  http,
  https: http,
  ...(Object.fromEntries(
    await Promise.all(catcherNames.map(async (name) => [name, await catcherSeeds(name)] as const)),
  ) as Record<CatcherName, ListenerSeeds>),
};

/** Sets the Content-Length of a request to the bytes behind its header section; most mutations change them. */
function repairLength(input: Buffer): Buffer {
  const end = input.indexOf("\r\n\r\n");
  if (end < 0) return input;
  const head = input
    .subarray(0, end)
    .toString("latin1")
    .replace(/^Content-Length: .*$/m, `Content-Length: ${String(input.length - end - 4)}`);
  return Buffer.concat([Buffer.from(head, "latin1"), input.subarray(end)]);
}
