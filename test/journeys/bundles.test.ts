/** Transcripts and bundles of mail that real clients deliver. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-bundles";
const server = "bndl1234";
const password = "correct horse battery staple";

let folder: string;
let service: LocalService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-bundles-"));
  service = await LocalService.start([`--data-dir=${join(folder, "data")}`], {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Bundles`,
    RESTANTE_SMTP_AUTH: "any",
    ...(await storeSettings(folder)),
  });
  const port = service.smtpPort;
  const auth = { user: "app@sender.example", pass: password };
  const transport = createTransport({ host: "127.0.0.1", port, auth, pool: true, maxConnections: 1, ignoreTLS: true });
  const attachments = [{ filename: "../../evil.exe", content: randomBytes(2_000_000) }];
  for (const subject of ["one", "two", "../three"]) {
    await transport.sendMail({
      from: "app@sender.example",
      to: `x@${server}.restante.test`,
      subject,
      text: "Hello",
      attachments,
    });
  }
  transport.close();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function ids(): Promise<readonly string[]> {
  const list = (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as { id: string }[];
  return list.map(({ id }) => id);
}

test("the transcript of a mail of a kept connection has the sign-in without the password, and its own transaction", async () => {
  const [newest = ""] = await ids();
  const headers = { accept: "text/plain", authorization: `Bearer ${key}` };
  const text = await (await fetch(`${service.url}/api/messages/${newest}/transcript`, { headers })).text();
  expect(text).toContain("C: AUTH PLAIN [masked]");
  expect(text).toContain("S: 235 2.7.0 Authentication successful");
  expect(text).toContain("[2 earlier transactions of the session left out]");
  expect(text.match(/MAIL FROM:<app@sender.example>/g)).toHaveLength(1);
  expect(text).toMatch(/S: 250 2\.0\.0 Ok: queued as [0-9a-f-]{36}\n$/);
  for (const secret of [password, Buffer.from(`\0app@sender.example\0${password}`).toString("base64")]) {
    expect(text).not.toContain(secret);
  }
});

/** Without Python the test is reported as skipped; yauzl reads bundles in the tests of the routes. */
const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython)("Python's zipfile accepts the bundle of a server", async () => {
  const response = await service.fetch(`/api/servers/${server}/bundle`, key);
  const file = join(folder, "bundle.zip");
  writeFileSync(file, Buffer.from(await response.arrayBuffer()));
  const script = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
manifest = json.loads(archive.read("manifest.json"))
sizes = [archive.getinfo(m["folder"] + "/message.eml").file_size for m in manifest["messages"]]
print(json.dumps([manifest["isComplete"], len(sizes), min(sizes) > 2000000]))
`;
  const { stdout, stderr } = spawnSync("python3", ["-c", script, file], { encoding: "utf8" });
  expect([stderr, stdout && (JSON.parse(stdout) as unknown)]).toEqual(["", [true, 3, true]]);
});

test("a client that leaves in the middle of a bundle releases its memory, and the service goes on", async () => {
  const url = new URL(`${service.url}/api/servers/${server}/bundle`);
  for (let n = 0; n < 3; n += 1) {
    const call = request(url, { headers: { authorization: `Bearer ${key}` } }).end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    await once(response, "data");
    response.destroy();
  }
  const whole = await service.fetch(`/api/servers/${server}/bundle`, key);
  expect((await whole.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  await expect.poll(reservedBytes).toBe(0);
});

/** Returns the memory that responses have reserved. */
async function reservedBytes(): Promise<number> {
  const metrics = await (await service.fetch("/metrics", key)).text();
  return Number(/^restante_bytes_in_flight\{kind="http_responses"\} (\S+)$/m.exec(metrics)?.[1] ?? Number.NaN);
}
