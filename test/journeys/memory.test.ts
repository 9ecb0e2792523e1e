/** Resident memory of a service in a process of its own, under requests that are large or never read. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryLimits } from "../../src/core/memory-limits.ts";
import type { Summary } from "../../src/core/message.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";

const key = "a-key-for-journeys-of-memory";
const server = "memo1234";
const mebibyte = 1024 ** 2;
/** Memory that the limits are derived from. */
const memoryBytes = 1024 * mebibyte;

let dataDir: string;
let service: ServiceProcess;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-memory-"));
  const limits = Object.entries(memoryLimits(memoryBytes)).map(([name, bytes]) => {
    const words = name.replace(/Max$/, "").replaceAll(/[A-Z]/g, (capital) => `_${capital}`);
    return [`RESTANTE_LIMIT_${words.toUpperCase()}`, String(bytes)] as const;
  });
  service = await ServiceProcess.start([`--data-dir=${dataDir}`], {
    environment: { ...Object.fromEntries(limits), RESTANTE_API_KEY: key, RESTANTE_SERVERS: `${server}:Memory` },
  });
});
afterEach(async () => {
  await service.stop("SIGKILL");
  rmSync(dataDir, { recursive: true });
});

/** Returns a field of `/proc/PID/status` in MiB (proc_pid_status(5)). */
function memoryMb(field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${String(service.pid)}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1024;
}

/** Returns by how many MiB resident memory exceeds, at its peak during `action`, what it was before. */
async function growthMb(action: () => Promise<void>): Promise<number> {
  // Resets the peak to the present size (proc_pid_clear_refs(5)).
  writeFileSync(`/proc/${String(service.pid)}/clear_refs`, "5");
  const before = memoryMb("VmRSS");
  await action();
  return memoryMb("VmHWM") - before;
}

/** Sends a mail with a text of the given size in MiB until it is not deferred; returns the reply code. */
async function sendLarge(sizeMb: number): Promise<string> {
  const line = "A line of plain text, which is neither short nor very long.\r\n";
  const mail = `Subject: large\r\n\r\n${line.repeat((sizeMb * mebibyte) / line.length)}.\r\n`;
  for (;;) {
    await using dialogue = await service.greet();
    await dialogue.play(["EHLO test", "250"]);
    await dialogue.write(`MAIL FROM:<a@b.example> SIZE=${String(mail.length)}\r\n`);
    let reply = await dialogue.reply();
    if (reply.startsWith("250")) {
      await dialogue.play([`RCPT TO:<x@${server}.restante.test>`, "250"], ["DATA", "354"]);
      await dialogue.write(mail);
      reply = await dialogue.reply();
    }
    if (!reply.startsWith("4")) return reply.slice(0, 3);
  }
}

async function newestMessage(): Promise<string> {
  const response = await service.fetch(`/api/messages?server=${server}`, key);
  return ((await response.json()) as Summary[])[0]?.id ?? "";
}

/** Requests a path and reads nothing after the first bytes of the response. */
async function openStalled(path: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await once(socket, "readable");
  return socket;
}

describe.skipIf(process.platform !== "linux")("resident memory (from /proc, Linux only)", () => {
  test("stays bounded while 40 clients stall in the download of a 24 MiB mail", async () => {
    expect(await sendLarge(24)).toBe("250");
    const path = `/api/files/email/${await newestMessage()}`;
    const sockets: Socket[] = [];
    const grown = await growthMb(async () => {
      sockets.push(...(await Promise.all(Array.from({ length: 40 }, async () => openStalled(path)))));
      expect((await service.fetch("/healthz", key)).status).toBe(200);
    });
    for (const socket of sockets) socket.destroy();
    // Whole copies would be 960 MiB.
    expect(grown).toBeLessThan(200);
  });

  test("stays bounded while pages of 24 full messages of 4 MiB are read", async () => {
    for (let count = 0; count < 24; count += 1) expect(await sendLarge(4)).toBe("250");
    let messages = 0;
    const grown = await growthMb(async () => {
      let path: string | undefined = `/api/messages/search?server=${server}&full=true&itemsPerPage=100`;
      while (path !== undefined) {
        const response: Response = await service.fetch(path, key, { method: "POST", body: '{"subject":"large"}' });
        messages += ((await response.json()) as unknown[]).length;
        path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      }
    });
    expect(messages).toBe(24);
    // Whole pages would be 96 MiB, several times over while they are decompressed and encoded.
    expect(grown).toBeLessThan(200);
  });

  test("stays bounded while eight mails of 24 MiB arrive in parallel", async () => {
    let codes: readonly string[] = [];
    const grown = await growthMb(async () => {
      codes = await Promise.all(Array.from({ length: 8 }, async () => sendLarge(24)));
    });
    expect(new Set(codes)).toEqual(new Set(["250"]));
    expect(grown).toBeLessThan(450);
  });
});
