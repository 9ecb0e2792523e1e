import { describe, expect, test } from "vitest";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import type { EmailDraft } from "../email.ts";
import type { FormFields } from "../../core/read-form.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { formRequest, jsonOf } from "../conformance/samples.test-aid.ts";
import {
  memoryServices,
  startInstant,
  validKey,
  type KeptEmail,
  type MemoryServices,
} from "../conformance/services.test-aid.ts";
import { parseExpression } from "./events.ts";
import { textOfHtml } from "../formats/html-text.ts";
import { mailgun } from "./provider.ts";
import { mailgunUuidOf } from "./response.ts";
import { uuidToBase64url } from "../formats/uuid.ts";
import { multipartRequest, type SampleFile } from "./samples.test-aid.ts";

const required: FormFields = [
  ["from", "Shop <shop@app.example>"],
  ["subject", "Hello"],
];
const to: FormFields = [["to", "zoe@shop.example"]];
const text: FormFields = [["text", "Hello"]];

interface Opened extends MemoryServices {
  readonly post: (path: string, fields: FormFields, files?: readonly SampleFile[]) => Promise<ProviderResponse>;
  readonly call: (
    line: `${ProviderMethod} ${string}`,
    fields?: FormFields,
    headers?: object,
  ) => Promise<ProviderResponse>;
}

function open(): Opened {
  const memory = memoryServices();
  const call = async (request: ProviderRequest): Promise<ProviderResponse> =>
    callEndpoint(mailgun, request, memory.services);
  return Object.assign(memory, {
    post: async (path: string, fields: FormFields, files: readonly SampleFile[] = []) =>
      call(multipartRequest(`POST ${path}`, { fields, files, key: validKey })),
    call: async (line: `${ProviderMethod} ${string}`, fields: FormFields = [], headers: object = {}) => {
      const [path = "", query = ""] = (line.split(" ")[1] ?? "").split("?");
      const request = multipartRequest(line, { fields, key: validKey });
      const url = `http://localhost/providers/mailgun/v3/mg.app.example${path}?${query}`;
      const inQuery = [...new URLSearchParams(query)];
      const own = { ...request.headers, ...headers };
      return call({ ...request, headers: own, path: `/v3/mg.app.example${path}`, url, form: [], fields: inQuery });
    },
  });
}

function draftOf(email: KeptEmail | undefined): EmailDraft {
  if (email === undefined || email.content instanceof Uint8Array) throw new Error("no draft was stored");
  return email.content;
}

describe("POST /v3/:domain/messages", () => {
  test("reads a URL-encoded form and lists of recipients", async () => {
    const memory = memoryServices();
    const form: FormFields = [
      ...required,
      ["to", "Zoë <zoe@shop.example>, max@shop.example"],
      ["to", "MAX@shop.example"],
      ...text,
    ];
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const request = formRequest(form, { headers, path: "/v3/mg.app.example/messages", key: validKey });
    const response = await callEndpoint(mailgun, request, memory.services);
    expect(jsonOf(response)).toEqual({ id: memory.emails[0]?.providerId, message: "Queued. Thank you." });
    expect(memory.emails[0]?.providerId).toMatch(/^<20261120104207\.[0-9a-f]{32}@mg\.app\.example>$/);
    expect(memory.emails[0]?.recipients).toEqual(["zoe@shop.example", "max@shop.example"]);
  });

  test("reports a missing sender for a body that is no form", async () => {
    const request = { ...multipartRequest("POST /messages", { key: validKey }), headers: {}, body: Buffer.from("{}") };
    const response = await callEndpoint(mailgun, request, memoryServices().services);
    expect([response.status, jsonOf(response)]).toEqual([400, { message: "from parameter is missing" }]);
  });

  test("sends a mail of its own to every recipient of recipient variables", async () => {
    const { post, emails } = open();
    const variables = {
      "zoe@shop.example": { first: "Zoë", id: 1 },
      "MAX@shop.example": { first: "Max", id: { a: 2 } },
    };
    await post("/messages", [
      ...required,
      ["to", "Zoë Smith <zoe@shop.example>"],
      ["to", "max@shop.example"],
      ["text", "Hi %recipient.first%, %recipient.id% %recipient_name%/%recipient_lname% %recipient% %recipient.none%"],
      ["html", "<p>%recipient_email% 100%</p>"],
      ["v:recipient-id", "%recipient.id%"],
      ["recipient-variables", JSON.stringify(variables)],
    ]);
    expect(emails.map(({ recipients }) => recipients)).toEqual([["zoe@shop.example"], ["max@shop.example"]]);
    expect(emails.map((email) => draftOf(email).text)).toEqual([
      "Hi Zoë, 1 Zoë Smith/Smith Zoë Smith <zoe@shop.example> %recipient.none%",
      'Hi Max, {"a":2} / max@shop.example %recipient.none%',
    ]);
    expect(emails.map((email) => draftOf(email).html)).toEqual([
      "<p>zoe@shop.example 100%</p>",
      "<p>max@shop.example 100%</p>",
    ]);
    expect(emails.map(({ facts }) => facts.metadata)).toEqual([{ "recipient-id": "1" }, { "recipient-id": '{"a":2}' }]);
  });

  test("rejects a batch whose mails are larger than a request may be", async () => {
    const { post, emails } = open();
    const recipients = Array.from({ length: 100 }, (_, at) => ["to", `r${at}@shop.example`] as const);
    const variables = Object.fromEntries(recipients.map(([, address]) => [address, { x: "y".repeat(1000) }]));
    const response = await post("/messages", [
      ...required,
      ...recipients,
      ["text", "%recipient.x%".repeat(1000)],
      ["recipient-variables", JSON.stringify(variables)],
    ]);
    expect(response.status).toBe(413);
    expect(emails).toEqual([]);
  });

  test("reads lists whose names have an index, as forms of PHP have", async () => {
    const { post, emails } = open();
    const file = { fileName: "a.txt", contentType: "text/plain", content: Buffer.from("Hi") };
    const files = [
      { ...file, name: "attachment[0]" },
      { ...file, name: "attachment[1]" },
      { ...file, name: "inline[0]" },
    ];
    await post("/messages", [...required, ["to[0]", "a@shop.example"], ["to[]", "b@shop.example"], ...text], files);
    const draft = draftOf(emails[0]);
    expect(draft.to.map(({ address }) => address)).toEqual(["a@shop.example", "b@shop.example"]);
    expect(draft.attachments.map(({ isInline }) => isInline)).toEqual([false, false, true]);
  });

  test("adds the tags and the variables as header fields", async () => {
    const { post, emails } = open();
    await post("/messages", [
      ...required,
      ...to,
      ...text,
      ["o:tag", "a"],
      ["o:tag", "b"],
      ["v:order", '{"id":1}'],
      ["h:X-Mailgun-Variables", '{"plan":"pro"}'],
      ["h:Reply-To", "Support <support@app.example>"],
      ["h:Message-Id", "<own@app.example>"],
    ]);
    expect(emails[0]?.facts).toMatchObject({ tags: ["a", "b"], metadata: { plan: "pro", order: '{"id":1}' } });
    expect(draftOf(emails[0]).headers).toEqual([
      ["X-Mailgun-Tag", "a"],
      ["X-Mailgun-Tag", "b"],
      ["X-Mailgun-Variables", '{"plan":"pro","order":"{\\"id\\":1}"}'],
    ]);
    expect(draftOf(emails[0]).replyTo).toEqual([{ name: "Support", address: "support@app.example" }]);
    expect(emails[0]?.messageId).toBe("<own@app.example>");
  });

  test.each<[string, FormFields, string]>([
    [
      "a delivery time after 7 days",
      [["o:deliverytime", "Sat, 28 Nov 2026 10:42:08 +0000"]],
      "o:deliverytime must be within 7 days",
    ],
    ["an attachment that is no file", [["attachment", "content"]], "'attachment' parameter is not a file"],
    [
      "template variables that are no object",
      [
        ["template", "a"],
        ["t:variables", "[]"],
      ],
      "'t:variables' parameter is not a valid JSON",
    ],
    [
      "an invalid Reply-To",
      [["h:Reply-To", "nobody"]],
      "h:Reply-To parameter is not a valid address. please check documentation",
    ],
  ])("rejects %s", async (_name, fields, message) => {
    const { post, emails } = open();
    const response = await post("/messages", [...required, ...to, ...text, ...fields]);
    expect([response.status, jsonOf(response), emails]).toEqual([400, { message }, []]);
  });

  test("responds to an unknown key with the plain text Forbidden", async () => {
    const request = multipartRequest("POST /messages", { key: "unknown" });
    const response = await callEndpoint(mailgun, request, memoryServices().services);
    expect(response).toMatchObject({
      status: 401,
      body: { contentType: "text/plain; charset=utf-8", text: "Forbidden" },
    });
    const domains = { ...request, method: "GET" as const, path: "/v4/domains" };
    expect(jsonOf(await callEndpoint(mailgun, domains, memoryServices().services))).toEqual({
      message: "Invalid private key",
    });
  });

  test("responds to an unknown path with plain text", async () => {
    expect(await open().call("GET /nothing")).toMatchObject({ status: 404, body: { text: "404 page not found\n" } });
  });
});

describe("POST /v3/:domain/messages.mime", () => {
  const mail = 'From: Shop <shop@app.example>\r\nX-Mailgun-Tag: a\r\nX-Mailgun-Variables: {"id":7}\r\n\r\nHello\0\xff';
  const content = Buffer.from(mail, "latin1");
  const file = { name: "message", fileName: "MimeMessage", contentType: "application/octet-stream", content };

  test("stores the bytes of a file unchanged", async () => {
    const { post, emails } = open();
    const response = await post("/messages.mime", [...to, ["o:tag", "b"]], [file]);
    expect(jsonOf(response)).toMatchObject({ id: emails[0]?.providerId });
    expect(emails[0]).toMatchObject({
      mailFrom: "shop@app.example",
      recipients: ["zoe@shop.example"],
      messageId: null,
    });
    expect(emails[0]?.facts).toEqual({ tags: ["a", "b"], metadata: { id: "7" }, template: null });
    expect(content.equals(emails[0]?.content as Uint8Array)).toBe(true);
  });

  test("accepts a field without a file name, and a mail without a sender", async () => {
    const { post, emails } = open();
    await post("/messages.mime", [...to, ["message", "Subject: Hello\r\n\r\nHello"]]);
    expect(emails[0]).toMatchObject({ mailFrom: "postmaster@mg.app.example" });
  });

  test("rejects another content type and a missing message", async () => {
    const { post, services } = open();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const request = formRequest(to, { headers, path: "/v3/mg.app.example/messages.mime", key: validKey });
    expect(jsonOf(await callEndpoint(mailgun, request, services))).toEqual({
      message:
        "Invalid request content type. Expecting 'multipart/form-data' but got 'application/x-www-form-urlencoded'",
    });
    expect(jsonOf(await post("/messages.mime", to))).toEqual({ message: "message parameter is missing" });
  });
});

describe("stored messages", () => {
  test("are returned with their source, and sent to other recipients", async () => {
    const { post, services, emails } = open();
    const { id } = jsonOf(await post("/messages", [...required, ...to, ...text, ["o:tag", "a"]]));
    const path = `/v3/domains/mg.app.example/messages/${uuidToBase64url(mailgunUuidOf(String(id)))}`;
    const headers = { accept: "message/rfc2822" };
    const request = { ...formRequest([], { path, key: validKey, headers }), method: "GET" as const };
    const source = Buffer.from(await (await services.authenticate(validKey, "read")).getRaw(emails[0]?.uuid ?? ""));
    const stored = jsonOf(await callEndpoint(mailgun, request, services));
    expect(stored).toMatchObject({
      sender: "shop@app.example",
      subject: "Hello",
      "body-mime": source.toString("utf8"),
    });
    const form = multipartRequest("POST /", { fields: [["to", "max@shop.example"]], key: validKey });
    const response = await callEndpoint(mailgun, { ...form, path }, services);
    expect(jsonOf(response)).toEqual({ id: emails[1]?.providerId, message: "Queued. Thank you." });
    expect(emails[1]).toMatchObject({ recipients: ["max@shop.example"], messageId: null, facts: { tags: ["a"] } });
    const other = { ...form, path: path.replace("mg.app", "other.app") };
    expect(jsonOf(await callEndpoint(mailgun, other, services))).toEqual({ message: "Message not found" });
  });
});

describe("templates", () => {
  const stored: FormFields = [
    ["name", "Welcome"],
    ["template", "<p>Hi {{name}}</p>"],
    ["headers", '{"Subject":"Hi {{name}}","From":"team@app.example","Reply-To":"help@app.example"}'],
  ];

  test("are rendered with their header fields", async () => {
    const { post, emails, templateJobs } = open();
    expect(jsonOf(await post("/templates", stored))).toMatchObject({
      message: "template has been stored",
      template: {
        name: "welcome",
        createdAt: "Fri, 20 Nov 2026 10:42:07 UTC",
        version: { tag: "initial", engine: "handlebars", active: true, template: "<p>Hi {{name}}</p>" },
      },
    });
    const fields: FormFields = [...to, ["template", "welcome"], ["t:variables", '{"name":"Zoë"}'], ["t:text", "yes"]];
    await post("/messages", fields);
    expect(templateJobs[0]).toMatchObject({ language: "handlebars", data: { name: "Zoë" } });
    // The services of tests render `<source>|<data>`; the sender is therefore not valid.
    expect(draftOf(emails[0])).toMatchObject({
      from: { address: "postmaster@mg.app.example" },
      subject: 'Hi {{name}}|{"name":"Zoë"}',
      html: '<p>Hi {{name}}</p>|{"name":"Zoë"}',
      text: 'Hi {{name}}\n|{"name":"Zoë"}',
    });
  });

  test("are created, read, changed and deleted with their versions", async () => {
    const { post, call } = open();
    await post("/templates", stored);
    expect(jsonOf(await post("/templates", stored))).toEqual({
      message: "template with name 'welcome' already exists",
    });
    const second: FormFields = [
      ["template", "<b>2</b>"],
      ["tag", "v2"],
      ["active", "yes"],
      ["comment", "second"],
    ];
    expect(jsonOf(await post("/templates/welcome/versions", second))).toMatchObject({
      message: "new version of the template has been stored",
      template: { version: { tag: "v2", active: true } },
    });
    expect((await post("/templates/welcome/versions", second)).status).toBe(409);
    expect(jsonOf(await call("GET /templates/welcome?active=yes"))).toMatchObject({
      template: { version: { template: "<b>2</b>" } },
    });
    await call("PUT /templates/welcome/versions/initial", [
      ["template", "<b>1</b>"],
      ["active", "yes"],
    ]);
    expect(jsonOf(await call("GET /templates/welcome/versions/initial"))).toMatchObject({
      template: { version: { template: "<b>1</b>", active: true } },
    });
    const { template } = jsonOf(await call("GET /templates/welcome/versions")) as { template: { versions: object[] } };
    expect(template.versions).toMatchObject([
      { tag: "initial", active: true },
      { tag: "v2", active: false },
    ]);
    expect(jsonOf(await call("DELETE /templates/welcome/versions/v2"))).toEqual({
      message: "version has been deleted",
      template: { name: "welcome", version: { tag: "v2" } },
    });
    expect(jsonOf(await call("GET /templates/welcome/versions/v2"))).toEqual({ message: "template version not found" });
    expect(jsonOf(await call("PUT /templates/welcome", [["description", "New"]]))).toMatchObject({
      message: "template has been updated",
    });
    expect(jsonOf(await call("PUT /templates/welcome"))).toEqual({ message: "No fields are provided to update" });
    expect(jsonOf(await call("DELETE /templates/welcome"))).toMatchObject({ message: "template has been deleted" });
    expect(await call("GET /templates/welcome")).toMatchObject({
      status: 404,
      body: { text: '{"message":"template not found"}' },
    });
  });

  test("are listed by page", async () => {
    const { post, call } = open();
    for (const name of ["a", "b", "c"]) await post("/templates", [["name", name]]);
    const namesOf = (page: Readonly<Record<string, unknown>>): readonly string[] =>
      (page["items"] as readonly { readonly name: string }[]).map(({ name }) => name);
    const first = jsonOf(await call("GET /templates?limit=2"));
    expect(namesOf(first)).toEqual(["a", "b"]);
    const { next } = first["paging"] as { readonly next: string };
    expect(next).toBe("http://localhost/providers/mailgun/v3/mg.app.example/templates?page=next&p=b&limit=2");
    const intercepted = jsonOf(await call("GET /templates?limit=2", [], { host: "api.eu.mailgun.net" }));
    expect(intercepted["paging"]).toMatchObject({
      next: "https://api.eu.mailgun.net/v3/mg.app.example/templates?page=next&p=b&limit=2",
    });
    expect(namesOf(jsonOf(await call("GET /templates?page=next&p=b&limit=2")))).toEqual(["c"]);
    expect(namesOf(jsonOf(await call("GET /templates?page=prev&p=c&limit=1")))).toEqual(["b"]);
    expect(namesOf(jsonOf(await call("GET /templates?page=last&limit=1")))).toEqual(["c"]);
    expect(jsonOf(await call("DELETE /templates"))).toEqual({ message: "templates have been deleted" });
    expect(namesOf(jsonOf(await call("GET /templates")))).toEqual([]);
  });

  test.each<[string, FormFields, string]>([
    ["without a name", [], "Missing mandatory parameter: name"],
    ["with an invalid name", [["name", "a b"]], "Invalid parameter: name is invalid"],
    [
      "with another engine",
      [
        ["name", "a"],
        ["template", "x"],
        ["engine", "go"],
      ],
      "Invalid parameter: engine go is not supported",
    ],
    [
      "with content that is too long",
      [
        ["name", "a"],
        ["template", "x".repeat(102_401)],
      ],
      "Invalid parameter: template is invalid",
    ],
    [
      "with other header fields",
      [
        ["name", "a"],
        ["template", "x"],
        ["headers", '{"To":"a"}'],
      ],
      "Invalid parameter: headers is invalid",
    ],
  ])("are rejected %s", async (_name, fields, message) => {
    expect(jsonOf(await open().post("/templates", fields))).toEqual({ message });
  });
});

describe("events", () => {
  const eventsOf = (response: ProviderResponse): readonly Readonly<Record<string, unknown>>[] =>
    jsonOf(response)["items"] as readonly Readonly<Record<string, unknown>>[];

  test("show each recipient as accepted and delivered, with the key of the stored message", async () => {
    const { post, call, emails } = open();
    await post("/messages", [...required, ...to, ...text, ["o:tag", "welcome"], ["v:id", "1"]]);
    const [delivered, accepted] = eventsOf(await call("GET /events"));
    expect(delivered).toMatchObject({
      event: "delivered",
      "delivery-status": { code: 250 },
      recipient: "zoe@shop.example",
    });
    expect(accepted).toMatchObject({
      event: "accepted",
      timestamp: startInstant / 1000,
      tags: ["welcome"],
      "user-variables": { id: "1" },
      message: { headers: { subject: "Hello", "message-id": emails[0]?.providerId.slice(1, -1) } },
    });
    const { key, url } = (accepted?.["storage"] ?? {}) as { readonly key: string; readonly url: string };
    expect(url).toBe(`http://localhost/providers/mailgun/v3/domains/mg.app.example/messages/${key}`);
  });

  test("are filtered, sorted and paged", async () => {
    const opened = open();
    const { post, call } = opened;
    for (const [at, name] of ["a", "b", "c"].entries()) {
      opened.now = startInstant + at * 1000;
      await post("/messages", [...required, ["to", `${name}@shop.example`], ...text, ["o:tag", name]]);
    }
    const recipientsOf = (response: ProviderResponse): readonly unknown[] =>
      eventsOf(response).map(({ recipient }) => String(recipient).charAt(0));
    expect(recipientsOf(await call("GET /events?event=delivered&tags=a+OR+c"))).toEqual(["c", "a"]);
    expect(recipientsOf(await call("GET /events?event=accepted&recipient=b@shop.example"))).toEqual(["b"]);
    const first = await call("GET /events?event=accepted&ascending=yes&limit=2");
    expect(recipientsOf(first)).toEqual(["a", "b"]);
    const { next, previous } = jsonOf(first)["paging"] as { readonly next: string; readonly previous: string };
    const pathOf = (url: string): `GET ${string}` => `GET ${url.slice(url.indexOf("/events"))}`;
    expect(recipientsOf(await call(pathOf(next)))).toEqual(["c"]);
    expect(recipientsOf(await call(pathOf(previous)))).toEqual([]);
    expect((await call("GET /events?begin=yesterday")).status).toBe(400);
  });

  test("shows no events of another domain", async () => {
    const { post, services } = open();
    await post("/messages", [...required, ...to, ...text]);
    const path = "/v3/other.example/events";
    const request = {
      ...formRequest([], { path, key: validKey, url: `http://localhost${path}` }),
      method: "GET" as const,
    };
    expect(eventsOf(await callEndpoint(mailgun, request, services))).toEqual([]);
  });
});

describe("domains", () => {
  test("lists the domains of the newest mails, and reads any host name", async () => {
    const { post, services } = open();
    await post("/messages", [...required, ...to, ...text]);
    const get = async (path: string): Promise<unknown> =>
      jsonOf(await callEndpoint(mailgun, { ...formRequest([], { path, key: validKey }), method: "GET" }, services));
    expect(await get("/v4/domains")).toMatchObject({
      total_count: 1,
      items: [{ name: "mg.app.example", state: "active" }],
    });
    expect(await get("/v3/domains/x.example")).toMatchObject({
      domain: { name: "x.example", smtp_login: "postmaster@x.example" },
    });
  });
});

describe("parseExpression", () => {
  test.each([
    ["accepted OR delivered", ["delivered"], true],
    ["foo bar", ["bar foo"], true],
    ["foo AND bar", ["foo"], false],
    ['"foo bar"', ["bar foo"], false],
    ["NOT foo", ["bar"], true],
    ["NOT foo", ["a foo"], false],
    ["", ["x"], true],
  ])("matches %j with %j: %j", (expression, values, expected) => {
    expect(parseExpression(expression)(values)).toBe(expected);
  });
});

describe("textOfHtml", () => {
  test.each([
    ["<p>Hi <b>Zo&amp;</b></p><p>2</p>", "Hi Zo&\n2"],
    ["<head><title>x</title></head><style>a{}</style>a<br/>b", "a\nb"],
    ["a < b", "a < b"],
    ["<!-- x -->a", "a"],
  ])("returns the text of %j: %j", (html, expected) => {
    expect(textOfHtml(html)).toBe(expected);
  });
});
