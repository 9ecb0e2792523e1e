import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromBuffer, type Entry, type ZipFile } from "yauzl";
import { bundleBounds, bundleServer } from "../../../operations/bundles/create-bundle.ts";
import { encodeEntry, encodeStart } from "../../../core/transcript.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

interface Manifest {
  readonly isComplete: boolean;
  readonly incomplete: string | null;
  readonly messages: readonly {
    readonly id: string;
    readonly folder: string;
    readonly files: readonly string[];
    readonly missing: readonly { readonly file: string; readonly reason: string }[];
  }[];
}

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

/** Reads an archive with strict checks of its names, and returns its files. */
async function unzip(bytes: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: true, validateEntrySizes: true }, (error, opened) => {
      if (error === null) resolve(opened);
      else reject(error);
    });
  });
  const files = new Map<string, Buffer>();
  zip.on("entry", (entry: Entry) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error !== null) throw error;
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        files.set(entry.fileName, Buffer.concat(chunks));
        zip.readEntry();
      });
    });
  });
  const ended = once(zip, "end");
  zip.readEntry();
  await ended;
  return files;
}

async function download(path: string, key?: string) {
  const reply = await api.ask(`GET ${path}`, key === undefined ? {} : { key });
  expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "application/zip"]);
  const files = await unzip(reply.rawPayload);
  const manifest = JSON.parse(String(files.get("manifest.json"))) as Manifest;
  return { files, manifest, headers: reply.headers };
}

describe("GET /api/messages/:id/bundle", () => {
  test("contains mail, message, transcript, checks and deliveries, and says what is missing", async () => {
    const raw = "From: a@b.example\r\nSubject: Your code\r\n\r\n804 219\r\n";
    const transcript = `${encodeStart(0)}${encodeEntry(3, ">", "EHLO client.example")}`;
    const id = await api.deliver(server, { raw, transcript });
    await api.context.store.annotations.putAnnotation(id, { kind: "scan", json: '{"requests":[]}' });
    const { files, manifest, headers } = await download(`/api/messages/${id}/bundle`, server.key);
    expect(headers["content-disposition"]).toBe(`attachment; filename="bundle-${id}.zip"`);
    const [message] = manifest.messages;
    const folder = message?.folder ?? "";
    expect(folder).toMatch(/^0001-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-your-code$/);
    expect(String(files.get(`${folder}/message.eml`))).toBe(raw);
    expect(JSON.parse(String(files.get(`${folder}/message.json`)))).toMatchObject({ id, subject: "Your code" });
    expect(String(files.get(`${folder}/transcript.txt`))).toContain("3 ms  C: EHLO client.example");
    expect(JSON.parse(String(files.get(`${folder}/scan.json`)))).toEqual({ requests: [] });
    expect(JSON.parse(String(files.get(`${folder}/deliveries.json`)))).toEqual({
      delivery: null,
      callbacks: [],
      hasMore: false,
    });
    expect(JSON.parse(String(files.get(`${folder}/lint.json`)))).toHaveProperty("findings");
    expect(JSON.parse(String(files.get(`${folder}/spam.json`)))).toHaveProperty("score");
    expect(files.get(`${folder}/preview.png`)?.toString("latin1", 1, 4)).toBe("PNG");
    expect(message?.missing).toEqual([]);
    expect(manifest).toMatchObject({ format: "restante-bundle", version: 1, message: id, isComplete: true });
    const listed = message?.files.map((file) => `${folder}/${file}`) ?? [];
    expect([...files.keys()].toSorted()).toEqual(["README.txt", "manifest.json", ...listed].toSorted());
  });

  test("has safe names, whatever the subject and the attachments are called", async () => {
    for (const subject of [
      "../../../etc/cron.d/x",
      "C:\\Windows\\System32\\nul",
      "con",
      "a\u202egpj.exe",
      "\u0000: *?<>|",
    ]) {
      const encoded = `=?utf-8?B?${Buffer.from(subject).toString("base64")}?=`;
      const attachment = '--b\r\nContent-Disposition: attachment; filename="../../evil.exe"\r\n\r\nx\r\n--b--\r\n';
      const head = `Subject: ${encoded}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`;
      const id = await api.deliver(server, { raw: `${head}${attachment}` });
      const { files } = await download(`/api/messages/${id}/bundle`);
      for (const name of files.keys()) expect(name).toMatch(/^(?:[0-9]{4}-[A-Za-z0-9-]+\/)?[A-Za-z]+\.[a-z]{3,4}$/);
    }
  });

  test("contains a large mail, to the byte", async () => {
    const raw = Buffer.concat([
      Buffer.from("Subject: large\r\n\r\n"),
      Buffer.from(randomBytes(600_000).toString("base64")),
    ]);
    const id = await api.deliver(server, { raw });
    const { files, manifest } = await download(`/api/messages/${id}/bundle`);
    expect(files.get(`${manifest.messages[0]?.folder ?? ""}/message.eml`)?.equals(raw)).toBe(true);
  });

  test("contains an SMS without the files of a mail", async () => {
    const body = { from: "+15550100", to: "+15550101", text: "Your code is 804219" };
    const { id } = (await api.ask("POST /api/sms", { body })).json<{ id: string }>();
    const { manifest } = await download(`/api/messages/${id}/bundle`);
    expect(manifest.messages[0]?.files).toEqual([
      "message.json",
      "transcript.txt",
      "transcript.json",
      "deliveries.json",
    ]);
  });

  test("responds 404 for a message that does not exist or belongs to another server", async () => {
    const id = await api.deliver(server);
    const other = await api.addServer();
    expect((await api.ask(`GET /api/messages/${id}/bundle`, { key: other.key })).statusCode).toBe(404);
    await api.ask(`DELETE /api/messages/${id}`);
    expect((await api.ask(`GET /api/messages/${id}/bundle`)).statusCode).toBe(404);
  });
});

describe("GET /api/messages/:id/attachments", () => {
  const attachment = (name: string, content: string, encoding = "base64"): string =>
    `--b\r\nContent-Type: text/x-test\r\nContent-Transfer-Encoding: ${encoding}\r\n` +
    `Content-Disposition: attachment; filename="${name}"\r\n\r\n${content}\r\n`;
  const mail = (...parts: readonly string[]): string =>
    `Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join("")}--b--\r\n`;

  test("contains the decoded attachments under safe, different names", async () => {
    const large = randomBytes(1_500_000);
    const raw = mail(
      attachment("a.txt", "aGVsbG8="),
      attachment("../A.txt", "=E2=82=AC", "quoted-printable"),
      attachment("large.bin", large.toString("base64")),
      attachment("a.txt", "8bit", "8bit"),
      attachment("empty", ""),
    );
    const id = await api.deliver(server, { raw });
    const reply = await api.ask(`GET /api/messages/${id}/attachments`, { key: server.key });
    expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "application/zip"]);
    expect(reply.headers["content-disposition"]).toBe(`attachment; filename="attachments-${id}.zip"`);
    const files = await unzip(reply.rawPayload);
    expect([...files.keys()]).toEqual(["a.txt", "_A.txt", "large.bin", "a (2).txt", "empty"]);
    expect(["a.txt", "_A.txt", "a (2).txt", "empty"].map((name) => String(files.get(name)))).toEqual([
      "hello",
      "€",
      "8bit",
      "",
    ]);
    expect(files.get("large.bin")?.equals(large)).toBe(true);
  });

  test("is empty without attachments, and 404 for a message of another server", async () => {
    const id = await api.deliver(server);
    expect((await unzip((await api.ask(`GET /api/messages/${id}/attachments`)).rawPayload)).size).toBe(0);
    const other = await api.addServer();
    expect((await api.ask(`GET /api/messages/${id}/attachments`, { key: other.key })).statusCode).toBe(404);
  });
});

describe("GET /api/servers/:id/bundle", () => {
  test("contains the messages since an instant, the newest first, received and sent", async () => {
    const own = await api.addServer();
    const ids = [await api.deliver(own, { subject: "one" }), await api.deliver(own, { subject: "two" })];
    const body = { to: `x@${own.id}.restante.test`, subject: "three", text: "three", send: true };
    api.clock.advance(1);
    const { id: sent } = (await api.ask(`POST /api/messages?server=${own.id}`, { body })).json<{ id: string }>();
    const { manifest } = await download(`/api/servers/${own.id}/bundle`, own.key);
    expect(manifest.messages.map(({ folder }) => folder.split("-").at(-1))).toEqual(["three", "three", "two", "one"]);
    expect(manifest.messages.map(({ id }) => id)).toEqual(expect.arrayContaining([...ids, sent]));
    expect(manifest.messages[0]?.missing.map(({ file }) => file)).toEqual(["transcript.txt", "preview.png"]);
    const first = (await api.ask(`GET /api/messages/${ids[0] ?? ""}`)).json<{ received: string }>();
    const later = await download(`/api/servers/${own.id}/bundle?since=${encodeURIComponent(first.received)}`);
    expect(later.manifest.messages.map(({ id }) => id)).not.toContain(ids[0]);
    expect(later.manifest.messages).toHaveLength(3);
    const wrong = await api.ask(`GET /api/servers/${own.id}/bundle?since=yesterday`);
    expect([wrong.statusCode, wrong.body]).toEqual([400, expect.stringContaining("invalid_date")]);
    const foreign = await api.ask(`GET /api/servers/${own.id}/bundle`, { key: server.key });
    expect(foreign.statusCode).toBe(404);
  });

  test.each([
    { changed: { countMax: 2 }, incomplete: "Only the newest 2 messages are included", count: 2 },
    { changed: { countMax: 3 }, incomplete: null, count: 3 },
    { changed: { bytesMax: 1 }, incomplete: "Messages beyond 1 bytes are not included", count: 1 },
    { changed: { msMax: 0 }, incomplete: "Messages that were not reached within 0 s are not included", count: 0 },
  ])("ends at its bounds $changed, and says so", async ({ changed, incomplete, count }) => {
    const own = await api.addServer();
    for (const subject of ["one", "two", "three"]) await api.deliver(own, { subject });
    const bounds = { ...bundleBounds, ...changed };
    const request = { server: own.id, since: null, bounds };
    const chunks: Uint8Array[] = [];
    const archive = await bundleServer(api.context, { keyId: "test", server: null }, request);
    for await (const chunk of archive) chunks.push(chunk);
    const files = await unzip(Buffer.concat(chunks));
    const manifest = JSON.parse(String(files.get("manifest.json"))) as Manifest;
    expect(manifest).toMatchObject({ isComplete: incomplete === null, incomplete });
    expect(manifest.messages).toHaveLength(count);
  });

  test("is complete without messages", async () => {
    const { manifest } = await download(`/api/servers/${(await api.addServer()).id}/bundle`);
    expect(manifest).toMatchObject({ isComplete: true, messages: [] });
  });
});
