import { describe, expect, test } from "vitest";
import { createIdSource, newServerId } from "../../core/ids.ts";
import { noMarks } from "../../core/marks.ts";
import type { Message } from "../../core/message.ts";
import { emptyMessage } from "../conformance/memory-mailbox.test-aid.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { memoryServices, type MemoryServices, startInstant, validKey } from "../conformance/services.test-aid.ts";
import type { ProviderResponse } from "../provider.ts";
import { graphIdOf } from "./ids.ts";
import { call, codeOf, listOf, resourceOf } from "./call-graph.test-aid.ts";

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

const to = [{ emailAddress: { address: "zoe@shop.example" } }];

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
