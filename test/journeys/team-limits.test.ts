/** Limits of a team in every way by which messages reach its servers. Code that stores messages in a new way needs a row. */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noTeamLimits, type TeamLimits } from "../../src/core/team-limits.ts";
import { writeForm } from "../../src/providers/formats/form.ts";
import { signTwilioRequest } from "../../src/providers/twilio/message.ts";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { runLocally } from "./local-command.ts";

const key = "key-of-the-whole-account-1";
const server = "limi1234";
const inbox = `x@${server}.restante.test`;
const [number, phone] = ["+15550100", "+447700900123"];
const raw = "From: x@limi1234.restante.test\r\nSubject: Limited\r\n\r\nHello\r\n";

let folder: string;
let service: LocalService;
let serverKey: string;
let team: string;
let mail: string;
let sms: string;

async function ask(path: string, body: unknown, request: RequestInit = {}): Promise<Response> {
  return service.fetch(path, key, { method: "POST", body: JSON.stringify(body), ...request });
}

async function askForm(path: string, form: readonly (readonly [string, string])[], headers: Record<string, string>) {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return fetch(service.url + path, { method: "POST", body: writeForm(form), headers: { ...type, ...headers } });
}

async function askCatcher(name: "mailpit" | "smtp4dev", path: string, request: RequestInit): Promise<Response> {
  return fetch(`http://127.0.0.1:${String(service.ports.catchers[name])}${path}`, request);
}

const basic = (user: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${serverKey}`).toString("base64")}`,
});

async function imap(...commands: readonly string[]): Promise<void> {
  await using client = await LineClient.open(service.ports.imap ?? 0);
  await client.line();
  for (const command of [`LOGIN ${server} ${serverKey}`, ...commands]) {
    client.send(`a ${command}\r\n`);
    while ((await client.line())?.startsWith("a ") === false);
  }
}

async function callTool(name: string, args: object): Promise<void> {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const headers = { authorization: `Bearer ${key}`, accept: "application/json, text/event-stream" };
  const json = { "content-type": "application/json" };
  await (
    await fetch(`${service.url}/mcp`, { method: "POST", body: JSON.stringify(call), headers: { ...headers, ...json } })
  ).text();
}

type Way = () => Promise<unknown>;
const sendgrid =
  (more: object = {}): Way =>
  async () =>
    ask("/providers/sendgrid/v3/mail/send", {
      personalizations: [{ to: [{ email: inbox }] }],
      from: { email: "a@b.example" },
      subject: "Limited",
      content: [{ type: "text/plain", value: "x" }],
      ...more,
    });

/** Ways by the file that calls an operation that stores messages. */
const ways: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  "src/app/assemble.ts": { SMTP: async () => service.send(inbox, "Limited") },
  "src/app/background/mail-loops.ts": {
    "a scheduled mail": async () => sendgrid({ send_at: Math.ceil(Date.now() / 1000) + 1 })(),
  },
  "src/catchers/mailpit/send.ts": {
    "the API of Mailpit": async () => {
      const body = JSON.stringify({ From: { Email: "a@b.example" }, To: [{ Email: inbox }], Text: "x" });
      return askCatcher("mailpit", "/api/v1/send", { method: "POST", body });
    },
  },
  "src/catchers/smtp4dev/messages.ts": {
    "the API of smtp4dev": async () => askCatcher("smtp4dev", "/api/messages", { method: "PUT", body: raw }),
  },
  "src/http/routes/providers/provider-routes.ts": {
    "an inbound SMS": async () => {
      const form = Object.entries({ MessageSid: `SM${Math.random()}`, From: phone, To: number, Body: "x" });
      const signature = signTwilioRequest({ url: `${service.url}/api/sms/twilio`, form }, "secret");
      return askForm("/api/sms/twilio", form, { "x-twilio-signature": signature });
    },
  },
  "src/http/routes/sms/sms-routes.ts": {
    "POST /api/sms": async () => ask("/api/sms", { from: phone, to: number, text: "x" }),
  },
  "src/operations/mailboxes/mailboxes.ts": {
    "IMAP APPEND": async () => imap(`APPEND INBOX {${raw.length}+}\r\n${raw}`),
    "IMAP COPY": async () => imap("SELECT INBOX", "COPY 1 INBOX"),
  },
  "src/operations/messages/create-email.ts": {
    "POST /api/messages": async () => ask(`/api/messages?server=${server}`, { to: inbox, text: "x" }),
    "a sent mail": async () => ask(`/api/messages?server=${server}`, { to: inbox, text: "x", send: true }),
    "a tool of MCP": async () => callTool("send", { server, to: inbox, subject: "Limited", text: "x" }),
  },
  "src/operations/messages/reply-to-message.ts": {
    "a reply": async () => ask(`/api/messages/${mail}/reply`, { text: "x" }),
    "a forward": async () => ask(`/api/messages/${mail}/forward`, { to: inbox }),
    "a reply by SMS": async () => ask(`/api/messages/${sms}/reply`, { text: "YES" }),
  },
  "src/operations/messages/simulate-replies.ts": {
    "a bounce": async () => ask(`/api/messages/${mail}/bounce`, {}),
  },
  "src/operations/providers/provider-mailbox.ts": {
    "a mail that Gmail imports": async () => {
      const body = JSON.stringify({ raw: Buffer.from(raw).toString("base64url") });
      return service.fetch("/providers/gmail/gmail/v1/users/me/messages/import", serverKey, { method: "POST", body });
    },
  },
  "src/operations/providers/provider-session.ts": {
    "a mail by SendGrid": sendgrid(),
    "an SMS by Twilio": async () =>
      askForm(
        "/2010-04-01/Accounts/AC1/Messages.json",
        Object.entries({ From: "App", To: number, Body: "x" }),
        basic("AC1"),
      ),
  },
};

/** Files of which only other functions are used. */
const notStoring = ["src/operations/providers/list-sms.ts"];

/** Returns the values that a file imports, by the file that they come from. */
function* importsOf(file: string): Generator<readonly [names: readonly string[], from: string]> {
  const text = readFileSync(file, "utf8");
  for (const [, names = "", path = ""] of text.matchAll(/^import (?!type)\{([^}]*)\} from "(\.[^"]+)"/gm)) {
    const values = names.split(",").map((name) => name.trim());
    yield [values.filter((name) => name !== "" && !name.startsWith("type ")), normalize(join(file, "..", path))];
  }
}

/** Returns the files that use operations which store or hold messages. */
function findCallers(): readonly string[] {
  const files = globSync("src/**/*.ts").filter((file) => !/\.test|^src\/(?:testing|store)\//.test(file));
  const ends = files.filter((file) =>
    [...importsOf(file)].some(([names]) => names.includes("storeMessages") || names.includes("holdMessage")),
  );
  const callers = files.filter((file) =>
    [...importsOf(file)].some(([names, from]) => names.length > 0 && ends.includes(from)),
  );
  return callers.filter((file) => !ends.includes(file) && !notStoring.includes(file)).toSorted();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-limited-"));
  const ports = ["imap", "mailpit", "smtp4dev"].map((name) => `--${name}-port=0`);
  service = await LocalService.start([`--data-dir=${folder}`, ...ports], {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Limited`,
    RESTANTE_PEER_SERVER: server,
  });
  serverKey = ((await (await ask("/api/keys", { server })).json()) as { readonly key: string }).key;
  team = ((await (await ask("/api/teams", { name: "Limited" })).json()) as { readonly id: string }).id;
  await ask(`/api/servers/${server}`, { team }, { method: "PUT" });
  const own = { number, provider: "twilio", server, secret: "secret", webhook: "http://127.0.0.1:9/sms" };
  await ask("/api/phone-numbers", own);
  await limit({});
  await using dialogue = await service.greet();
  // From an address of the server, so that replies to it reach the server.
  await dialogue.play(
    ["EHLO test", "250"],
    [`MAIL FROM:<${inbox}>`, "250"],
    [`RCPT TO:<${inbox}>`, "250"],
    ["DATA", "354"],
    [`${raw}.\r\n`, "250"],
  );
  sms = (
    (await (await ask("/api/sms", { from: phone, to: number, text: "Reply YES" })).json()) as { readonly id: string }
  ).id;
  const found = await service.fetch(`/api/messages?server=${server}`, key);
  mail =
    ((await found.json()) as readonly { readonly id: string; readonly type?: string }[]).find(({ id }) => id !== sms)
      ?.id ?? "";
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Sets limits; the team always has one, so that its mail is counted. */
async function limit(limits: Partial<TeamLimits>): Promise<void> {
  await ask(`/api/teams/${team}/limits`, { ...noTeamLimits, bytesMax: 1e12, ...limits }, { method: "PUT" });
}

async function countMessages(): Promise<number> {
  const { usage } = (await (await service.fetch(`/api/servers/${server}`, key)).json()) as {
    readonly usage: { readonly messages: number };
  };
  return usage.messages;
}

/** Returns the numbers of refusals by limit. */
async function countRefusals(): Promise<Readonly<Record<string, number>>> {
  const metrics = await (await service.fetch("/metrics", key)).text();
  const rows = metrics.matchAll(/^restante_quota_refusals_total\{kind="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...rows].map(([, kind = "", count]) => [kind, Number(count)]));
}

/** Uses a way; resolves with `stored`, or with the limit that has refused the message. */
async function use(way: Way): Promise<string> {
  const [stored, refused] = [await countMessages(), await countRefusals()];
  await way().catch(() => undefined);
  let outcome: string | undefined;
  await expect
    .poll(async () => {
      const now = Object.entries(await countRefusals());
      outcome = now.find(([kind, count]) => count > (refused[kind] ?? 0))?.[0];
      if ((await countMessages()) > stored) outcome = "stored";
      return outcome;
    })
    .toBeDefined();
  return outcome ?? "";
}

test("has a row for every caller of an operation that stores messages", () => {
  expect(findCallers()).toEqual(Object.keys(ways));
});

describe.each(Object.values(ways).flatMap((own) => Object.entries(own)))("%s", (_name, way) => {
  test("stores nothing beyond the quota and the daily limit of the team, which count the refusal", async () => {
    await limit({ messagesMax: 1 });
    expect(await use(way)).toBe("server");
    await limit({ emailsPerDayMax: 1, smsPerDayMax: 1 });
    expect(await use(way)).toMatch(/^team_(?:email|sms)$/);
    await limit({});
    expect(await use(way)).toBe("stored");
  });
});

test("an import stops at the quota of the team, names the mail, and stores it with --ignore-quotas", async () => {
  await limit({ messagesMax: 1, emailsPerDayMax: 1 });
  const before = await countMessages();
  await service.stop();
  const file = join(folder, "one.eml");
  writeFileSync(file, raw);
  const flags = ["import", file, "--server", server, "--data-dir", folder, "--quiet"];
  const refused = await runLocally(flags);
  expect(refused.code).not.toBe(0);
  expect(refused.error).toContain(
    `${file}: The team of server ${server} is over its quota of 1 messages: it holds ${before}`,
  );
  expect(refused.error).toContain("--ignore-quotas");
  expect(await runLocally([...flags, "--ignore-quotas"])).toMatchObject({ code: 0 });
});
