/** Microsoft's Graph SDK and MSAL for Node, unmodified, against the service over HTTPS. */
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { ConfidentialClientApplication } from "@azure/msal-node";
import {
  Client,
  FileUpload,
  type GraphError,
  LargeFileUploadTask,
  PageIterator,
} from "@microsoft/microsoft-graph-client";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signCertificate } from "../../../src/core/x509.ts";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";
import { type Notified, startApplication } from "./notified-application.ts";

const server = "shop1234";
const user = `ada@${server}.restante.test`;
const zoe = `zoe@${server}.restante.test`;
const clientId = "11111111-2222-3333-4444-555555555555";
const trusted = getCACertificates("default");
let service: Restante;
let client: Client;

/** Message resource, as far as the tests read it. */
interface GraphMessage {
  readonly id: string;
  readonly subject: string;
  readonly isRead: boolean;
  readonly hasAttachments: boolean;
  readonly conversationId: string;
  readonly body: { readonly contentType: string; readonly content: string };
}

interface Page {
  readonly value: GraphMessage[];
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
  readonly "@odata.deltaLink"?: string;
}

beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  setDefaultCACertificates([...trusted, readFileSync(service.caFile ?? "", "utf8")]);
  const app = new ConfidentialClientApplication({
    auth: {
      clientId,
      clientSecret: service.apiKey,
      authority: `${service.httpsUrl}/providers/graph/contoso.example`,
      knownAuthorities: [new URL(service.httpsUrl).host],
    },
  });
  client = Client.initWithMiddleware({
    baseUrl: `${service.httpsUrl}/providers/graph/`,
    customHosts: new Set([new URL(service.httpsUrl).hostname]),
    authProvider: {
      getAccessToken: async () => {
        const result = await app.acquireTokenByClientCredential({ scopes: ["https://graph.microsoft.com/.default"] });
        return result?.accessToken ?? "";
      },
    },
  });
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await service.stop();
});

const ask = async (path: string, init: { method?: string; body?: string } = {}): Promise<unknown> => {
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  return (
    await fetch(`${service.url}${path}`, { ...init, headers: { authorization, "content-type": "application/json" } })
  ).json();
};
const to = (address: string) => [{ emailAddress: { address } }];
const own = `/users/${user}`;
const list = async (path: string): Promise<Page> => (await client.api(path).get()) as Page;
const newest = async (folder = "inbox"): Promise<GraphMessage> => {
  const [first] = (await list(`${own}/mailFolders/${folder}/messages?$top=1`)).value;
  if (first === undefined) throw new Error(`${folder} is empty`);
  return first;
};

test("sends a mail with a file and an inline image, and keeps a copy", async () => {
  const attachment = (name: string, more: object) => ({
    "@odata.type": "#microsoft.graph.fileAttachment",
    name,
    contentBytes: Buffer.from(`content of ${name}`).toString("base64"),
    ...more,
  });
  await client.api(`${own}/sendMail`).post({
    message: {
      subject: "Order 4711",
      body: { contentType: "HTML", content: "<p>Code <b>482913</b></p><img src='cid:logo'>" },
      toRecipients: [{ emailAddress: { address: zoe, name: "Zoë" } }],
      bccRecipients: to(`audit@${server}.restante.test`),
      importance: "high",
      categories: ["Blue category"],
      internetMessageHeaders: [{ name: "x-order", value: "4711" }],
      attachments: [
        attachment("bill.pdf", { contentType: "application/pdf" }),
        attachment("logo.png", { contentType: "image/png", contentId: "logo", isInline: true }),
      ],
    },
  });
  const [summary] = (await ask(`/api/messages?server=${server}&provider=graph`)) as { id: string }[];
  const message = (await ask(`/api/messages/${summary?.id ?? ""}`)) as { provider: { id: string } };
  expect(message).toMatchObject({
    subject: "Order 4711",
    from: [{ email: user }],
    to: [{ email: zoe, name: "Zoë" }],
    bcc: [{ email: `audit@${server}.restante.test` }],
    html: { codes: [{ value: "482913" }] },
    attachments: [{ fileName: "logo.png", contentId: "logo" }, { fileName: "bill.pdf" }],
    provider: { name: "graph", tags: ["Blue category"] },
  });
  expect(await ask(`/api/messages/${message.provider.id}`)).toMatchObject({ id: summary?.id });
  const copy = (await client.api(`${own}/mailFolders/sentitems/messages`).expand("attachments").get()) as {
    value: (GraphMessage & { attachments: object[] })[];
  };
  expect(copy.value).toMatchObject([
    {
      subject: "Order 4711",
      importance: "high",
      categories: ["Blue category"],
      isRead: true,
      hasAttachments: true,
      attachments: [
        { name: "logo.png", isInline: true },
        { name: "bill.pdf", isInline: false },
      ],
    },
  ]);
});

test("sends a mail in MIME", async () => {
  const mime = `From: ${user}\r\nTo: ${zoe}\r\nSubject: As MIME\r\nX-Own: 1\r\n\r\nHello\r\n`;
  await client.api(`${own}/sendMail`).header("Content-Type", "text/plain").post(Buffer.from(mime).toString("base64"));
  const { id } = await newest();
  const raw = (await client
    .api(`${own}/messages/${id}/$value`)
    .responseType("text" as never)
    .get()) as string;
  expect(raw).toContain("Subject: As MIME\r\nX-Own: 1\r\n\r\nHello\r\n");
});

test("uploads a large file to a draft in ranges, and sends the draft", async () => {
  const draft = (await client.api(`${own}/messages`).post({ subject: "Draft", toRecipients: to(zoe) })) as GraphMessage;
  await client
    .api(`${own}/messages/${draft.id}`)
    .patch({ subject: "Large", body: { contentType: "text", content: "See file" } });
  await client.api(`${own}/messages/${draft.id}/attachments`).post({
    "@odata.type": "#microsoft.graph.fileAttachment",
    name: "small.txt",
    contentBytes: Buffer.from("small").toString("base64"),
  });
  const content = Buffer.alloc(1_500_000, "0123456789");
  const session = await LargeFileUploadTask.createUploadSession(
    client,
    `${own}/messages/${draft.id}/attachments/createUploadSession`,
    { AttachmentItem: { attachmentType: "file", name: "large.bin", size: content.length } },
  );
  const file = new FileUpload(content, "large.bin", content.length);
  const task = new LargeFileUploadTask(client, file, session, { rangeSize: 320 * 1024 * 2 });
  expect((await task.upload()).location).toContain("/attachments/");
  const { value } = (await client.api(`${own}/messages/${draft.id}/attachments`).select("name,size").get()) as {
    value: object[];
  };
  expect(value).toMatchObject([
    { name: "small.txt", size: 5 },
    { name: "large.bin", size: content.length },
  ]);
  expect((await list(`${own}/mailFolders/drafts/messages`)).value).toMatchObject([{ id: draft.id, isDraft: true }]);
  await client.api(`${own}/messages/${draft.id}/send`).post(null);
  const sent = await newest();
  expect(sent).toMatchObject({
    subject: "Large",
    hasAttachments: true,
    body: { contentType: "text", content: "See file" },
  });
  const files = (await client.api(`${own}/messages/${sent.id}/attachments`).get()) as {
    value: { name: string; contentBytes: string }[];
  };
  expect(files.value.map(({ name }) => name)).toEqual(["small.txt", "large.bin"]);
  expect(Buffer.from(files.value[1]?.contentBytes ?? "", "base64").equals(content)).toBe(true);
  await expect(client.api(`${own}/messages/${draft.id}`).get()).rejects.toMatchObject({ code: "ErrorItemNotFound" });
});

test("polls, reads, answers, moves and deletes received mail", async () => {
  const { host, port } = service.smtp;
  const transport = createTransport({ host, port, tls: { ca: service.smtp.tls.ca } });
  for (const n of ["1", "2", "3"]) {
    const mail = { from: `customer${n}@example.com`, to: user, subject: `Ticket ${n}`, text: `Problem ${n}` };
    await transport.sendMail(mail);
  }
  const unread = await list(
    `${own}/mailFolders/inbox/messages?$filter=isRead eq false and contains(subject,'Ticket')&$top=2&$count=true&$select=subject,isRead`,
  );
  expect([unread.value.map(({ subject }) => subject), unread["@odata.count"]]).toEqual([["Ticket 3", "Ticket 2"], 3]);
  expect(Object.keys(unread.value[0] ?? {}).toSorted()).toEqual(["@odata.etag", "id", "isRead", "subject"]);
  const all: string[] = [];
  const iterator = new PageIterator(client, unread, (one: GraphMessage) => all.push(one.subject) > 0);
  await iterator.iterate();
  expect(all).toEqual(["Ticket 3", "Ticket 2", "Ticket 1"]);
  const [second] = (await list(`${own}/messages?$search="subject:Ticket AND body:\\"Problem 2\\""`)).value;
  expect(second?.subject).toBe("Ticket 2");
  const path = `${own}/messages/${second?.id ?? ""}`;
  expect(await client.api(path).patch({ isRead: true, categories: ["Done"] })).toMatchObject({
    isRead: true,
    categories: ["Done"],
  });
  expect((await list(`${own}/messages?$filter=categories/any(c:c eq 'Done')`)).value).toHaveLength(1);
  await client.api(`${path}/reply`).post({ comment: "We are on it" });
  const answer = await newest("sentitems");
  expect(answer).toMatchObject({ subject: "RE: Ticket 2", conversationId: second?.conversationId });
  expect(answer.body.content).toContain("We are on it");
  const folder = (await client.api(`${own}/mailFolders`).post({ displayName: "Processed" })) as { id: string };
  await client.api(`${path}/move`).post({ destinationId: folder.id });
  expect((await list(`${own}/mailFolders/${folder.id}/messages`)).value).toMatchObject([{ id: second?.id }]);
  expect(await client.api(`${own}/mailFolders/${folder.id}`).get()).toMatchObject({
    totalItemCount: 1,
    unreadItemCount: 0,
  });
  await client.api(path).delete();
  await expect(client.api(path).get()).rejects.toMatchObject({ statusCode: 404, code: "ErrorItemNotFound" });
});

test("lists changes since a delta link", async () => {
  const delta = `${own}/mailFolders/inbox/messages/delta?$select=subject`;
  let page = await list(delta);
  while (page["@odata.nextLink"] !== undefined) page = await list(page["@odata.nextLink"]);
  const link = page["@odata.deltaLink"] ?? "";
  expect((await list(link)).value).toEqual([]);
  await client.api(`${own}/sendMail`).post({ message: { subject: "Fresh", toRecipients: to(user) } });
  const { value, "@odata.deltaLink": next = "" } = await list(link);
  expect(value).toMatchObject([{ subject: "Fresh" }]);
  await client.api(`${own}/messages/${value[0]?.id ?? ""}`).delete();
  expect((await list(next)).value).toMatchObject([{ id: value[0]?.id, "@removed": { reason: "deleted" } }]);
  await expect(list(link.replace(/deltatoken=\d+/, "deltatoken=999999999"))).rejects.toMatchObject({ statusCode: 410 });
});

interface Notice {
  readonly subscriptionId: string;
  readonly changeType?: string;
  readonly lifecycleEvent?: string;
  readonly clientState: string;
  readonly resource: string;
  readonly resourceData: { readonly id: string };
}

const noticesOf = ({ body }: Notified): readonly Notice[] =>
  (JSON.parse(body) as { readonly value: readonly Notice[] }).value;

test("notifies an application of mail that arrives by SMTP, which reads and answers it", async () => {
  await using application = await startApplication(({ path }) => {
    const { pathname, searchParams } = new URL(path, "http://application.example");
    return { status: pathname === "/closed" ? 403 : 200, body: searchParams.get("validationToken") ?? "" };
  });
  const { origin } = application;
  const subscription = {
    changeType: "created,updated,deleted",
    notificationUrl: `${origin}/mail`,
    lifecycleNotificationUrl: `${origin}/lifecycle`,
    resource: `users/${user}/mailFolders('Inbox')/messages`,
    expirationDateTime: new Date(Date.now() + 3_600_000).toISOString(),
    clientState: "a secret",
  };
  await expect(
    client.api("/subscriptions").post({ ...subscription, notificationUrl: `${origin}/closed` }),
  ).rejects.toMatchObject({ statusCode: 400, code: "ValidationError" });
  const { id } = (await client.api("/subscriptions").post(subscription)) as { readonly id: string };

  const { host, port } = service.smtp;
  const transport = createTransport({ host, port, tls: { ca: service.smtp.tls.ca } });
  await transport.sendMail({ from: "customer@example.com", to: user, subject: "Help", text: "Please" });
  const [created] = await application.receivedAt("/mail", 1, noticesOf);
  expect(created).toMatchObject({ subscriptionId: id, changeType: "created", clientState: "a secret" });
  const path = `/${created?.resource ?? ""}`;
  const message = (await client.api(path).get()) as GraphMessage;
  expect([message.subject, message.id]).toEqual(["Help", created?.resourceData.id]);
  await client.api(`${own}/messages/${message.id}/reply`).post({ comment: "We are on it" });
  expect(await newest("sentitems")).toMatchObject({ subject: "RE: Help" });

  await client.api(path).patch({ isRead: true });
  // The answer arrives in the same server, so that there is a notice about it too.
  await application.receivedAt("/mail", 3, noticesOf);
  await client.api(path).delete();
  const notices = await application.receivedAt("/mail", 4, noticesOf);
  const ofMessage = notices.filter(({ resourceData }) => resourceData.id === message.id);
  expect(ofMessage.map(({ changeType }) => changeType)).toEqual(["created", "updated", "deleted"]);

  const one = `/subscriptions/${id}`;
  const expirationDateTime = new Date(Date.now() + 24 * 3_600_000).toISOString();
  expect(await client.api(one).patch({ expirationDateTime })).toMatchObject({ id, expirationDateTime });
  await client.api(`${one}/lifecycleEvents`).post({ lifecycleEvent: "subscriptionRemoved" });
  expect(await application.receivedAt("/lifecycle", 1, noticesOf)).toMatchObject([
    { subscriptionId: id, lifecycleEvent: "subscriptionRemoved", clientState: "a secret" },
  ]);
  await expect(client.api(one).get()).rejects.toMatchObject({ statusCode: 404, code: "ResourceNotFound" });
});

test("signs notifications with resource data for the application that MSAL names", async () => {
  await using application = await startApplication(({ path }) => ({
    body: new URL(path, "http://application.example").searchParams.get("validationToken") ?? "",
  }));
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const validity = { notBefore: Date.now() - 1000, notAfter: Date.now() + 86_400_000 };
  const certificate = signCertificate(
    { subject: "application", issuer: "application", ...validity, publicKey, extensions: [] },
    privateKey,
  );
  await client.api("/subscriptions").post({
    changeType: "created",
    notificationUrl: `${application.origin}/rich`,
    resource: `users/${user}/mailFolders('Inbox')/messages?$select=subject`,
    expirationDateTime: new Date(Date.now() + 3_600_000).toISOString(),
    includeResourceData: true,
    encryptionCertificate: certificate.raw.toString("base64"),
    encryptionCertificateId: "mine",
  });
  await client.api(`${own}/sendMail`).post({ message: { subject: "Signed", toRecipients: to(user) } });
  const [request] = await application.receivedAt("/rich", 1);
  const { value, validationTokens } = JSON.parse(request?.body ?? "") as {
    readonly value: readonly { readonly tenantId: string }[];
    readonly validationTokens: readonly string[];
  };
  const configuration = `${service.url}/providers/graph/common/v2.0/.well-known/openid-configuration`;
  const { jwks_uri: keys } = (await (await fetch(configuration)).json()) as { readonly jwks_uri: string };
  const issuer = `https://sts.windows.net/${value[0]?.tenantId ?? ""}/`;
  const expected = { audience: clientId, issuer, algorithms: ["RS256"] };
  const { payload } = await jwtVerify(validationTokens[0] ?? "", createRemoteJWKSet(new URL(keys)), expected);
  expect(payload["appid"]).toBe("0bf30f3b-4a52-48df-9a82-234910c4a086");
});

test("answers a batch", async () => {
  const { responses } = (await client.api("/$batch").post({
    requests: [
      { id: "1", method: "GET", url: `${own}/mailFolders/inbox` },
      { id: "2", method: "GET", url: `${own}/messages/AAMkx` },
      { id: "3", method: "GET", url: own, dependsOn: ["2"] },
    ],
  })) as { responses: object[] };
  expect(responses).toMatchObject([
    { id: "1", status: 200, body: { displayName: "Inbox" } },
    { id: "2", status: 400, body: { error: { code: "ErrorInvalidIdMalformed" } } },
    { id: "3", status: 424 },
  ]);
});

test("returns Graph's errors, and repeats a throttled request after Retry-After", async () => {
  const failed = (await client
    .api(`${own}/sendMail`)
    .post({ message: { subject: "x", toRecipients: to("nobody") } })
    .catch((error: unknown) => error)) as GraphError;
  expect([failed.statusCode, failed.code, failed.requestId]).toEqual([
    400,
    "ErrorInvalidRecipients",
    expect.any(String),
  ]);
  const items = [
    { name: "throttled", match: { stage: "request" }, when: { first: 1 }, then: { error: "rateLimited" } },
  ];
  await ask(`/api/servers/${server}/faults`, {
    method: "PUT",
    body: JSON.stringify({ items }),
  });
  await client.api(`${own}/sendMail`).post({ message: { subject: "Throttled once", toRecipients: to(zoe) } });
  expect(await newest()).toMatchObject({ subject: "Throttled once" });
  expect(await ask(`/api/servers/${server}/faults`)).toMatchObject([{ hits: 1 }]);
});

test("rejects requests without a token, and a wrong secret as the identity platform does", async () => {
  const base = `${service.url}/providers/graph`;
  const response = await fetch(`${base}/v1.0/me/messages`);
  expect([response.status, await response.json()]).toMatchObject([
    401,
    { error: { code: "InvalidAuthenticationToken" } },
  ]);
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  const missing = await fetch(`${base}/contoso.example/oauth2/v2.0/token`, { method: "POST", body: form });
  expect([missing.status, await missing.json()]).toMatchObject([
    400,
    { error: "invalid_request", error_codes: [900144] },
  ]);
  const question = `authorization_endpoint=${encodeURIComponent("https://login.example/contoso.example/oauth2/v2.0/authorize")}`;
  expect(await (await fetch(`${base}/common/discovery/instance?${question}`)).json()).toMatchObject({
    tenant_discovery_endpoint: `${base}/contoso.example/v2.0/.well-known/openid-configuration`,
  });
});
