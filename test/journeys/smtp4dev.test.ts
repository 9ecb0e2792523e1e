/** The API of smtp4dev: requests as its documentation and its own web UI send them, and its hub in the protocol of SignalR. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { LocalService } from "../../src/testing/local-service.ts";

const dataDir = mkdtempSync(join(tmpdir(), "restante-smtp4dev-"));
const pdf = Buffer.from("%PDF-1.4 not really", "latin1");
const ada = "ada@abcd1234.restante.test";
let service: LocalService;
let base: string;

beforeAll(async () => {
  service = await LocalService.start(["--smtp4dev-port=0"], {
    RESTANTE_API_KEY: "key-of-the-whole-account-1",
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: "abcd1234:Shop,wxyz9876:Other",
  });
  base = service.shown("smtp4dev");
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
  await call("DELETE", "/api/Messages/*");
});

async function sendMail(mail: SendMailOptions): Promise<void> {
  const transport = createTransport({
    host: "127.0.0.1",
    port: service.smtpPort,
    ignoreTLS: true,
  });
  await transport.sendMail(mail);
  transport.close();
}

async function sendOrder(subject = "Grüße"): Promise<void> {
  await sendMail({
    envelope: {
      from: "bounces@shop.test",
      to: [ada, "hidden@abcd1234.restante.test"],
    },
    from: '"The Shop" <shop@shop.test>',
    to: `"Ada" <${ada}>`,
    subject,
    text: "Your receipt, Ada: ✓",
    html: '<p>Your <b>receipt</b> <img src="cid:logo@shop"></p>',
    attachments: [
      { filename: "receipt.pdf", content: pdf, contentType: "application/pdf" },
      {
        filename: "logo.png",
        content: pdf,
        contentType: "image/png",
        cid: "logo@shop",
      },
    ],
  });
}

async function call(method: string, path: string, body?: unknown): Promise<Response> {
  return await fetch(base + path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function read(path: string): Promise<unknown> {
  const response = await call("GET", path);
  expect(response.status).toBe(200);
  return await response.json();
}

async function text(path: string): Promise<string> {
  const response = await call("GET", path);
  expect([path, response.status]).toEqual([path, 200]);
  return await response.text();
}

interface Page {
  readonly rowCount: number;
  readonly results: readonly {
    readonly id: string;
    readonly subject: string;
    readonly isUnread: boolean;
  }[];
}

async function list(query = ""): Promise<Page> {
  return (await read(`/api/Messages?${query}`)) as Page;
}

async function newestId(): Promise<string> {
  return (await list()).results[0]?.id ?? "";
}

const subjectsOf = async (query: string): Promise<readonly string[]> =>
  (await list(query)).results.map(({ subject }) => subject);

interface Part {
  readonly id: string;
  readonly name: string;
  readonly isAttachment: boolean;
  readonly attachments: readonly {
    readonly fileName: string;
    readonly url: string;
  }[];
  readonly childParts: readonly Part[];
}

const flatten = (parts: readonly Part[]): readonly Part[] =>
  parts.flatMap((part) => [part, ...flatten(part.childParts)]);

test("lists a page of messages, newest first, in any case of the path", async () => {
  await sendOrder("first");
  await sendOrder("second");
  await service.send("x@wxyz9876.restante.test", "of another server");
  expect(await read("/api/messages?pageSize=1")).toEqual({
    currentPage: 1,
    pageCount: 2,
    pageSize: 1,
    rowCount: 2,
    firstRowOnPage: 1,
    lastRowOnPage: 1,
    results: [
      {
        isRelayed: false,
        deliveredTo: `${ada}, hidden@abcd1234.restante.test`,
        id: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
        from: "bounces@shop.test",
        to: [ada, "hidden@abcd1234.restante.test"],
        receivedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as unknown,
        subject: "second",
        attachmentCount: 2,
        isUnread: true,
        hasWarnings: false,
      },
    ],
  });
  expect(await subjectsOf("page=2&pageSize=1")).toEqual(["first"]);
  expect(await subjectsOf("page=3&pageSize=1")).toEqual([]);
  expect(await subjectsOf("pageSize=2147483647&folderName=INBOX&mailboxName=Default")).toEqual(["second", "first"]);
  expect(await subjectsOf("mailboxName=Sales")).toEqual([]);
  expect(await subjectsOf("folderName=Sent")).toEqual([]);
});

test("sorts and searches lists", async () => {
  for (const subject of ["b", "c", "a"]) await sendOrder(subject);
  expect(await subjectsOf("sortColumn=receivedDate&sortIsDescending=false&pageSize=2")).toEqual(["b", "c"]);
  expect(await subjectsOf("sortColumn=receivedDate&sortIsDescending=false&pageSize=2&page=2")).toEqual(["a"]);
  expect(await subjectsOf("sortColumn=subject&sortIsDescending=true")).toEqual(["c", "b", "a"]);
  expect(await subjectsOf("sortColumn=Subject&sortIsDescending=false&pageSize=1&page=2")).toEqual(["b"]);
  await sendMail({
    from: "x@shop.test",
    to: ada,
    subject: "Another",
    text: "needle",
  });
  for (const term of ["NEEDLE", "another", "x@shop.test"]) {
    expect(await list(`searchTerms=${term}`)).toMatchObject({
      rowCount: 1,
      results: [{ subject: "Another" }],
    });
  }
  expect(await list("searchTerms=receipt.pdf")).toMatchObject({ rowCount: 3 });
  expect(await list("searchTerms=nowhere")).toMatchObject({
    rowCount: 0,
    results: [],
  });
  for (const query of ["sortColumn=constructor", "page=0", "pageSize=x", `searchTerms=${"x".repeat(2000)}`]) {
    const response = await call("GET", `/api/Messages?${query}`);
    expect([query, response.status]).toEqual([query, 400]);
    expect(response.headers.get("content-type")).toContain("application/problem+json");
  }
});

test("lists what is newer than a message", async () => {
  await sendOrder("first");
  const id = await newestId();
  await sendOrder("second");
  expect(await read(`/api/Messages/new?lastSeenMessageId=${id}`)).toMatchObject([{ subject: "second" }]);
  expect(await read("/api/Messages/new?pageSize=5")).toMatchObject([{ subject: "second" }, { subject: "first" }]);
});

test("reads a message, its bodies and its parts", async () => {
  await sendOrder();
  const id = await newestId();
  const path = `/api/Messages/${id}`;
  const message = (await read(path)) as { readonly parts: readonly Part[] };
  expect(message).toMatchObject({
    id,
    hasHtmlBody: true,
    hasPlainTextBody: true,
    from: '"The Shop" <shop@shop.test>',
    to: [`"Ada" <${ada}>`],
    cc: [],
    bcc: ["hidden@abcd1234.restante.test"],
    deliveredTo: [ada, "hidden@abcd1234.restante.test"],
    secureConnection: false,
    subject: "Grüße",
    headers: expect.arrayContaining([{ name: "Subject", value: "Grüße" }]) as unknown,
    mimeParseError: null,
    warnings: [],
  });
  const parts = flatten(message.parts);
  expect(parts.map((part) => part.id)).toEqual(parts.map((_, index) => String(index)));
  const attachments = parts.flatMap((part) => part.attachments);
  expect(attachments.map(({ fileName }) => fileName)).toEqual(["receipt.pdf"]);
  const file = await call("GET", `/${attachments[0]?.url}`);
  expect(file.headers.get("content-type")).toBe("application/pdf");
  expect(file.headers.get("content-disposition")).toBe('attachment; filename="receipt.pdf"');
  expect(Buffer.from(await file.arrayBuffer())).toEqual(pdf);

  const html = await text(`${path}/html`);
  const [, image = ""] = /src="([^"]+)"/.exec(html) ?? [];
  expect(image).toContain(`api/Messages/${id}/part/`);
  expect(Buffer.from(await (await call("GET", `/${image}`)).arrayBuffer())).toEqual(pdf);
  expect(await text(`${path}/source`)).toContain("cid:logo@shop");
  expect(await text(`${path}/plaintext`)).toContain("Your receipt, Ada: ✓");
  expect(await text(`${path}/raw`)).toContain("Subject: =?UTF-8?");
  const download = await call("GET", `${path}/download`);
  expect(download.headers.get("content-type")).toBe("message/rfc822");
  expect(download.headers.get("content-disposition")).toBe(`attachment; filename="${id}.eml"`);
  expect(await download.text()).toBe(await text(`${path}/raw`));

  const plain = parts.find(({ name }) => name.endsWith("text/plain"))?.id;
  expect(await text(`${path}/part/${plain}/source`)).toBe("Your receipt, Ada: ✓");
  expect(await text(`${path}/part/${plain}/raw`)).toMatch(/^Content-Type: text\/plain/);
  expect(await text(`${path}/part/0/source`)).toMatch(/^[^]*Content-Type: multipart/);
  expect(await list()).toMatchObject({ results: [{ isUnread: true }] });
});

test("decodes charsets, and numbers the parts of a mail in a part", async () => {
  const inner = "Subject: inner\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\ncaf\xe9";
  const boundary = "--b\r\nContent-Type: message/rfc822\r\n\r\n";
  const head = `From: x@shop.test\r\nTo: ${ada}\r\nSubject: outer\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n`;
  const raw = Buffer.from(`${head}${boundary}${inner}\r\n--b--\r\n`, "latin1");
  await sendMail({ envelope: { from: "x@shop.test", to: [ada] }, raw });
  const id = await newestId();
  const { parts } = (await read(`/api/Messages/${id}`)) as {
    readonly parts: readonly Part[];
  };
  expect(flatten(parts)).toMatchObject([
    {
      id: "0",
      name: "0 - multipart/mixed",
      headers: [{ name: "Content-Type" }],
    },
    { id: "1", name: "1 - message/rfc822" },
    {
      id: "2",
      name: "2 - text/plain",
      headers: [{ name: "Content-Type", value: "text/plain; charset=iso-8859-1" }],
    },
  ]);
  expect(await text(`/api/Messages/${id}/part/2/source`)).toBe("café");
  const quoted = await fetch(`${base}/api/Messages/${id}/part/2/source`, {
    headers: { accept: "application/json" },
  });
  expect(await quoted.json()).toBe("café");
});

test("responds 404 for bodies and parts that a message does not have", async () => {
  await sendMail({ from: "x@shop.test", to: ada, subject: "text only", text: "text" });
  const id = await newestId();
  for (const path of ["html", "part/1/content", "part/x/source", "part/7/raw"]) {
    expect([path, (await call("GET", `/api/Messages/${id}/${path}`)).status]).toEqual([path, 404]);
  }
  expect(await text(`/api/Messages/${id}/source`)).toBe("text\n");
  expect(await read(`/api/Messages/${id}`)).toMatchObject({ hasHtmlBody: false, hasPlainTextBody: true });
});

test("imports a mail", async () => {
  const raw = "From: x@shop.test\r\nTo: anyone@elsewhere.test\r\nSubject: imported\r\n\r\ntext\r\n";
  const put = async (body: string, query = ""): Promise<Response> =>
    await fetch(`${base}/api/Messages${query}`, { method: "PUT", headers: { "content-type": "message/rfc822" }, body });
  const id = (await (await put(raw)).json()) as string;
  expect(await list()).toMatchObject({ results: [{ id, subject: "imported", to: ["anyone@elsewhere.test"] }] });
  expect(await text(`/api/Messages/${id}/raw`)).toBe(raw);
  expect([(await put("")).status, (await put(raw, "?mailboxName=Sales")).status]).toEqual([400, 400]);
});

test("marks, deletes and relays messages", async () => {
  for (const subject of ["first", "second", "third"]) await sendOrder(subject);
  const [third, second] = (await list()).results;
  expect((await call("POST", `/api/Messages/${third?.id}/markRead`)).status).toBe(200);
  expect((await list()).results.map(({ isUnread }) => isUnread)).toEqual([false, true, true]);
  await call("POST", "/api/Messages/markAllRead?mailboxName=Sales");
  expect((await list()).results.filter(({ isUnread }) => isUnread)).toHaveLength(2);
  await call("POST", "/api/Messages/markAllRead");
  expect((await list()).results.filter(({ isUnread }) => isUnread)).toEqual([]);
  expect((await call("DELETE", `/api/Messages/${second?.id}`)).status).toBe(200);
  expect((await call("GET", `/api/Messages/${second?.id}`)).status).toBe(404);
  await call("DELETE", "/api/Messages/*?mailboxName=Sales");
  expect(await list()).toMatchObject({ rowCount: 2 });
  const relay = async (body: unknown): Promise<number> =>
    (await call("POST", `/api/Messages/${third?.id}/relay`, body)).status;
  expect(await relay({ overrideRecipientAddresses: ["x@y.test"] })).toBe(400);
  expect(
    await relay({
      overrideRecipientAddresses: ["copy@abcd1234.restante.test"],
    }),
  ).toBe(200);
  await expect.poll(async () => (await list()).rowCount).toBe(3);
  expect(await relay({})).toBe(200);
  await expect.poll(async () => (await list()).rowCount).toBeGreaterThan(3);
});

test("describes the server, its mailbox and its version", async () => {
  expect(await read("/api/Mailboxes")).toMatchObject([{ name: "Default" }]);
  expect(await read("/api/Messages/folders")).toEqual(["INBOX"]);
  expect(await read("/api/Server")).toMatchObject({
    isRunning: true,
    settingsAreEditable: false,
  });
  expect(await read("/api/Version")).toMatchObject({
    infoVersion: expect.stringMatching(/^restante /) as unknown,
  });
  expect((await fetch(`${base}/`, { redirect: "manual" })).status).toBe(302);
});

test("names endpoints that are not here", async () => {
  for (const [method, path, status] of [
    ["GET", "/api/Sessions", 404],
    ["POST", "/api/Messages/send", 405],
    ["POST", "/api/Messages/x/reply", 404],
    ["POST", "/api/Server", 405],
    ["GET", "/hubs/notifications", 404],
  ] as const) {
    const response = await call(method, path);
    expect([path, response.status]).toEqual([path, status]);
    expect(await response.text()).toContain("restante does not have");
  }
  expect((await call("GET", "/api/Messages/nonsense")).status).toBe(404);
});

test("notifies the hub of every change", async () => {
  const negotiated = await call("POST", "/hubs/notifications/negotiate?negotiateVersion=1");
  const { connectionToken, availableTransports } = (await negotiated.json()) as {
    readonly connectionToken: string;
    readonly availableTransports: unknown;
  };
  expect(availableTransports).toEqual([{ transport: "WebSockets", transferFormats: ["Text"] }]);
  const socket = new WebSocket(`${base.replace("http", "ws")}/hubs/notifications?id=${connectionToken}`);
  const received: string[] = [];
  socket.on("message", (data: Buffer) => received.push(data.toString()));
  await once(socket, "open");
  socket.send('{"protocol":"json","version":1}\u001e');
  await expect.poll(() => received).toEqual(["{}\u001e"]);
  const invocation = '{"type":1,"target":"messageschanged","arguments":["Default"]}\u001e';
  await service.send("x@wxyz9876.restante.test", "of another server");
  await sendOrder();
  await expect.poll(() => received.slice(1)).toEqual([invocation]);
  const id = await newestId();
  await call("POST", `/api/Messages/${id}/markRead`);
  await expect.poll(() => received.slice(1)).toEqual([invocation, invocation]);
  await call("DELETE", "/api/Messages/*");
  await expect.poll(() => received.length).toBeGreaterThanOrEqual(4);
  socket.close();
  await once(socket, "close");
});
