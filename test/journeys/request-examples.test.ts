/** Sends every example request of docs/reference/http-api.md with curl, to a service that has what it names. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { readText } from "../tidy/source-files.ts";
import { blocksOf, type Block } from "../snippets/blocks.ts";

const page = "docs/reference/http-api.md";
const key = "key-of-the-examples";

/** Examples that cannot succeed against a new service, with what they are answered. */
const otherwise: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  "POST /api/messages/:id/screenshots": [400, "needs a browser, as in test/journeys/previews.test.ts"],
  "GET /api/files/screenshots/:id": [400, "needs a browser"],
  "POST /api/messages/:id/previews": [400, "needs a browser"],
  "POST /api/analysis/screenshot/:id": [400, "needs a browser and a picture"],
  "POST /api/analysis/localisation": [404, "its ids are abbreviated"],
  "DELETE /api/teams/:id/members/:user": [404, "the user is not in the team"],
  "GET /api/files/previews/:id": [400, "needs a browser"],
  "POST /api/servers/:id/deliveries/:delivery/replay": [409, "the delivery is pending"],
  "GET /api/messages/:id/scan": [404, "the scan of test/journeys/link-scanners.test.ts takes its time"],
  "POST /api/verified-addresses/:id/verify": [400, "the token is in a mail"],
};

/** The stream does not end; every journey that waits for a change reads one. */
const endless = "GET /api/events";

const mail = [
  "From: Friend <friend@example.com>",
  "Subject: Your order",
  "List-Unsubscribe: <https://app.example/u/1>",
  "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
  "Content-Type: multipart/mixed; boundary=b",
  "",
  "--b",
  "",
  "Your code is 804 219.",
  "--b",
  "Content-Type: image/png; name=logo.png",
  "",
  "PNG",
  "--b--",
  ".",
  "",
].join("\r\n");

let service: LocalService;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-requests-"));
  const outbound = ["--verified=friend@example.com,alice@corp.example", "--relay-url=smtp://127.0.0.1:9"];
  const settings = [`--data-dir=${join(folder, "data")}`, "--servers=first001:First", "--chromium=off", ...outbound];
  service = await LocalService.start(settings, { RESTANTE_API_KEY: key });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends a request and returns the JSON of its response. */
async function call<Answer = { readonly id: string }>(path: string, body?: unknown, method = "POST"): Promise<Answer> {
  const response = await service.fetch(path, key, body === undefined ? {} : { method, body: JSON.stringify(body) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${path}: ${answer}`);
  return JSON.parse(answer) as Answer;
}

async function newestId(server: string): Promise<string> {
  const [newest] = await call<{ readonly id: string }[]>(`/api/messages?server=${server}`);
  return newest?.id ?? "";
}

async function mailId(server: string): Promise<string> {
  await using dialogue = await service.greet();
  await dialogue.play(
    ["EHLO test", "250"],
    ["MAIL FROM:<friend@example.com>", "250"],
    [`RCPT TO:<anyone@${server}.restante.test>`, "250"],
    ["DATA", "354"],
    [mail, "250"],
  );
  return newestId(server);
}

const webhook = { url: "http://127.0.0.1:3000/webhooks", events: ["message.received"] };
const route = { pattern: "support@app.example", shape: "raw", url: "http://127.0.0.1:3000/inbound" };
const addUser = async (server: string): Promise<string> =>
  (await call("/api/users", { email: `${server}@corp.example`, name: "Alice" })).id;
const device = { name: "Phone", sharedSecret: "ONSWG4TFOQYTEMY=" };

/** Creates what an id in a path names, by the part of the path before it, and returns its id; a mail by default. */
const makers: Readonly<Record<string, (server: string, phone: string) => Promise<string>>> = {
  attachments: async (server) => {
    const { attachments } = await call<{ attachments: { id: string }[] }>(`/api/messages/${await mailId(server)}`);
    return attachments[0]?.id ?? "";
  },
  devices: async () => (await call("/api/devices", device)).id,
  keys: async (server) => (await call("/api/keys", { name: "CI", server })).id,
  users: addUser,
  members: addUser,
  teams: async (server) => (await call("/api/teams", { name: server })).id,
  "phone-numbers": async (server, number) => (await call("/api/phone-numbers", { number, server })).id,
  webhooks: async (server) => (await call(`/api/servers/${server}/webhooks`, webhook)).id,
  "inbound-routes": async (server) => (await call(`/api/servers/${server}/inbound-routes`, route)).id,
  deliveries: async (server) => {
    const { id } = await call(`/api/servers/${server}/webhooks`, webhook);
    return (await call(`/api/servers/${server}/webhooks/${id}/ping`, {})).id;
  },
  "verified-addresses": async (server) =>
    (await call("/api/verified-addresses", { address: `${server}@example.com` })).id,
};

/** Prepares a server for the examples of some routes. */
const preparations: readonly (readonly [
  route: RegExp,
  prepare: (server: string, phone: string) => Promise<unknown>,
])[] = [
  [
    /event-webhooks/,
    async (server) => call(`/api/servers/${server}/event-webhooks/sendgrid`, { url: webhook.url }, "PUT"),
  ],
  [/\/searches\/:name/, async (server) => call(`/api/servers/${server}/searches/Unpaid`, { q: "invoice" }, "PUT")],
  [/\/dns$/, async (server) => call(`/api/servers/${server}/dns`, { zone: 'example.com. TXT "v=spf1 -all"' }, "PUT")],
  [/^PUT .*phone-numbers/, async (server, number) => call("/api/phone-numbers", { number, server })],
  [/\/scanner$/, async (server) => call(`/api/servers/${server}/scanner`, { profile: "safelinks" }, "PUT")],
  [
    /journey/,
    async (server, number) => {
      await mailId(server);
      await call("/api/phone-numbers", { number, server });
      await call("/api/sms", { from: "MyApp", to: number, text: "Shipped" });
    },
  ],
];

/** Sends a mail through the API of SendGrid, whose webhook then reports its events. */
async function sendgridMailId(server: string): Promise<string> {
  await call(`/api/servers/${server}/event-webhooks/sendgrid`, { url: webhook.url }, "PUT");
  const personalizations = [{ to: [{ email: `anyone@${server}.restante.test` }] }];
  const content = [{ type: "text/plain", value: "Hello" }];
  const body = { personalizations, from: { email: "app@example.com" }, subject: "Hello", content };
  await service.fetch("/providers/sendgrid/v3/mail/send", key, { method: "POST", body: JSON.stringify(body) });
  return newestId(server);
}

/** Id in a path, whole or abbreviated. */
const idInPath = /(?<=\/([a-z-]+)\/)(?!abcd1234)[0-9a-f]{4}[0-9a-f-]*…?/g;

/** Returns an example with the key, the address, and a server, a phone number and ids of its own. */
async function commandOf(name: string, { code }: Block, n: number): Promise<string> {
  const { id: server } = await call("/api/servers", { name });
  const phone = `+155502${n.toString().padStart(5, "0")}`;
  for (const [routes, prepare] of preparations) if (routes.test(name)) await prepare(server, phone);
  let command = code;
  for (const [id, collection = ""] of code.matchAll(idInPath)) {
    const make = name.endsWith("/messages/:id/events") ? sendgridMailId : (makers[collection] ?? mailId);
    command = command.replace(id, await make(server, phone));
  }
  return command
    .replaceAll("KEY:", `${key}:`)
    .replaceAll("http://127.0.0.1:8025", service.url)
    .replaceAll("abcd1234", server)
    .replaceAll("+15550100", phone)
    .replace('"quiet":2000', '"quiet":1')
    .replace('{"address":"friend@', `{"address":"${server}@`);
}

/** Examples of the page with the name of their route, in order. */
const examples = readText(page)
  .split(/^### /m)
  .flatMap((section) => {
    const [, name = ""] = /^`([A-Z]+ [^`]+)`/.exec(section) ?? [];
    const shell = blocksOf(page, section).filter(({ language }) => language === "sh");
    return shell.map((block) => ({ name, block }));
  })
  .filter(({ name }) => name !== endless);

/** Runs the commands in one shell, each in a directory of its own, and returns what each wrote to standard error. */
async function run(commands: readonly string[]): Promise<readonly string[]> {
  const curl = `curl() { command curl --silent --show-error --write-out '%{stderr}status %{http_code}' "$@"; }`;
  const steps = commands.map((command, n) => `mkdir ${n}; cd ${n}\n${command}\ncd ..; printf '\\0' >&2`);
  const child = spawn("bash", ["-c", [curl, ...steps, ""].join("\n")], { cwd: folder });
  child.stdin.end();
  const [, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return errors.split("\0");
}

test("every example request succeeds, or is answered as listed", async () => {
  const commands: string[] = [];
  for (const [n, { name, block }] of examples.entries()) commands.push(await commandOf(name, block, n));
  const outcomes = await run(commands);
  const wrong = examples.flatMap(({ name }, n) => {
    const outcome = outcomes[n] ?? "";
    const expected = otherwise[name]?.[0] ?? "2\\d\\d";
    return new RegExp(`^status ${expected}$`).test(outcome) ? [] : [`${name}: ${outcome}\n${commands[n] ?? ""}`];
  });
  expect(wrong).toEqual([]);
  expect(Object.keys(otherwise).filter((name) => !examples.some((example) => example.name === name))).toEqual([]);
});
