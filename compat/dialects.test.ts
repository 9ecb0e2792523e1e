/**
 * Requests in the form of the official libraries for languages that are not installed here: authentication, spelling of
 * names, absent values and dates. The same scenarios run in each dialect.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type Reply } from "../src/testing/http-test-server.test-aid.ts";

/** Criteria of a search. */
type Wanted = Partial<Record<"sentFrom" | "sentTo" | "subject" | "body", string>>;

/** Form of the requests of a library. */
interface Dialect {
  readonly userAgent: string;
  /** Whether the key is sent as bearer token instead of as Basic user name. */
  readonly isBearer?: boolean;
  /** Header fields of every request, also of those without a body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly bodyType?: string;
  readonly serversPath?: string;
  /** Suffix of a path without parameters. */
  readonly emptyQuery?: string;
  readonly server: (name: string | null) => string;
  readonly search: (wanted: Wanted) => string;
  /** Formats an instant for a query, escaped as in the library. */
  readonly moment: (at: Date) => string;
}

const names = ["sentFrom", "sentTo", "subject", "body"] as const;
const filled = (wanted: Wanted, missing: unknown): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, wanted[name] ?? missing]));
const pascal = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
const json = JSON.stringify;
const wholeSeconds = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, "");
const everyRequestIsJson = { "content-type": "application/json" };

const dialects: Readonly<Record<string, Dialect>> = {
  java: {
    userAgent: "mailosaur-java/9.0.0 Google-HTTP-Java-Client/1.45.0 (gzip)",
    headers: { "accept-encoding": "gzip" },
    bodyType: "application/json; charset=UTF-8",
    emptyQuery: "?",
    server: (name) => json(name === null ? {} : { name }),
    search: (wanted) => json({ ...wanted, match: "ALL" }),
    moment: (at) => String(at.getTime()),
  },
  dotnet: {
    userAgent: "mailosaur-dotnet/9.0.0",
    headers: { accept: "application/json" },
    bodyType: "application/json; charset=utf-8",
    server: (name) => json({ Name: name }),
    search: (wanted) =>
      json({ ...Object.fromEntries(names.map((name) => [pascal(name), wanted[name] ?? null])), Match: 0 }),
    moment: (at) => `${wholeSeconds(at)}.0000000%2B00%3A00`,
  },
  "dotnet, with an instant without time zone": {
    userAgent: "mailosaur-dotnet/9.0.0",
    server: (name) => json({ Name: name }),
    search: (wanted) =>
      json({
        SentTo: null,
        ...Object.fromEntries(Object.entries(wanted).map(([name, text]) => [pascal(name), text])),
        Match: 1,
      }),
    moment: (at) => `${wholeSeconds(at)}.1234567`,
  },
  ruby: {
    userAgent: "mailosaur-ruby/8.0.0",
    headers: { "content-type": "application/json; charset=utf-8", accept: "*/*" },
    bodyType: "application/json; charset=utf-8",
    server: (name) => json({ name }),
    search: (wanted) => json({ ...filled(wanted, null), match: "ALL" }),
    moment: (at) => `${wholeSeconds(at)}%2B00%3A00`,
  },
  php: {
    userAgent: "mailosaur-php/8.0.0",
    serversPath: "/api/servers/",
    server: (name) => json({ name }),
    search: (wanted) => json({ ...filled(wanted, null), match: null }),
    moment: (at) => `${wholeSeconds(at)}%2B00%3A00`,
  },
  go: {
    userAgent: "mailosaur-go/2.0.0",
    headers: { accept: "application/json" },
    server: (name) => `${json({ name: name ?? "" })}\n`,
    search: (wanted) => `${json({ ...filled(wanted, ""), match: "" })}\n`,
    moment: (at) => `${wholeSeconds(at)}Z`,
  },
  dart: {
    userAgent: "mailosaur-dart/1.0.0",
    isBearer: true,
    headers: everyRequestIsJson,
    server: (name) => json({ name: name ?? "" }),
    search: (wanted) => json({ ...filled(wanted, ""), match: "ALL" }),
    moment: (at) => String(at.getTime()),
  },
  swift: {
    userAgent: "mailosaur-swift/2.0.0",
    headers: { ...everyRequestIsJson, accept: "application/json" },
    server: (name) => json(name === null ? { name: "" } : { name }),
    search: (wanted) => json(wanted),
    moment: (at) => `${wholeSeconds(at)}Z`,
  },
  cypress: {
    userAgent: "cypress-mailosaur/5.0.0",
    headers: { accept: "application/json" },
    server: (name) => json(name === null ? {} : { name }),
    search: (wanted) => json(wanted),
    moment: (at) => at.toISOString(),
  },
};

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

describe.each(Object.entries(dialects))("dialect of %s", (language, dialect) => {
  const ask = async (line: string, body?: string): Promise<Reply> => {
    const { userAgent, isBearer = false, headers = {}, bodyType = "application/json" } = dialect;
    return api.ask(line, {
      key: isBearer ? null : api.accountKey,
      headers: {
        "user-agent": userAgent,
        ...headers,
        ...(isBearer && { authorization: `Bearer ${api.accountKey}` }),
        ...(body !== undefined && { "content-type": bodyType }),
      },
      ...(body !== undefined && { body }),
    });
  };
  const serversPath = dialect.serversPath ?? "/api/servers";
  const newServer = async (): Promise<string> => {
    const made = await ask(`POST ${serversPath}`, dialect.server("Team … 👋🏽"));
    expect([made.statusCode, made.json()]).toMatchObject([200, { name: "Team … 👋🏽", users: [], messages: 0 }]);
    return made.json<{ id: string }>().id;
  };
  const deliver = async (id: string, subject: string): Promise<void> =>
    void (await api.deliver({ id: id as never, key: "" }, { to: `a@${id}.restante.test`, subject }));
  const subjects = (reply: Reply): readonly string[] => {
    expect([reply.statusCode, reply.headers["content-encoding"]]).toEqual([200, undefined]);
    return reply.json<{ items: { subject: string }[] }>().items.map(({ subject }) => subject);
  };

  test("creates, lists and deletes servers with the statuses that the libraries check", async () => {
    const id = await newServer();
    const list = await ask(`GET /api/servers${dialect.emptyQuery ?? ""}`);
    expect(list.json<{ items: { id: string }[] }>().items.map((one) => one.id)).toContain(id);
    const renamed = await ask(`PUT /api/servers/${id}`, dialect.server("Renamed"));
    expect([renamed.statusCode, renamed.json()]).toMatchObject([200, { id, name: "Renamed" }]);
    const gone = await ask(`DELETE /api/servers/${id}${dialect.emptyQuery ?? ""}`);
    expect([gone.statusCode, gone.body]).toEqual([204, ""]);
    expect((await ask(`DELETE /api/servers/${id}`)).statusCode).toBe(404);
  });

  test("rejects a server without a name with an error body that the library can parse", async () => {
    const refused = await ask(`POST ${serversPath}`, dialect.server(null));
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toMatch(/^\{"type":"[A-Za-z]+","status":400,/);
    expect(refused.json()).toMatchObject({
      errors: [{ field: "name", detail: [{ description: "Servers need a name", code: "required" }] }],
    });
  });

  test("searches by one criterion, however absent criteria are encoded", async () => {
    const id = await newServer();
    await deliver(id, "Wanted … 👋🏽");
    await deliver(id, "Other");
    const search = async (wanted: Wanted): Promise<readonly string[]> =>
      subjects(await ask(`POST /api/messages/search?server=${id}&page=0&itemsPerPage=50`, dialect.search(wanted)));
    expect(await search({ subject: "wanted … 👋🏽" })).toEqual(["Wanted … 👋🏽"]);
    expect(await search({ sentTo: `A@${id}.restante.test` })).toHaveLength(2);
    expect(await search({ subject: "nothing" })).toEqual([]);
    const refused = await ask(`POST /api/messages/search?server=${id}`, dialect.search({}));
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { errors: [{ detail: [{}] }] }]);
  });

  test("returns a delay of whole seconds for an empty search, or 0 when the next one is held", async () => {
    const id = await newServer();
    const reply = await ask(`POST /api/messages/search?server=${id}`, dialect.search({ subject: "none" }));
    expect(subjects(reply)).toEqual([]);
    expect(reply.headers["x-ms-delay"]).toMatch(/^(?:0|1000)$/);
  });

  test("returns only the messages after receivedAfter", async () => {
    const id = await newServer();
    await deliver(id, "Now");
    const list = async (at: number): Promise<readonly string[]> => {
      const moment = dialect.moment(new Date(at));
      return subjects(await ask(`GET /api/messages?server=${id}&receivedAfter=${moment}`));
    };
    expect(await list(api.clock.now() - 3_600_000)).toEqual(["Now"]);
    expect(await list(api.clock.now() + 3_600_000)).toEqual([]);
  });

  test("returns a message and its raw bytes, and responds 404 after its deletion", async () => {
    const id = await newServer();
    await deliver(id, "Once");
    const list = await ask(`GET /api/messages?server=${id}`);
    const [summary] = list.json<{ items: { id: string }[] }>().items;
    const path = `/api/messages/${summary?.id ?? ""}`;
    const message = (await ask(`GET ${path}${dialect.emptyQuery ?? ""}`)).json<Record<string, unknown>>();
    for (const field of ["from", "to", "cc", "bcc", "attachments"]) expect(message[field]).toBeInstanceOf(Array);
    for (const field of ["html", "text", "metadata"]) expect(message[field]).toBeTypeOf("object");
    const raw = await ask(`GET /api/files/email/${summary?.id ?? ""}`);
    expect([raw.statusCode, raw.body]).toEqual([200, expect.stringContaining("Subject: Once\r\n")]);
    expect((await ask(`DELETE ${path}`)).statusCode).toBe(204);
    for (const method of ["GET", "DELETE"]) expect((await ask(`${method} ${path}`)).statusCode).toBe(404);
    expect((await ask(`DELETE /api/messages?server=${id}`)).statusCode).toBe(204);
  });

  test("lists email clients, generates previews, and responds 410 after the message is deleted", async () => {
    const id = await newServer();
    await deliver(id, "Look");
    const [message] = (await ask(`GET /api/messages?server=${id}`)).json<{ items: { id: string }[] }>().items;
    const clients = await ask(`GET /api/screenshots/clients${dialect.emptyQuery ?? ""}`);
    const labels = clients.json<{ items: { label: string; name: string }[] }>().items.map(({ label }) => label);
    expect(labels).toContain("iphone-16plus-applemail-lightmode-portrait");
    const name = language === "net" ? "EmailClients" : "emailClients";
    const body = json({ [name]: ["iphone-16plus-applemail-lightmode-portrait"] });
    const made = await ask(`POST /api/messages/${message?.id ?? ""}/screenshots`, body);
    const [preview] = made.json<{ items: { id: string; emailClient: string; disableImages: unknown }[] }>().items;
    expect([made.statusCode, preview?.disableImages]).toEqual([200, false]);
    const path = `/api/files/screenshots/${preview?.id ?? ""}${dialect.emptyQuery ?? ""}`;
    const png = await ask(`GET ${path}`);
    expect([png.statusCode, png.headers["content-type"]]).toEqual([200, "image/png"]);
    await ask(`DELETE /api/messages/${message?.id ?? ""}`);
    expect((await ask(`GET ${path}`)).statusCode).toBe(410);
  });

  test("responds 401 for a wrong key and 404 for malformed ids", async () => {
    const stranger = await api.ask("GET /api/servers", { key: "wrong", headers: { "user-agent": dialect.userAgent } });
    expect(stranger.statusCode).toBe(401);
    for (const path of ["/api/messages/not_found", "/api/servers/efe907e9-74ed-4113-a3e0-a3d41d914765"]) {
      expect((await ask(`GET ${path}`)).statusCode).toBe(404);
    }
  });
});
