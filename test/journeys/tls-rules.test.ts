/** Lowest TLS version and ciphers at every listener with TLS. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectClear, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type ConnectionOptions } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { configFrom } from "../../src/app/settings/config.ts";
import { type RunningService, startService } from "../../src/app/service.ts";
import { port } from "../../src/app/settings/forms.ts";
import { catcherNames } from "../../src/app/settings/listener-settings.ts";
import { choiceSettings, type Choices } from "../../src/app/settings/table.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-tls-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

/** Commands before a handshake, by the listeners in clear that have one; the others begin with it. */
const commands: Readonly<Record<string, string>> = {
  smtp: "EHLO a\r\nSTARTTLS\r\n",
  lmtp: "LHLO a\r\nSTARTTLS\r\n",
  pop3: "STLS\r\n",
  imap: "a STARTTLS\r\n",
};
const started = /220 .*TLS|\+OK .*TLS|a OK .*TLS/i;
/** Listeners without TLS: HTTP, and those with the APIs of other mail catchers. */
const withoutTls: ReadonlySet<string> = new Set(["http", ...catcherNames]);
/** Every setting that opens a listener. */
const portNames = Object.entries(choiceSettings).flatMap(([name, { form }]) => (form === port ? [name] : []));

async function start(choices: Partial<Choices>): Promise<RunningService> {
  const ports: Partial<Choices> = Object.fromEntries(portNames.map((name) => [name, 0]));
  const config = configFrom({ ...choices, ...ports, smtpStarttls: "always", dataDir, log: "silent" });
  return startService(config, { durable: false });
}

async function clearSocket(port: number, command: string): Promise<Socket> {
  const socket = connectClear(port, "127.0.0.1");
  let text = "";
  await new Promise<void>((resolve, reject) => {
    socket.on("error", reject);
    socket.once("data", () => socket.write(command));
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (started.test(text)) resolve();
    });
  });
  socket.removeAllListeners("data");
  return socket;
}

/** Returns protocol and cipher of a handshake; the code of its error when it fails. */
async function handshake(name: string, port: number, options: ConnectionOptions): Promise<string> {
  const command = commands[name];
  const via = command === undefined ? { port, host: "127.0.0.1" } : { socket: await clearSocket(port, command) };
  return new Promise((resolve) => {
    const socket = connect({ ...via, rejectUnauthorized: false, ...options }, () => {
      resolve(`${socket.getProtocol() ?? ""} ${socket.getCipher().name}`);
      socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

/** Returns the handshakes at every listener that has one. */
async function handshakes(
  { ports }: RunningService,
  options: ConnectionOptions,
): Promise<Readonly<Record<string, string>>> {
  const { catchers, ...own } = ports;
  const results: Record<string, string> = {};
  for (const [name, number] of Object.entries({ ...own, ...catchers })) {
    if (number !== null) results[name] = await handshake(name, number, options);
  }
  expect(
    Object.keys(results)
      .map((name) => `${name}Port`)
      .toSorted(),
  ).toEqual(portNames.toSorted());
  for (const name of withoutTls) {
    expect([name, results[name]]).toEqual([name, "ERR_SSL_WRONG_VERSION_NUMBER"]);
    delete results[name];
  }
  return results;
}

const old = { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const;

describe("every listener", () => {
  test("rejects a client of TLS 1.0 by default", async () => {
    const service = await start({});
    try {
      const results = await handshakes(service, old);
      expect(Object.values(results).filter((one) => one.startsWith("TLSv1"))).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  test("accepts a client of TLS 1.0 when the lowest version is 1.0", async () => {
    const service = await start({ tlsMinVersion: "1.0" });
    try {
      const results = await handshakes(service, old);
      for (const [name, result] of Object.entries(results))
        expect([name, result]).toEqual([name, expect.stringMatching(/^TLSv1 /)]);
    } finally {
      await service.stop();
    }
  });

  test("rejects a client of TLS 1.2 when the lowest version is 1.3", async () => {
    const service = await start({ tlsMinVersion: "1.3" });
    try {
      const results = await handshakes(service, { maxVersion: "TLSv1.2" });
      expect(Object.values(results).filter((one) => one.startsWith("TLSv1"))).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  test("offers the ciphers of the setting only", async () => {
    const cipher = "ECDHE-RSA-CHACHA20-POLY1305";
    const ecdsa = cipher.replace("RSA", "ECDSA");
    const service = await start({ tlsCiphers: `${cipher}:${ecdsa}` });
    try {
      const results = await handshakes(service, { maxVersion: "TLSv1.2" });
      for (const [name, result] of Object.entries(results)) {
        expect([name, result]).toEqual([
          name,
          expect.stringMatching(/^TLSv1.2 ECDHE-(?:RSA|ECDSA)-CHACHA20-POLY1305$/),
        ]);
      }
    } finally {
      await service.stop();
    }
  });
});
