/** Real SMTP clients that retry, against injected faults at every stage. */
import { execFile, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTransport, type Transporter } from "nodemailer";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { FaultMatch, FaultOutcome, FaultRule } from "../../src/core/fault.ts";
import { LocalService } from "../../src/testing/local-service.ts";

const run = promisify(execFile);
const key = "a-key-for-faults";
const faulty = "flty1234";
const calm = "calm1234";
const attemptCountMax = 10;

let folder: string;
let service: LocalService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-faults-"));
  service = await LocalService.start([`--data-dir=${join(folder, "data")}`, "--smtps-port=0"], {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${faulty}:Faulty,${calm}:Calm`,
    RESTANTE_SMTP_STARTTLS: "always",
  });
});
afterEach(async () => void (await service.fetch(`/api/servers/${faulty}/faults`, key, { method: "DELETE" })));
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

type ShownRule = FaultRule & { readonly seen: number; readonly hits: number };

async function setRules(items: readonly FaultRule[]): Promise<void> {
  const request = { method: "PUT", body: JSON.stringify({ items }) };
  const response = await service.fetch(`/api/servers/${faulty}/faults`, key, request);
  expect([response.status, await response.text()]).toMatchObject([200, expect.any(String)]);
}

async function rules(): Promise<readonly ShownRule[]> {
  const response = await service.fetch(`/api/servers/${faulty}/faults`, key);
  return (await response.json()) as ShownRule[];
}

interface Listed {
  readonly id: string;
  readonly subject: string;
}

async function listed(server: string): Promise<readonly Listed[]> {
  return (await (await service.fetch(`/api/messages?server=${server}&itemsPerPage=1000`, key)).json()) as Listed[];
}

async function duplicatesFrom(sender: string): Promise<readonly unknown[]> {
  const path = `/api/messages/duplicates?server=${faulty}&sentFrom=${encodeURIComponent(sender)}`;
  return (await (await service.fetch(path, key)).json()) as readonly unknown[];
}

async function faultsOf({ id }: Listed): Promise<readonly string[]> {
  const { metadata } = (await (await service.fetch(`/api/messages/${id}`, key)).json()) as {
    metadata: { faults?: { rule: string }[] };
  };
  return (metadata.faults ?? []).map(({ rule }) => rule);
}

/** Fault, how often it hits a client that retries, and how many copies of the mail arrive. */
interface Scenario {
  readonly name: string;
  readonly stage: FaultMatch["stage"];
  readonly hits: number;
  readonly then: FaultOutcome;
  readonly copies: number;
  /** Whether the fault is in the metadata of the last copy. */
  readonly isListed: boolean;
}

const refused = { copies: 1, isListed: false };
const passed = { hits: 1, copies: 1, isListed: true };
const scenarios: readonly Scenario[] = [
  { ...refused, name: "mail-451", stage: "mail", hits: 2, then: { reply: { code: 451, enhanced: "4.3.2" } } },
  { ...refused, name: "mail-drop", stage: "mail", hits: 1, then: { drop: true } },
  { ...refused, name: "rcpt-450", stage: "rcpt", hits: 2, then: { reply: { code: 450, enhanced: "4.2.1" } } },
  { ...refused, name: "data-421", stage: "data", hits: 1, then: { reply: { code: 421 } } },
  { ...refused, name: "data-drop", stage: "data", hits: 2, then: { drop: true } },
  { ...refused, name: "after-452", stage: "after-data", hits: 2, then: { reply: { code: 452, text: "Full" } } },
  { ...refused, name: "after-drop", stage: "after-data", hits: 1, then: { drop: true } },
  { ...passed, name: "delay", stage: ["rcpt", "data", "after-data"], hits: 3, then: { delayMs: 5 } },
  { ...passed, name: "throttle", stage: "data", then: { throttle: 20_000 } },
  { name: "lost", stage: "after-data", hits: 1, then: { loseReply: true }, copies: 2, isListed: false },
];

/** Address of the mail of a scenario from one kind of client, as its sender and as its recipient. */
const addressOf = (client: string, name: string): string => `${client}-${name}@${faulty}.restante.test`;

function rulesFor(client: string): readonly FaultRule[] {
  const own = scenarios.map(({ name, stage, hits, then }) => {
    // Sessions without AUTH belong to the server by the address of the client.
    const match = { stage, clientAddress: "127.0.0.1", sender: addressOf(client, name) };
    return { name, match, when: { first: hits }, then };
  });
  const greylisted = { stage: "rcpt", recipient: addressOf(client, "greylisted") } as const;
  return [...own, { name: "greylisted", match: greylisted, then: { greylist: { delayMs: 1 } } }];
}

const names = [...scenarios.map(({ name }) => name), "greylisted"];

/** Checks what arrived after a client sent the mail of every scenario with retries. */
async function checkArrivals(client: string): Promise<void> {
  const messages = await listed(faulty);
  for (const { name, hits, copies, isListed } of scenarios) {
    const own = messages.filter(({ subject }) => subject === addressOf(client, name));
    const newest = own.slice(0, 1);
    const shown = {
      name,
      copies: own.length,
      isListed: (await Promise.all(newest.map(faultsOf))).flat().includes(name),
    };
    expect(shown).toEqual({ name, copies, isListed });
    expect((await rules()).find((rule) => rule.name === name)).toMatchObject({ name, hits });
  }
  expect(messages.filter(({ subject }) => subject === addressOf(client, "greylisted")).length).toBe(1);
  // Names the mail whose reply was lost, and no other.
  const sentFrom = scenarios.map(({ name }) => duplicatesFrom(addressOf(client, name)));
  expect((await Promise.all(sentFrom)).flat()).toMatchObject([{ subject: addressOf(client, "lost"), count: 2 }]);
  expect((await rules()).at(-1)?.hits).toBeGreaterThanOrEqual(1);
}

/** Sends until it succeeds; returns the number of attempts. */
async function sendWithRetries(transport: Transporter, mail: object, countMax = attemptCountMax): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await transport.sendMail(mail);
      return attempt;
    } catch (error) {
      if (attempt === countMax) throw error;
    }
  }
}

const pool = (maxConnections: number): Transporter =>
  createTransport({ host: "127.0.0.1", port: service.smtpPort, pool: true, maxConnections, ignoreTLS: true });

describe("a client that retries", () => {
  test("gets every mail through with a pool of nodemailer", async () => {
    await setRules(rulesFor("nodemailer"));
    const transport = pool(2);
    const attempts: Record<string, number> = {};
    for (const name of names) {
      const address = addressOf("nodemailer", name);
      attempts[name] = await sendWithRetries(transport, { from: address, to: address, subject: address, text: "Hi" });
    }
    transport.close();
    await checkArrivals("nodemailer");
    for (const { name, hits, isListed, then } of scenarios) {
      const expected = isListed ? 1 : hits + 1;
      // The pool itself sends again when a connection closes before the mail.
      const isRepeated = then.drop === true || then.reply?.code === 421;
      expect([name, attempts[name]]).toEqual([name, isRepeated ? expect.any(Number) : expected]);
    }
  });

  const python = spawnSync("python3", ["-c", "import smtplib"]).status === 0;
  test.skipIf(!python)(
    `gets every mail through with Python's smtplib${python ? "" : " (SKIPPED: there is no python3 on this machine)"}`,
    async () => {
      await setRules(rulesFor("smtplib"));
      const script = `
import smtplib, sys
for address in sys.argv[2:]:
    for attempt in range(${attemptCountMax}):
        try:
            with smtplib.SMTP("127.0.0.1", int(sys.argv[1])) as session:
                session.sendmail(address, [address], "Subject: " + address + "\\r\\n\\r\\nHi\\r\\n")
            break
        except (smtplib.SMTPException, OSError):
            pass
    else:
        sys.exit(address)
`;
      const addresses = names.map((name) => addressOf("smtplib", name));
      await run("python3", ["-c", script, String(service.smtpPort), ...addresses]);
      await checkArrivals("smtplib");
    },
  );

  const exim = String(spawnSync("sh", ["-c", "command -v exim4 || command -v exim"]).stdout).trim();
  test.skipIf(exim === "")(
    `the queue of exim${exim === "" ? " (SKIPPED: there is no exim on this machine)" : ""}`,
    async () => {
      await setRules(rulesFor("exim"));
      const home = mkdtempSync(join(tmpdir(), "restante-exim-"));
      onTestFinished(() => {
        rmSync(home, { recursive: true });
      });
      chownSync(home, eximUser(), eximUser());
      const configuration = join(home, "exim.conf");
      writeFileSync(configuration, eximConfiguration({ home, program: exim, port: service.smtpPort }));
      for (const name of names) {
        const address = addressOf("exim", name);
        const args = ["-C", configuration, "-odq", "-f", address, address];
        const queued = spawnSync(exim, args, { input: `Subject: ${address}\n\nHi\n` });
        expect([queued.status, String(queued.stderr)]).toEqual([0, ""]);
      }
      const queueLength = async () => Number((await run(exim, ["-C", configuration, "-bpc"])).stdout);
      for (let round = 0; round < attemptCountMax && (await queueLength()) > 0; round += 1)
        await run(exim, ["-C", configuration, "-qff"]);
      expect(await queueLength()).toBe(0);
      await checkArrivals("exim");
    },
  );
});

/** Returns the user that exim delivers as, which must not be root: `nobody` if the test runs as root. */
function eximUser(): number {
  const user = process.getuid?.() ?? 0;
  return user === 0 ? 65_534 : user;
}

/** Returns the configuration of an exim that delivers all mail to the service, without TLS, from its queue only. */
function eximConfiguration({ home, program, port }: { home: string; program: string; port: number }): string {
  return [
    `primary_hostname = mta.example\nspool_directory = ${home}/spool\nlog_file_path = ${home}/%slog`,
    `exim_path = ${program}\nexim_user = ${eximUser()}\nexim_group = ${eximUser()}\nkeep_environment =\nqueue_only = true`,
    "begin routers\nall:\n  driver = manualroute\n  route_list = * 127.0.0.1 byname\n  self = send\n  transport = smtp",
    `begin transports\nsmtp:\n  driver = smtp\n  port = ${port}\n  hosts_avoid_tls = *`,
    "begin retry\n* * F,1h,1s\n",
  ].join("\n\n");
}

test("a session that was refused at connect and EHLO gets through later", async () => {
  const match = { clientAddress: "127.0.0.1" };
  await setRules([
    { name: "busy", match: { ...match, stage: "connect" }, when: { first: 1 }, then: { reply: { code: 421 } } },
    {
      name: "reset",
      match: { ...match, stage: "connect" },
      when: { after: 1 },
      then: { drop: true },
      until: { hits: 1 },
    },
    { name: "no EHLO", match: { ...match, stage: "ehlo" }, when: { first: 1 }, then: { drop: true } },
  ]);
  const transport = pool(1);
  const mail = { from: "a@sender.example", to: `connect@${faulty}.restante.test`, subject: "connect", text: "Hi" };
  expect(await sendWithRetries(transport, mail)).toBeGreaterThan(1);
  transport.close();
  expect((await rules()).map(({ name, hits }) => [name, hits])).toEqual([
    ["busy", 1],
    ["reset", 1],
    ["no EHLO", 1],
  ]);
});

test("late delivery holds the copy of one server, and lists the fault when it arrives", async () => {
  const match = { stage: "after-data", sender: "late@sender.example" } as const;
  await setRules([
    { name: "long", match, when: { first: 1 }, then: { deliverAfterMs: 600_000 } },
    { name: "short", match, when: { after: 1 }, then: { deliverAfterMs: 1 } },
  ]);
  const transport = pool(1);
  const to = [`late@${faulty}.restante.test`, `late@${calm}.restante.test`];
  for (const subject of ["long", "short"]) {
    await transport.sendMail({ from: match.sender, to, subject, text: "Hi" });
    expect((await listed(calm))[0]?.subject).toBe(subject);
  }
  transport.close();
  const search = { method: "POST", body: JSON.stringify({ subject: "short" }) };
  const found = await service.fetch(`/api/messages/search?server=${faulty}&timeout=30000`, key, search);
  const messages = (await found.json()) as Listed[];
  expect(await Promise.all(messages.map(faultsOf))).toEqual([["short"]]);
  expect((await listed(faulty)).map(({ subject }) => subject)).not.toContain("long");
}, 40_000);

describe("nodemailer sees failures of TLS as such", () => {
  const sendOver = (way: "STARTTLS" | "implicit TLS"): Promise<unknown> => {
    const smtpsPort = Number(service.shown("SMTPS").split(":").at(-1));
    const tls = { ca: readFileSync(service.shown("CA"), "utf8"), servername: "localhost" };
    const connection =
      way === "STARTTLS" ? { port: service.smtpPort, requireTLS: true } : { port: smtpsPort, secure: true };
    const transport = createTransport({ host: "127.0.0.1", ...connection, tls });
    const failed = (error: unknown) => (error as Error).message;
    const mail = { from: "a@sender.example", to: `tls@${calm}.restante.test`, subject: "tls", text: "Hi" };
    return transport.sendMail(mail).then(() => "sent", failed);
  };

  test.each([
    ["STARTTLS", "refuse", /STARTTLS|454/],
    ["STARTTLS", "handshake", /handshake failure/],
    ["STARTTLS", "expired", /certificate has expired/],
    ["STARTTLS", "wrong-name", /does not match certificate's altnames/],
    ["STARTTLS", "untrusted", /unable to verify the first certificate/],
    ["implicit TLS", "refuse", /disconnected|socket close|ECONNRESET|closed/i],
    ["implicit TLS", "expired", /certificate has expired/],
  ] as const)("%s: %s", async (way, failure, message) => {
    const stage = way === "STARTTLS" ? "starttls" : "connect";
    const match = { stage, clientAddress: "127.0.0.1" } as const;
    await setRules([{ name: failure, match, when: { first: 1 }, then: { tls: failure } }]);
    expect(await sendOver(way)).toMatch(message);
    expect(await sendOver(way)).toBe("sent");
    expect(await rules()).toMatchObject([{ hits: 1, seen: 2 }]);
  });
});

test("another server's mail flows untouched while every third command of one server fails", async () => {
  const stages = ["rcpt", "data", "after-data"] as const;
  const outcomes: readonly FaultOutcome[] = [{ reply: { code: 451 } }, { drop: true }, { loseReply: true }];
  await setRules(
    stages.map((stage, at) => ({ name: stage, match: { stage }, when: { every: 3 + at }, then: outcomes[at] ?? {} })),
  );
  const mailCount = 60;
  const sendAll = async (server: string): Promise<readonly number[]> => {
    const transport = pool(4);
    const mails = Array.from({ length: mailCount }, (_, number) => ({
      from: "app@sender.example",
      to: `many@${server}.restante.test`,
      subject: `many ${number}`,
      text: "Hi",
    }));
    const attempts = await Promise.all(mails.map((mail) => sendWithRetries(transport, mail, 100)));
    transport.close();
    return attempts;
  };
  const [attempts, calmAttempts] = await Promise.all([sendAll(faulty), sendAll(calm)]);
  expect(new Set(calmAttempts)).toEqual(new Set([1]));
  const arrivedAt = async (server: string) =>
    (await listed(server)).filter(({ subject }) => subject.startsWith("many"));
  const untouched = await arrivedAt(calm);
  expect(untouched.length).toBe(mailCount);
  expect((await Promise.all(untouched.slice(0, 10).map(faultsOf))).flat()).toEqual([]);
  const counted = await rules();
  const attemptCount = attempts.reduce((sum, one) => sum + one, 0);
  expect(counted.map(({ seen, hits }) => [hits, seen])).toEqual(
    counted.map(({ seen }, at) => [Math.floor(seen / (3 + at)), seen]),
  );
  expect(counted[0]?.seen).toBeGreaterThanOrEqual(attemptCount);
  // Lost replies: the mail was stored, and sent again.
  expect((await arrivedAt(faulty)).length).toBe(mailCount + (counted[2]?.hits ?? 0));
}, 60_000);
