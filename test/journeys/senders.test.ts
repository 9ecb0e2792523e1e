/** Real SMTP clients: each message is listed once its 250 arrives, and its raw bytes are the bytes sent. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { storeSettings } from "./store-under-test.ts";
import { corpus } from "../corpus/corpus.ts";

const run = promisify(execFile);
const key = "a-key-for-senders";
const server = "sndr1234";
const to = `reader@${server}.restante.test`;

let folder: string;
let service: ServiceProcess;
let caFile: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-senders-"));
  const names = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: `${server}:Senders`, RESTANTE_LOG: "warn" };
  const environment = { ...names, RESTANTE_SMTP_STARTTLS: "always" };
  service = await ServiceProcess.start([`--data-dir=${join(folder, "data")}`], {
    environment: { ...environment, ...(await storeSettings(folder)) },
  });
  caFile = service.shown("CA");
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Message with everything that transport may corrupt: dots before and after 40 KB without, long lines, 8-bit text, no final line ending. */
function awkwardMail(mark: string): Buffer {
  const lines = [
    "From: App <app@sender.example>",
    `To: ${to}`,
    `Subject: ${mark}`,
    "",
    ".",
    "..",
    ".dot",
    "x".repeat(5000),
    ...Array.from({ length: 600 }, (_, at) => `${at} ${"y".repeat(60)}`),
    ".dot",
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\nGrüße 👋\r\n`);
}

async function newest(): Promise<{ id: string; subject: string }> {
  const [message] = (await (await service.fetch(`/api/messages?server=${server}&itemsPerPage=1`, key)).json()) as {
    id: string;
    subject: string;
  }[];
  if (message === undefined) throw new Error("nothing was listed");
  return message;
}

async function rawOfNewest(): Promise<Buffer> {
  const { id } = await newest();
  return Buffer.from(await (await service.fetch(`/api/files/email/${id}`, key)).arrayBuffer());
}

const isThere = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0;

describe("nodemailer", () => {
  const envelope = { from: "app@sender.example", to };
  const connection = (more: object) => ({ host: "127.0.0.1", port: service.smtpPort, ...more });

  test("one connection per message, unencrypted", async () => {
    const raw = awkwardMail("nodemailer clear");
    const transport = createTransport(connection({ ignoreTLS: true }));
    await transport.sendMail({ envelope, raw });
    expect(await rawOfNewest()).toEqual(raw);
  });

  test("one connection per message, over STARTTLS with a trusted certificate", async () => {
    const raw = awkwardMail("nodemailer starttls");
    const tls = { ca: readFileSync(caFile, "utf8"), servername: "localhost" };
    await createTransport(connection({ requireTLS: true, tls })).sendMail({ envelope, raw });
    expect(await rawOfNewest()).toEqual(raw);
  });

  test("logs a rejected certificate in one line with a remedy", async () => {
    const send = createTransport(connection({})).sendMail({ envelope, raw: awkwardMail("untrusted") });
    await expect(send).rejects.toThrow(/certificate/);
    const line = await service.logged(/"TLS handshake failed"/);
    expect(JSON.parse(line)).toMatchObject({
      level: "warn",
      listener: "smtp",
      hint: expect.stringContaining(caFile) as unknown,
    });
  });

  test("a persistent connection, with each message listed as soon as it is accepted", async () => {
    const transport = createTransport(connection({ pool: true, maxConnections: 1, ignoreTLS: true }));
    for (let number = 0; number < 20; number += 1) {
      await transport.sendMail({ envelope, subject: `kept ${String(number)}`, text: "x", from: envelope.from });
      expect((await newest()).subject).toBe(`kept ${String(number)}`);
    }
    transport.close();
  });

  test("the whole corpus, byte for byte as far as SMTP can transport it", async () => {
    const transport = createTransport(connection({ pool: true, maxConnections: 1, ignoreTLS: true }));
    for (const { name, raw } of corpus) {
      // A message ends in CRLF on the wire, and this sender turns every bare CR and LF into CRLF.
      const wire = Buffer.from(raw.toString("latin1").replaceAll(/\r\n|\r|\n/g, "\r\n"), "latin1");
      await transport.sendMail({ envelope, raw: wire });
      const kept = await rawOfNewest();
      expect([name, kept.subarray(0, wire.length).equals(wire)]).toEqual([name, true]);
      expect(["", "\r\n"]).toContain(kept.subarray(wire.length).toString("latin1"));
    }
    transport.close();
  });
});

const python = isThere("python3", "-c", "import smtplib");
describe.skipIf(!python)(`Python's smtplib${python ? "" : " (SKIPPED: there is no python3 on this machine)"}`, () => {
  const script = `
import smtplib, ssl, sys
port, ca, file, to, way = sys.argv[1:6]
with smtplib.SMTP("127.0.0.1", int(port)) as session:
    if way == "starttls":
        context = ssl.create_default_context(cafile=ca)
        context.check_hostname = False
        session.starttls(context=context)
    for _ in range(2):
        session.sendmail("app@sender.example", [to], open(file, "rb").read(), ["BODY=8BITMIME"])
`;

  test.each(["clear", "starttls"])("%s", async (way) => {
    const raw = awkwardMail(`smtplib ${way}`);
    const file = join(folder, `smtplib-${way}.eml`);
    writeFileSync(file, raw);
    await run("python3", ["-c", script, String(service.smtpPort), caFile, file, to, way]);
    expect(await rawOfNewest()).toEqual(raw);
  });

  test("bytes whose lines end with LF, as those of a message without a policy", async () => {
    const raw = Buffer.from(awkwardMail("smtplib LF").toString("latin1").replaceAll("\r\n", "\n"), "latin1");
    const file = join(folder, "smtplib-lf.eml");
    writeFileSync(file, raw);
    await run("python3", ["-c", script, String(service.smtpPort), caFile, file, to, "clear"]);
    expect(await rawOfNewest()).toEqual(Buffer.concat([raw, Buffer.from("\r\n")]));
  });
});

const curl = isThere("curl", "--version");
describe.skipIf(!curl)(`curl${curl ? "" : " (SKIPPED: there is no curl on this machine)"}`, () => {
  test.each([
    ["clear", []],
    ["starttls", ["--ssl-reqd"]],
  ])("%s", async (way, more) => {
    const raw = awkwardMail(`curl ${way}`);
    const file = join(folder, `curl-${way}.eml`);
    writeFileSync(file, raw);
    const url = `smtp://localhost:${String(service.smtpPort)}/client.example`;
    const from = ["--mail-from", "app@sender.example", "--mail-rcpt", to];
    await run("curl", ["-sS", "-4", "--cacert", caFile, ...more, url, ...from, "-T", file]);
    expect(await rawOfNewest()).toEqual(raw);
  });
});

const swaks = isThere("swaks", "--version");
describe.skipIf(!swaks)(`swaks${swaks ? "" : " (SKIPPED: there is no swaks on this machine)"}`, () => {
  test.each([
    ["clear", []],
    ["starttls", ["--tls"]],
  ])("%s", async (way, more) => {
    const at = ["--server", "127.0.0.1", "--port", String(service.smtpPort), ...more];
    await run("swaks", [...at, "--from", "app@sender.example", "--to", to, "--header", `Subject: swaks ${way}`]);
    expect((await newest()).subject).toBe(`swaks ${way}`);
  });
});
