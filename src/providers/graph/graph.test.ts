import { constants, createDecipheriv, createHash, createHmac, generateKeyPairSync, privateDecrypt } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createIdSource, newServerId } from "../../core/ids.ts";
import { noMarks } from "../../core/marks.ts";
import { evaluate, or, type SearchExpression } from "../../core/search/search-expression.ts";
import type { Message } from "../../core/message.ts";
import { signCertificate } from "../../core/x509.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { emptyMessage } from "../conformance/memory-mailbox.test-aid.ts";
import { jsonOf, jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, type MemoryServices, startInstant, validKey } from "../conformance/services.test-aid.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { readForm } from "../../core/read-form.ts";
import { graphNotifications } from "./change-notifications.ts";
import { graphIdOf } from "./ids.ts";
import { graph } from "./provider.ts";

interface Resource {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** Calls an endpoint below `/v1.0/me`. */
async function call(
  memory: MemoryServices,
  line: string,
  { body, ...changes }: Partial<Omit<ProviderRequest, "body">> & { readonly body?: unknown } = {},
): Promise<ProviderResponse> {
  const [method, target] = line.split(/ (.*)/s) as [ProviderMethod, string];
  const [path = "", query = ""] = target.split("?");
  const own = path.startsWith("/v1.0") ? path : `/v1.0/me${path}`;
  const bytes = body instanceof Uint8Array ? { body } : {};
  const options = {
    method,
    path: own,
    url: `http://localhost${own}?${query}`,
    fields: readForm(query),
    key: validKey,
    ...bytes,
  };
  return callEndpoint(graph, jsonRequest(body ?? {}, { ...options, ...changes }), memory.services);
}

const resourceOf = (response: ProviderResponse): Resource => jsonOf(response) as Resource;
const codeOf = (response: ProviderResponse): string => {
  const { error } = jsonOf(response) as { error?: { code: string } };
  return `${String(response.status)} ${error?.code ?? ""}`;
};
const listOf = (response: ProviderResponse): readonly Resource[] => (jsonOf(response) as { value: Resource[] }).value;

/** Returns services whose mailbox has received mails with these members, one a second. */
function withMails(...mails: readonly Partial<Message>[]): MemoryServices & { readonly ids: readonly string[] } {
  const memory = memoryServices();
  let now = startInstant;
  const source = createIdSource(() => now);
  const server = newServerId();
  for (const members of mails) {
    now += 1000;
    const { id } = source.next(server, "Received");
    const message = emptyMessage(id, members);
    memory.mailbox.mails.push({
      id,
      direction: "Received",
      message,
      marks: noMarks,
      sizeBytes: 10,
      raw: Buffer.from("Subject: raw\r\n\r\n"),
    });
  }
  return Object.assign(memory, { ids: memory.mailbox.mails.map(({ id }) => graphIdOf(id)) });
}

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const validity = { notBefore: startInstant, notAfter: startInstant + 86_400_000 };
const { raw: certificate } = signCertificate(
  { subject: "application", issuer: "application", ...validity, publicKey, extensions: [] },
  privateKey,
);

const to = [{ emailAddress: { address: "zoe@shop.example" } }];

describe("subscriptions", () => {
  const expirationDateTime = new Date(startInstant + 3_600_000).toISOString();
  const valid = {
    changeType: "created, Updated",
    notificationUrl: "https://app.example/hook?a=1",
    resource: "/me/messages",
    expirationDateTime,
    clientState: "secret",
  };
  const rich = {
    includeResourceData: true,
    resource: "me/messages?$select=subject",
    encryptionCertificate: certificate.toString("base64"),
    encryptionCertificateId: "mine",
  };
  const create = async (memory: MemoryServices, changes: object = {}): Promise<ProviderResponse> =>
    call(memory, "POST /v1.0/subscriptions", { body: { ...valid, ...changes } });

  test("are created, read, renewed and ended", async () => {
    const memory = memoryServices();
    const lifecycleNotificationUrl = "https://app.example/life";
    const created = resourceOf(await create(memory, { lifecycleNotificationUrl }));
    expect(created).toMatchObject({ ...valid, lifecycleNotificationUrl, includeResourceData: null });
    expect(memory.subscriptions.sent.map(({ url }) => url.replace(/=Validation.*/, "=…"))).toEqual([
      "https://app.example/hook?a=1&validationToken=…",
      "https://app.example/life?validationToken=…",
    ]);
    const one = `/v1.0/subscriptions/${created.id}`;
    const context = { "@odata.context": expect.any(String) as string };
    expect(resourceOf(await call(memory, `GET ${one}`))).toEqual({ ...created, ...context });
    expect(listOf(await call(memory, "GET /v1.0/subscriptions"))).toMatchObject([{ id: created.id }]);
    const later = new Date(startInstant + 7_200_000).toISOString();
    const moved = { expirationDateTime: later, notificationUrl: "https://app.example/new", clientState: "other" };
    expect(resourceOf(await call(memory, `PATCH ${one}`, { body: moved }))).toMatchObject({
      ...created,
      ...moved,
      ...context,
    });
    expect(memory.subscriptions.sent).toHaveLength(3);
    expect((await call(memory, `POST ${one}/reauthorize`)).status).toBe(204);
    const event = { lifecycleEvent: "missed" };
    expect((await call(memory, `POST ${one}/lifecycleEvents`, { body: event })).status).toBe(202);
    expect(memory.subscriptions.facts).toEqual([[created.id, "missed"]]);
    expect((await call(memory, `DELETE ${one}`)).status).toBe(204);
    for (const line of [`GET ${one}`, `PATCH ${one}`, `DELETE ${one}`, `POST ${one}/reauthorize`]) {
      expect([line, codeOf(await call(memory, line))]).toEqual([line, "404 ResourceNotFound"]);
    }
  });

  test.each([
    ["me/messages", null, [true, true]],
    ["/users/ada@app.example/mailFolders/inbox/messages", "ada@app.example", [true, false]],
    ["Users('ada@app.example')/mailFolders('SentItems')/messages", "ada@app.example", [false, true]],
  ])("are about the user and the direction of the resource %s", async (resource, user, directions) => {
    const memory = memoryServices();
    expect((await create(memory, { resource })).status).toBe(201);
    const [stored] = memory.subscriptions.all.values();
    const isWanted = (where: SearchExpression | undefined) => evaluate(where ?? or(), () => null) !== false;
    expect([stored?.address, isWanted(stored?.where.Received), isWanted(stored?.where.Sent)]).toEqual([
      user ?? "me@server.example",
      ...directions,
    ]);
    expect(stored?.kinds).toEqual(["added", "marked"]);
  });

  test("compare mails with the filter of the resource", async () => {
    const memory = memoryServices();
    const resource = "me/mailFolders/inbox/messages?$filter=isRead eq false and subject eq 'Order'";
    expect(resourceOf(await create(memory, { resource }))).toMatchObject({ resource });
    const [stored] = memory.subscriptions.all.values();
    const meets = (seen: boolean) =>
      evaluate(stored?.where.Received ?? or(), (term) =>
        term.kind === "flag" ? term.flag === "seen" && seen : term.kind === "text" ? term.term === "order" : false,
      );
    expect([meets(false), meets(true)]).toEqual([true, false]);
  });

  test("have the selected properties of the mail with resource data, which the application decrypts", async () => {
    const memory = memoryServices();
    const created = resourceOf(await create(memory, rich));
    expect(created).toMatchObject(rich);
    await call(memory, "POST /v1.0/me/sendMail", { body: { message: { subject: "Zoë's order", toRecipients: to } } });
    const [subscription] = memory.subscriptions.all.values();
    const [mail] = memory.mailbox.mails;
    if (subscription === undefined || mail === undefined) throw new Error("No subscription");
    expect(graphNotifications.showsMail?.(subscription)).toBe(true);
    const notification = { kind: "added", message: mail.id, sequence: 1, at: startInstant } as const;
    const receiver = { url: "", name: "" };
    const render = (shown: typeof mail | null): Readonly<Record<string, unknown>> => {
      const { body } = graphNotifications.render([notification], subscription, { receiver, mail: shown });
      const { value } = JSON.parse(Buffer.from(body).toString()) as { value: readonly Record<string, unknown>[] };
      return value[0] ?? {};
    };
    expect(render(null)).not.toHaveProperty("encryptedContent");
    const content = render(mail)["encryptedContent"] as Readonly<Record<string, string>>;
    expect(content).toMatchObject({
      encryptionCertificateId: "mine",
      encryptionCertificateThumbprint: createHash("sha1").update(certificate).digest("hex").toUpperCase(),
    });
    const { data = "", dataKey = "", dataSignature } = content;
    const bytes = Buffer.from(data, "base64");
    const oaep = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" };
    const key = privateDecrypt(oaep, Buffer.from(dataKey, "base64"));
    expect(createHmac("sha256", key).update(bytes).digest("base64")).toBe(dataSignature);
    const decipher = createDecipheriv("aes-256-cbc", key, key.subarray(0, 16));
    const resource = JSON.parse(Buffer.concat([decipher.update(bytes), decipher.final()]).toString("utf8")) as object;
    expect(resource).toEqual({
      "@odata.type": "#Microsoft.Graph.Message",
      "@odata.etag": expect.any(String) as string,
      id: expect.any(String) as string,
      subject: "Zoë's order",
    });
  });

  test.each([
    ["without a resource", { resource: null }, "InvalidRequest"],
    ["to another resource", { resource: "me/events" }, "InvalidRequest"],
    ["to messages in an order", { resource: "me/messages?$orderby=subject" }, "InvalidRequest"],
    ["with a filter on the body", { resource: "me/messages?$filter=contains(body/content,'x')" }, "InvalidRequest"],
    ["with a filter that is none", { resource: "me/messages?$filter=isRead" }, "ErrorInvalidUrlQueryFilter"],
    ["to an unknown folder", { resource: "me/mailFolders/x/messages" }, "ErrorItemNotFound"],
    ["without a change type", { changeType: "" }, "InvalidRequest"],
    ["to an unknown change type", { changeType: "created,read" }, "InvalidRequest"],
    ["without a receiver", { notificationUrl: null }, "InvalidRequest"],
    ["with a receiver that is not allowed", { notificationUrl: "https://denied.example/" }, "InvalidRequest"],
    ["without an end", { expirationDateTime: null }, "InvalidRequest"],
    ["with an end that is no instant", { expirationDateTime: "tomorrow" }, "InvalidRequest"],
    ["with an end in the past", { expirationDateTime: "2016-11-20T18:23:45.9356913Z" }, "InvalidRequest"],
    ["with an end in 8 days", { expirationDateTime: "2026-11-28T10:42:08Z" }, "ExtensionError"],
    ["with a long secret", { clientState: "x".repeat(129) }, "InvalidRequest"],
    ["with resource data of all properties", { ...rich, resource: "me/messages" }, "InvalidRequest"],
    ["with resource data and no certificate", { ...rich, encryptionCertificate: null }, "InvalidRequest"],
    ["with resource data and another text", { ...rich, encryptionCertificate: "x".repeat(100) }, "InvalidRequest"],
    [
      "with resource data and a long certificate",
      { ...rich, encryptionCertificate: "A".repeat(6001) },
      "InvalidRequest",
    ],
    ["with resource data and no name of the certificate", { ...rich, encryptionCertificateId: null }, "InvalidRequest"],
    ["with resource data for 25 hours", { ...rich, expirationDateTime: "2026-11-21T11:42:08Z" }, "ExtensionError"],
    ["with a number", { resource: 1 }, "BadRequest"],
  ])("%s are rejected", async (_title, changes, code) => {
    const memory = memoryServices();
    expect(codeOf(await create(memory, changes))).toMatch(new RegExp(` ${code}$`));
    expect(memory.subscriptions.all.size).toBe(0);
  });

  test.each([
    ["does not respond", { refusal: "No response within 15 seconds" }, "No response within 15 seconds."],
    ["responds with 403", { status: 403, headers: {}, body: Buffer.from("") }, "HTTP status code is 'Forbidden'."],
    ["repeats another token", { status: 200, headers: {}, body: Buffer.from("x") }, "Response must exactly match"],
  ])("are rejected when the receiver %s", async (_title, answer, text) => {
    const memory = memoryServices();
    memory.subscriptions.answer = () => answer;
    const { error } = jsonOf(await create(memory)) as { error: { code: string; message: string } };
    expect([error.code, error.message]).toEqual(["ValidationError", expect.stringContaining(text)]);
  });
});

describe("drafts", () => {
  test("are changed, listed, sent with their own Message-ID, and removed then", async () => {
    const memory = memoryServices();
    const created = resourceOf(await call(memory, "POST /messages", { body: { subject: "Draft", toRecipients: to } }));
    expect(created).toMatchObject({ isDraft: true, parentFolderId: "drafts", subject: "Draft" });
    const path = `/messages/${created.id}`;
    const changed = resourceOf(
      await call(memory, `PATCH ${path}`, { body: { subject: "Changed", importance: "low" } }),
    );
    expect(changed).toMatchObject({
      subject: "Changed",
      importance: "low",
      toRecipients: [{ emailAddress: { address: "zoe@shop.example" } }],
    });
    expect(listOf(await call(memory, "GET /mailFolders/drafts/messages"))).toMatchObject([{ id: created.id }]);
    expect((await call(memory, `POST ${path}/send`)).status).toBe(202);
    expect(memory.emails).toMatchObject([
      { messageId: created["internetMessageId"], content: { subject: "Changed", headers: [["Importance", "low"]] } },
    ]);
    expect(codeOf(await call(memory, `POST ${path}/send`))).toBe("404 ErrorItemNotFound");
  });

  test("expire a day after their last change", async () => {
    const memory = memoryServices();
    const { id } = resourceOf(await call(memory, "POST /messages", { body: { subject: "Draft" } }));
    memory.now += 86_400_000;
    expect(codeOf(await call(memory, `GET /messages/${id}`))).toBe("404 ErrorItemNotFound");
  });

  test("drafts in MIME are sent byte for byte, to the recipients of their fields", async () => {
    const memory = memoryServices();
    const mime =
      "From: a@b.example\r\nTo: Zoë <zoe@shop.example>\r\nBcc: hidden@shop.example\r\nSubject: MIME\r\n\r\nText\r\n";
    const headers = { "content-type": "text/plain" };
    const body = Buffer.from(Buffer.from(mime).toString("base64"));
    const { id, subject } = resourceOf(await call(memory, "POST /messages", { body, headers }));
    expect(subject).toBe("MIME");
    await call(memory, `POST /messages/${id}/send`);
    const [email] = memory.emails;
    expect(email?.recipients).toEqual(["zoe@shop.example", "hidden@shop.example"]);
    expect(Buffer.from(email?.content as Uint8Array).toString()).toBe(mime);
  });
});

describe("uploads", () => {
  const item = (size: unknown) => ({ body: { AttachmentItem: { name: "a.bin", size } } });
  const range = (value: string, bytes: Uint8Array) => ({ body: bytes, headers: { "content-range": value } });

  async function open(memory: MemoryServices): Promise<{ readonly draft: string; readonly url: string }> {
    const { id: draft } = resourceOf(await call(memory, "POST /messages", { body: {} }));
    const { uploadUrl } = resourceOf(
      await call(memory, `POST /messages/${draft}/attachments/createUploadSession`, item(6)),
    );
    const { pathname, searchParams } = new URL(String(uploadUrl));
    expect(searchParams.get("authtoken")).toBe(validKey);
    return { draft, url: pathname };
  }

  test("take ranges in order, and repeated ones", async () => {
    const memory = memoryServices();
    const { draft, url } = await open(memory);
    const first = await call(memory, `PUT ${url}`, range("bytes 0-3/6", Buffer.from("abcd")));
    expect([first.status, jsonOf(first)["nextExpectedRanges"]]).toEqual([200, ["4-"]]);
    expect(codeOf(await call(memory, `PUT ${url}`, range("bytes 5-5/6", Buffer.from("f"))))).toBe("416 InvalidRange");
    expect(jsonOf(await call(memory, `GET ${url}`))["nextExpectedRanges"]).toEqual(["4-"]);
    const last = await call(memory, `PUT ${url}`, range("bytes 2-5/6", Buffer.from("cdef")));
    expect([last.status, last.headers?.["location"]]).toEqual([201, expect.stringContaining("/attachments/AAMk")]);
    const [file] = listOf(await call(memory, `GET /messages/${draft}/attachments`));
    expect(file).toMatchObject({ name: "a.bin", size: 6, contentBytes: Buffer.from("abcdef").toString("base64") });
    expect(codeOf(await call(memory, `GET ${url}`))).toBe("404 ErrorItemNotFound");
    expect((await call(memory, `DELETE /messages/${draft}/attachments/${String(file?.id)}`)).status).toBe(204);
    expect(listOf(await call(memory, `GET /messages/${draft}/attachments`))).toEqual([]);
  });

  test.each(["bytes 0-3/7", "bytes 0-2/6", "bytes 3-6/6", "bytes 0-3/*", ""])("reject the range %s", async (value) => {
    const memory = memoryServices();
    const { url } = await open(memory);
    expect(codeOf(await call(memory, `PUT ${url}`, range(value, Buffer.from("abcd"))))).toBe(
      "400 ErrorInvalidParameter",
    );
  });

  test("are cancelled", async () => {
    const memory = memoryServices();
    const { url } = await open(memory);
    expect((await call(memory, `DELETE ${url}`)).status).toBe(204);
    expect(codeOf(await call(memory, `DELETE ${url}`))).toBe("404 ErrorItemNotFound");
  });

  test.each([
    [0, "400 ErrorInvalidParameter"],
    ["6", "400 ErrorInvalidParameter"],
    [150 * 1024 * 1024 + 1, "413 ErrorMessageSizeExceeded"],
  ])("uploads of %s bytes are rejected", async (size, error) => {
    const memory = memoryServices();
    const { id } = resourceOf(await call(memory, "POST /messages", { body: {} }));
    expect(codeOf(await call(memory, `POST /messages/${id}/attachments/createUploadSession`, item(size)))).toBe(error);
  });
});

describe("messages", () => {
  test("are listed newest first, in pages with links to the next one", async () => {
    const memory = withMails({ subject: "one" }, { subject: "two" }, { subject: "three" });
    const first = await call(memory, "GET /messages?$top=2&$count=true&$select=subject");
    expect(listOf(first).map(({ subject }) => subject)).toEqual(["three", "two"]);
    const { "@odata.count": count, "@odata.nextLink": next = "" } = jsonOf(first);
    expect(count).toBe(3);
    const { pathname, search } = new URL(String(next));
    const second = await call(memory, `GET ${pathname}${search}`);
    expect([listOf(second).map(({ subject }) => subject), jsonOf(second)["@odata.nextLink"]]).toEqual([
      ["one"],
      undefined,
    ]);
    const oldest = await call(memory, "GET /messages?$orderby=receivedDateTime asc&$filter=subject ne 'two'");
    expect(listOf(oldest).map(({ subject }) => subject)).toEqual(["one", "three"]);
    expect((await call(memory, "GET /messages/$count")).body?.text).toBe("3");
  });

  test.each(["$top=1001", "$top=x", "$skip=-1", "$orderby=subject", "$filter=x eq 1"])("reject %s", async (query) => {
    expect((await call(withMails(), `GET /messages?${query}`)).status).toBe(400);
  });

  test("are shown as text where the reader prefers it", async () => {
    const html = { links: [], codes: [], images: [], body: "<style>x</style><p>A &amp; <b>b</b></p>" };
    const memory = withMails({ html });
    const show = async (prefer?: string) =>
      resourceOf(
        await call(memory, `GET /messages/${memory.ids[0] ?? ""}`, prefer === undefined ? {} : { headers: { prefer } }),
      );
    expect(await show()).toMatchObject({ bodyPreview: "A & b", body: { contentType: "html", content: html.body } });
    expect(await show('outlook.body-content-type="text"')).toMatchObject({
      body: { contentType: "text", content: "A & b\n" },
    });
  });

  test("move between folders, and are copied", async () => {
    const memory = withMails({ subject: "one" });
    const path = `/messages/${memory.ids[0] ?? ""}`;
    const created = resourceOf(await call(memory, "POST /mailFolders", { body: { displayName: "Done" } }));
    expect(codeOf(await call(memory, "POST /mailFolders", { body: { displayName: "Done" } }))).toBe(
      "409 ErrorFolderExists",
    );
    expect(codeOf(await call(memory, "POST /mailFolders", { body: { displayName: "a,b" } }))).toBe(
      "400 ErrorInvalidParameter",
    );
    const moved = resourceOf(await call(memory, `POST ${path}/move`, { body: { destinationId: created.id } }));
    expect([moved.id, moved["parentFolderId"], moved["categories"]]).toEqual([memory.ids[0], created.id, []]);
    expect(listOf(await call(memory, "GET /mailFolders/inbox/messages"))).toEqual([]);
    const copy = resourceOf(await call(memory, `POST ${path}/copy`, { body: { destinationId: "inbox" } }));
    expect([copy.id === memory.ids[0], copy["parentFolderId"]]).toEqual([false, "inbox"]);
    const sent = resourceOf(await call(memory, `POST ${path}/move`, { body: { destinationId: "sentitems" } }));
    expect([sent.id === memory.ids[0], sent["parentFolderId"]]).toEqual([false, "sentitems"]);
    await call(memory, `POST /messages/${copy.id}/move`, { body: { destinationId: created.id } });
    expect((await call(memory, `DELETE /mailFolders/${created.id}`)).status).toBe(204);
    expect(listOf(await call(memory, "GET /mailFolders/deleteditems/messages"))).toMatchObject([{ id: copy.id }]);
    expect(codeOf(await call(memory, `POST /messages/${copy.id}/move`, { body: { destinationId: created.id } }))).toBe(
      "404 ErrorItemNotFound",
    );
    expect(codeOf(await call(memory, "DELETE /mailFolders/inbox"))).toBe("403 ErrorAccessDenied");
  });

  test("are answered and forwarded with the thread, the recipients and the original text", async () => {
    const contact = (email: string) => ({ name: "", email, phone: null });
    const field = (name: string, value: string) => ({ field: name, value });
    const headers = [
      field("Message-ID", "<2@a.example>"),
      field("References", "<1@a.example>"),
      field("Reply-To", "desk@a.example"),
    ];
    const memory = withMails({
      subject: "Help",
      from: [contact("ada@a.example")],
      to: [contact("me@server.example"), contact("bob@a.example")],
      cc: [contact("eve@a.example")],
      text: { links: [], codes: [], body: "Original" },
      metadata: { headers, ehlo: null, mailFrom: null, rcptTo: [] },
    });
    const path = `/messages/${memory.ids[0] ?? ""}`;
    const addresses = (value: unknown) => (value as typeof to).map(({ emailAddress }) => emailAddress.address);
    const all = resourceOf(await call(memory, `POST ${path}/createReplyAll`, { body: { comment: "Hello" } }));
    expect([all["subject"], addresses(all["toRecipients"]), addresses(all["ccRecipients"])]).toEqual([
      "RE: Help",
      ["desk@a.example", "bob@a.example"],
      ["eve@a.example"],
    ]);
    expect(all).toMatchObject({ body: { content: expect.stringMatching(/^Hello[^]*Original$/) as string } });
    await call(memory, `POST ${path}/reply`, { body: { comment: "Hi" } });
    expect(memory.emails[0]).toMatchObject({
      recipients: ["desk@a.example"],
      content: {
        headers: [
          ["In-Reply-To", "<2@a.example>"],
          ["References", "<1@a.example> <2@a.example>"],
        ],
      },
    });
    await call(memory, `POST ${path}/forward`, { body: { comment: "FYI", toRecipients: to } });
    expect(memory.emails[1]).toMatchObject({
      recipients: ["zoe@shop.example"],
      content: { subject: "FW: Help", headers: [] },
    });
  });

  test("delta rejects a token that is not known", async () => {
    for (const token of ["99999", "x", "1.zz"]) {
      expect(codeOf(await call(withMails(), `GET /messages/delta?$deltatoken=${token}`))).toBe("410 SyncStateNotFound");
    }
  });
});

test("delta lists the mailbox in pages, then changes of the list only", async () => {
  const memory = withMails({ subject: "one" }, { subject: "two" });
  const follow = async (response: ProviderResponse, name: string): Promise<ProviderResponse> => {
    const { pathname, search } = new URL(String(jsonOf(response)[name]));
    return call(memory, `GET ${pathname}${search}`);
  };
  const first = await call(memory, "GET /mailFolders/inbox/messages/delta()", {
    headers: { prefer: "odata.maxpagesize=1" },
  });
  expect(listOf(first)).toMatchObject([{ subject: "two" }]);
  const second = await follow(first, "@odata.nextLink");
  expect(listOf(second)).toMatchObject([{ subject: "one" }]);
  await call(memory, `PATCH /messages/${memory.ids[1] ?? ""}`, { body: { isRead: true } });
  await call(memory, `POST /messages/${memory.ids[0] ?? ""}/move`, { body: { destinationId: "archive" } });
  expect(listOf(await follow(second, "@odata.deltaLink"))).toMatchObject([
    { id: memory.ids[1], isRead: true },
    { id: memory.ids[0], "@removed": { reason: "changed" } },
  ]);
});

test("errors have the id of the request and of the client", async () => {
  const response = await call(memoryServices(), "GET /messages/x", { headers: { "client-request-id": "abc" } });
  const { error } = jsonOf(response) as { error: { innerError: Record<string, string> } };
  expect(error.innerError).toEqual({ "request-id": response.headers?.["request-id"], "client-request-id": "abc" });
});
