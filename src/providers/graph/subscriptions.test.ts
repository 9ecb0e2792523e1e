import { constants, createDecipheriv, createHash, createHmac, generateKeyPairSync, privateDecrypt } from "node:crypto";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { evaluate, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { signCertificate } from "../../core/x509.ts";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { jsonOf, jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, type MemoryServices, startInstant, validKey } from "../conformance/services.test-aid.ts";
import type { MailboxMessage } from "../mailbox.ts";
import type { MailboxNotification } from "../mailbox-subscriptions.ts";
import type { ProviderResponse } from "../provider.ts";
import { graphNotifications } from "./change-notifications.ts";
import { graphIdOf } from "./ids.ts";
import { graph } from "./provider.ts";
import { call, codeOf, listOf, type Resource, resourceOf } from "./call-graph.test-aid.ts";

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
  const message = graphIdOf("00000000-0000-4000-8000-000000000000") as never;
  /** Returns the body of a request with notifications of the only subscription. */
  const rendered = async (
    memory: MemoryServices,
    notifications: readonly MailboxNotification[],
    mail: MailboxMessage | null = null,
  ): Promise<{ readonly value: readonly Resource[]; readonly validationTokens?: readonly string[] }> => {
    const [subscription] = memory.subscriptions.all.values();
    if (subscription === undefined) throw new Error("No subscription");
    const parts = { receiver: { url: "", name: "" }, mail, ...memory.services };
    const { body } = await graphNotifications.render(notifications, subscription, parts);
    return JSON.parse(Buffer.from(body).toString()) as Awaited<ReturnType<typeof rendered>>;
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
    const render = async (shown: typeof mail | null): Promise<Readonly<Record<string, unknown>>> => {
      const { value } = await rendered(memory, [notification], shown);
      return value[0] ?? {};
    };
    expect(await render(null)).not.toHaveProperty("encryptedContent");
    const content = (await render(mail))["encryptedContent"] as Readonly<Record<string, string>>;
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

  const contoso = "72f988bf-86f1-41af-91ab-2d7cd011db47";
  const requestToken = async (memory: MemoryServices, tenant: string, clientId: string): Promise<ProviderResponse> => {
    const path = `/${tenant}/oauth2/v2.0/token`;
    const fields = { grant_type: "client_credentials", client_id: clientId, client_secret: validKey };
    const form = Object.entries(fields);
    return callEndpoint(
      graph,
      jsonRequest({}, { path, url: `http://localhost${path}`, form, key: null }),
      memory.services,
    );
  };
  const audienceOf = async (memory: MemoryServices, changes: object = {}): Promise<readonly unknown[]> => {
    await create(memory, { ...rich, ...changes });
    const notification = { kind: "added", message, sequence: 1, at: startInstant } as const;
    const { value, validationTokens: [token = ""] = [] } = await rendered(memory, [notification]);
    const path = "/common/discovery/v2.0/keys";
    const request = jsonRequest({}, { method: "GET", path, url: `http://localhost${path}`, key: null });
    const keys = jsonOf(await callEndpoint(graph, request, memory.services)) as unknown as JSONWebKeySet;
    const currentDate = new Date(startInstant + 3_599_000);
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys), { currentDate });
    const { x5c: [certificate = ""] = [], kid } = keys.keys[0] ?? {};
    const thumbprint = createHash("sha1").update(Buffer.from(certificate, "base64")).digest("base64url");
    expect([protectedHeader.kid, protectedHeader.alg, kid]).toEqual([thumbprint, "RS256", thumbprint]);
    const { iss, tid, appid, azp, aud } = payload;
    expect([iss, appid, azp]).toEqual([`https://sts.windows.net/${String(tid)}/`, publisher, publisher]);
    expect(value[0]?.["tenantId"]).toBe(tid);
    return [aud, tid];
  };
  const publisher = "0bf30f3b-4a52-48df-9a82-234910c4a086";

  test("signs a token for the application that requested one, with resource data", async () => {
    const memory = memoryServices();
    expect((await requestToken(memory, contoso.toUpperCase(), "my-app")).status).toBe(200);
    expect(await audienceOf(memory)).toEqual(["my-app", contoso]);
    const [subscription] = memory.subscriptions.all.values();
    expect(resourceOf(await call(memory, `GET /v1.0/subscriptions/${subscription?.id ?? ""}`))).toMatchObject({
      applicationId: "my-app",
      notificationUrlAppId: null,
    });
    const fact = { kind: "missed", message: null, sequence: 1, at: startInstant } as const;
    expect(await rendered(memory, [fact])).not.toHaveProperty("validationTokens");
  });

  test("signs a token for the application that the subscription names", async () => {
    const memory = memoryServices();
    await requestToken(memory, "contoso.example", "x".repeat(101));
    const other = await audienceOf(memory);
    expect(other).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    memory.subscriptions.all.clear();
    expect(await audienceOf(memory, { notificationUrlAppId: contoso })).toEqual([contoso, other[1]]);
    await requestToken(memory, contoso, "my-app");
    memory.now += 25 * 3_600_000;
    memory.subscriptions.all.clear();
    const later = { expirationDateTime: new Date(memory.now + 60_000).toISOString() };
    await create(memory, later);
    const [forgotten] = memory.subscriptions.all.values();
    expect(forgotten?.options["application"]).toBe(other[0]);
  });

  test("has no token without resource data", async () => {
    const memory = memoryServices();
    await create(memory);
    const notification = { kind: "added", message, sequence: 1, at: startInstant } as const;
    expect(await rendered(memory, [notification])).not.toHaveProperty("validationTokens");
  });

  test.each([
    ["without a resource", { resource: null }, "InvalidRequest"],
    ["for an application that is no UUID", { notificationUrlAppId: "my-app" }, "InvalidRequest"],
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
