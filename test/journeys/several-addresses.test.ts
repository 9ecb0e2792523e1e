/** Listeners on several addresses, each of which has the same ports. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect as connectClear, createServer, type AddressInfo, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { connect as connectSecure } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readRunningService } from "../../src/app/service-file.ts";
import { startService, type RunningService } from "../../src/app/service.ts";
import { configFrom } from "../../src/app/settings/config.ts";
import { port as portForm } from "../../src/app/settings/forms.ts";
import { choiceSettings, type Choices } from "../../src/app/settings/table.ts";

const key = "a-key-for-journeys";
const server = "addr1234";
const bind = ["127.0.0.1", "::1"] as const;

const hasIpv6 = Object.values(networkInterfaces()).some((found = []) => found.some(({ address }) => address === "::1"));
const skipped = hasIpv6 ? "" : " (SKIPPED: this machine has no ::1)";

/** Every setting that opens a listener: the name of its choice and its variable. */
const portSettings = Object.entries(choiceSettings)
  .filter(([, { form }]) => form === portForm)
  .map(([name, { env }]) => [env, name] as const);

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-addresses-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

/** Starts a service with every listener there is. */
async function start(changes: Partial<Choices> = {}): Promise<RunningService> {
  const all: Partial<Choices> = Object.fromEntries(portSettings.map(([, name]) => [name, 0]));
  const servers = [{ id: server, name: "Addresses" }] as unknown as Choices["servers"];
  const config = configFrom({ ...all, bind, ...changes, dataDir, servers, apiKey: key, log: "silent" });
  return startService(config, { durable: false });
}

/** Returns the ports of all listeners by their names. */
function portsOf({ ports: { catchers, ...own } }: RunningService): ReadonlyMap<string, number> {
  const open = Object.entries({ ...own, ...catchers }).filter((entry): entry is [string, number] => entry[1] !== null);
  return new Map(open);
}

/** Returns whether a listener begins with a handshake of TLS. */
const isSecure = (name: string): boolean => ["https", "smtps", "pop3s", "imaps"].includes(name);

/** Connects to a listener; verifies that its certificate is valid for the address. */
async function open(name: string, host: string, { port, caFile }: { port: number; caFile: string }): Promise<Socket> {
  const socket = isSecure(name)
    ? connectSecure({ host, port, ca: readFileSync(caFile) })
    : connectClear({ host, port });
  await once(socket, isSecure(name) ? "secureConnect" : "connect");
  return socket;
}

/** Sends lines to a listener; returns what it sends until it closes. */
async function answerOf(socket: Socket, lines: readonly string[]): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.write(lines.map((line) => `${line}\r\n`).join(""));
  await once(socket, "close");
  return text;
}

/** Last command of a connection, and the beginning of what each kind of listener then has sent. */
function goodbyeOf(name: string): readonly [lines: readonly string[], answer: RegExp] {
  if (/^(?:smtps?|lmtp)$/.test(name)) return [["QUIT"], /^220 .*\r\n221 /];
  if (/^pop3s?$/.test(name)) return [["QUIT"], /^\+OK .*\r\n\+OK/];
  if (/^imaps?$/.test(name)) return [["a LOGOUT"], /^\* OK .*\r\n\* BYE/];
  return [["GET / HTTP/1.1", "Host: localhost", "Connection: close", ""], /^HTTP\/1\.1 \d\d\d /];
}

/** Returns the number of sockets of this process that listen. */
async function listeningCount(): Promise<number> {
  // A socket counts until the event loop has closed it.
  await setImmediate();
  await setImmediate();
  return process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;
}

describe.skipIf(!hasIpv6)(`127.0.0.1 and ::1${skipped}`, () => {
  test("every listener has one port, a certificate and answers on both", async () => {
    const before = await listeningCount();
    const service = await start();
    try {
      const ports = portsOf(service);
      expect(ports.size).toBe(portSettings.length);
      expect((await listeningCount()) - before).toBe(2 * portSettings.length);
      for (const [name, port] of ports) {
        for (const host of bind) {
          const [lines, answer] = goodbyeOf(name);
          const socket = await open(name, host, { port, caFile: service.caFile ?? "" });
          expect([name, host, await answerOf(socket, lines)]).toEqual([name, host, expect.stringMatching(answer)]);
        }
      }
    } finally {
      await service.stop();
    }
    expect(await listeningCount()).toBe(before);
  });

  test("mail that comes in on one is read on the other, and the first is shown", async () => {
    const service = await start();
    try {
      const { smtp, http } = service.ports;
      const envelope = ["EHLO a", "MAIL FROM:<app@example.com>", `RCPT TO:<a@${server}.restante.test>`];
      const mail = "Subject: Over IPv6\r\n\r\nHello\r\n";
      const socket = connectClear({ host: "::1", port: smtp ?? 0 });
      const lines = [...envelope, `BDAT ${String(mail.length)} LAST`, `${mail}QUIT`];
      expect(await answerOf(socket, lines)).toMatch(/\r\n250 [^\r]*\r\n221 /);
      const headers = { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` };
      for (const host of ["127.0.0.1", "[::1]"]) {
        const response = await fetch(`http://${host}:${String(http)}/api/messages?server=${server}`, { headers });
        expect([host, await response.json()]).toEqual([host, [expect.objectContaining({ subject: "Over IPv6" })]]);
      }
      expect([service.host, service.url]).toEqual(["127.0.0.1", `http://127.0.0.1:${String(http)}`]);
      expect(readRunningService(dataDir)?.smtp).toEqual({ host: "127.0.0.1", port: smtp });
      expect(service.signInUrl).toContain(service.url);
    } finally {
      await service.stop();
    }
  });

  test.each([
    [bind, "235", 200],
    [["::1", "0.0.0.0"], "535", 401],
  ] as const)(
    "clients on %j with foreign credentials or none get %s over SMTP and %i from the API of another mail catcher",
    async (...row) => {
      const [addresses, reply, status] = row;
      const service = await start({ bind: addresses });
      try {
        const { smtp, catchers } = service.ports;
        const socket = connectClear({ host: "127.0.0.1", port: smtp ?? 0 });
        const credentials = Buffer.from("\0app\0of-a-provider").toString("base64");
        const answer = await answerOf(socket, ["EHLO a", `AUTH PLAIN ${credentials}`, "QUIT"]);
        expect(answer.split("\r\n").at(-3)).toMatch(new RegExp(`^${reply} `));
        const response = await fetch(`http://127.0.0.1:${String(catchers.mailpit)}/api/v1/messages`);
        expect([response.status, service.signInUrl === null]).toEqual([status, status === 401]);
      } finally {
        await service.stop();
      }
    },
  );

  test.each(portSettings)("%s in use on the second address refuses the start", async (env, name) => {
    const other = createServer().listen({ host: "::1", port: 0 });
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const before = await listeningCount();
    try {
      await expect(start({ [name]: port })).rejects.toThrow(
        `${env}: port ${String(port)} of ::1 is in use by another program`,
      );
      expect(await listeningCount()).toBe(before);
    } finally {
      await once(other.close(), "close");
    }
  });
});
