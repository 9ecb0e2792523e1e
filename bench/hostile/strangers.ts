/** Attacks that need no key, or one request, by which earlier versions of services of this kind ended or stalled. */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Attack } from "./attacks.ts";
import { ask, attackerServer, deliver } from "./setting.ts";

const megabytes = 1024 * 1024;
/** Longest time that an attack waits for a response, or keeps its connections open. */
const attackMsMax = 30_000;

/** Sends bytes over a connection of its own; resolves when it was closed, or with the end of the time. */
async function pour(port: number, bytes: Buffer | string, holdMs: number = attackMsMax): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket: Socket = connect(port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    resolve();
  });
  socket.resume();
  socket.write(bytes);
  const timer = setTimeout(() => socket.destroy(), holdMs);
  await promise;
  clearTimeout(timer);
}

function post(path: string, headers: Readonly<Record<string, string>>, body: Buffer | string): Buffer {
  const fields = { Host: "127.0.0.1", Connection: "close", "Content-Type": "application/json", ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const length = `Content-Length: ${String(Buffer.byteLength(body))}`;
  return Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\n${[...lines, length].join("\r\n")}\r\n\r\n`),
    Buffer.from(body),
  ]);
}

function repeat(count: number, attack: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, attack));
}

/** Attacks in order of execution. Each is bounded in requests, bytes and time. */
export const strangers: readonly Attack[] = [
  {
    name: "8 templates that multiply what they receive",
    run: async ({ service }) => {
      const filters = "|split:''".repeat(3);
      const mail = {
        sender: { email: "a@app.example" },
        to: [{ email: `b@${attackerServer}.restante.test` }],
        subject: "x",
        htmlContent: `{{ params.a${filters}|length }}`,
        params: { a: "x".repeat(900_000) },
      };
      const request = post("/providers/brevo/v3/smtp/email", { "api-key": "any" }, JSON.stringify(mail));
      await repeat(8, async () => pour(service.httpPort, request));
    },
  },
  {
    name: "49 MB of line feeds to an inbound route",
    run: async (setting) => {
      const route = { pattern: "*@inbound.example", shape: "mailgun", url: "http://127.0.0.1:9/inbound" };
      await ask(
        { service: setting.service, key: setting.attackerKey },
        `POST /api/servers/${attackerServer}/inbound-routes`,
        route,
      ).catch(() => undefined);
      const mail = Buffer.concat([
        Buffer.from("From: a@app.example\r\nTo: b@inbound.example\r\n\r\n"),
        Buffer.alloc(49 * megabytes, "\r\n"),
      ]);
      await deliver(setting.service, attackerServer, mail);
    },
  },
  {
    name: "24 requests that announce 70 MB and send nothing, held for 10 s",
    run: async ({ service }) => {
      const head = (path: string): string =>
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${String(70 * megabytes)}\r\n\r\n{`;
      const paths = ["/providers/sendgrid/v3/mail/send", `/api/messages?server=${attackerServer}`, "/mcp"];
      await Promise.all(
        paths.flatMap((path) => Array.from({ length: 8 }, async () => pour(service.httpPort, head(path), 10_000))),
      );
    },
  },
  {
    name: "IMAP commands of 476 kB before authentication",
    run: async ({ imapPort }) => {
      const literals = `{1}\r\na`.repeat(50_000);
      await repeat(4, async () => pour(imapPort, `a1 LOGIN ${literals}\r\na2 LOGOUT\r\n`, 10_000));
      await repeat(4, async () => pour(imapPort, `a1 LOGIN ${'"'.repeat(476_000)}\r\na2 LOGOUT\r\n`, 10_000));
    },
  },
  {
    name: "72 MB of {} as a message, and 150,000 levels",
    run: async ({ service, attackerKey }) => {
      const headers = { Authorization: `Bearer ${attackerKey}` };
      const path = `/api/messages?server=${attackerServer}`;
      const values = `{"attachments":[${"{},".repeat(24 * megabytes - 10)}{}]}`;
      await pour(service.httpPort, post(path, headers, values));
      await repeat(8, async () => pour(service.httpPort, post(path, headers, "[".repeat(150_000))));
    },
  },
  {
    name: "a mail with 40 MB of base64 by five ways",
    run: async (setting) => {
      const { service, attackerKey: key } = setting;
      const headers = { Authorization: `Bearer ${key}` };
      const content = randomBytes(30 * megabytes).toString("base64");
      const to = `x@${attackerServer}.restante.test`;
      const own = { subject: "large", text: "x", attachments: [{ fileName: "a", content }] };
      const wrapped = { ...own, attachments: [{ fileName: "a", content: content.replaceAll(/.{60}/g, "$&\n") }] };
      const provided = { to, from: "a@app.example", subject: "large", attachments: [{ filename: "a", content }] };
      await ask({ service, key }, `POST /api/messages?server=${attackerServer}`, { subject: "small", text: "x" });
      const [small] = (await ask({ service, key }, `GET /api/messages?server=${attackerServer}`)) as { id: string }[];
      const requests: readonly (readonly [string, unknown])[] = [
        [`/api/messages?server=${attackerServer}`, own],
        [`/api/messages?server=${attackerServer}`, wrapped],
        [`/api/messages?server=${attackerServer}`, { subject: "large", text: content }],
        [`/api/messages/${small?.id ?? ""}/reply`, own],
        ["/providers/resend/emails", { ...provided, text: "x" }],
      ];
      for (const [path, body] of requests) await pour(service.httpPort, post(path, headers, JSON.stringify(body)));
    },
  },
  {
    name: "five bodies of 40 MB at once",
    run: async ({ service, attackerKey }) => {
      const headers = { Authorization: `Bearer ${attackerKey}` };
      const content = randomBytes(30 * megabytes).toString("base64");
      const body = { subject: "large", text: "x", attachments: [{ fileName: "a", content }] };
      const request = post(`/api/messages?server=${attackerServer}`, headers, JSON.stringify(body));
      await repeat(5, async () => pour(service.httpPort, request));
    },
  },
  {
    name: "a mail of 49 MB, read 4 times over the API of Mailpit",
    run: async ({ service, mailpitPort }) => {
      const line = "A line of plain text that is long enough.\r\n";
      const mail = Buffer.from(
        `From: a@app.example\r\nSubject: large\r\n\r\n${line.repeat((49 * megabytes) / line.length)}`,
      );
      await deliver(service, attackerServer, mail);
      const read = (path: string) => async (): Promise<void> =>
        pour(mailpitPort, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
      await repeat(2, read("/api/v1/message/latest"));
      await repeat(2, read("/api/v1/message/latest/html-check"));
    },
  },
  {
    name: "header fields of every mail over IMAP, 4 times",
    run: async ({ service, imapPort, smtpPassword }) => {
      for (let sent = 0; sent < 1000; sent += 8) {
        await repeat(8, async () =>
          deliver(service, attackerServer, Buffer.from(`From: a@b.c\r\nSubject: ${sent}\r\n\r\nx\r\n`)),
        );
      }
      const session = [
        `a1 LOGIN ${attackerServer} ${smtpPassword}`,
        "a2 SELECT INBOX",
        "a3 FETCH 1:* (BODY.PEEK[HEADER.FIELDS (SUBJECT FROM)])",
        "a4 LOGOUT",
      ];
      await repeat(4, async () => pour(imapPort, `${session.join("\r\n")}\r\n`));
    },
  },
  {
    name: "a webhook to the service itself",
    run: async (setting) => {
      const caller = { service: setting.service, key: setting.attackerKey };
      const own = `http://127.0.0.1:${String(setting.service.httpPort)}`;
      const hook = { url: `${own}/api/messages?server=${attackerServer}` };
      await ask(caller, `POST /api/servers/${attackerServer}/webhooks`, hook).catch(() => undefined);
      await deliver(setting.service, attackerServer, Buffer.from("From: a@b.c\r\nSubject: hook\r\n\r\nx\r\n"));
      await pause(5000);
    },
  },
  {
    name: "200 connections that send a byte each second, for 15 s",
    run: async ({ service, imapPort }) => {
      const sockets = [service.smtpPort, service.httpPort, imapPort].flatMap((port) =>
        Array.from({ length: 66 }, () =>
          connect(port, "127.0.0.1")
            .on("error", () => undefined)
            .resume(),
        ),
      );
      for (let second = 0; second < 15; second += 1) {
        for (const socket of sockets) socket.write("G");
        await pause(1000);
      }
      for (const socket of sockets) socket.destroy();
    },
  },
];
