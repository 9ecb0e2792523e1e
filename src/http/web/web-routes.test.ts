/** Routes of the web UI over the whole pipeline: authentication and visibility. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../testing/http-test-server.test-aid.ts";
import { hashKey } from "../../operations/services/security/stored-secrets.ts";
import type { Assets } from "./assets.ts";
import { routeTable } from "../route-table.ts";
import { createSessions, ownPageHeader, pageTokenHeader, type Sessions } from "./sessions.ts";

const own = { host: "localhost:8025", "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", [ownPageHeader]: "1" };
const page = { contentType: "text/html; charset=utf-8", bytes: Buffer.from("<p>"), gzip: Buffer.from("zipped") };
const assets: Assets = { find: async (name) => (name === "index.html" || name === "assets/a.js" ? page : undefined) };

let api: HttpTestServer;
let sessions: Sessions;
let server: TestServer;
let foreign: TestServer;
const unknownId = "00000000-0000-4000-8000-000000000000";
const pageUrl = `/web/messages/${unknownId}/html`;

beforeAll(async () => {
  let current: Sessions | undefined;
  const late = (): Sessions => (current ??= createSessions(api.context));
  api = await openHttpTestServer({
    web: {
      assets,
      get sessions() {
        return late();
      },
      freeBytes: async () => 5_000_000_000,
      addresses: () => ({
        url: "http://localhost:8025",
        smtp: { host: "127.0.0.1", port: 1025 },
        mailDomain: "m.test",
      }),
      version: "1.2.3",
      cookie: { isSecure: false, basePath: "" },
    },
  });
  sessions = late();
  server = await api.addServer("own");
  foreign = await api.addServer("foreign");
});
afterAll(async () => api[Symbol.asyncDispose]());

const signIn = async (secret: string): Promise<Reply> =>
  api.ask("POST /web/session", { key: null, headers: { ...own, authorization: `Bearer ${secret}` } });
/** Returns the headers of the session that a response opened. */
const sessionOf = (reply: Reply): Record<string, string> => ({
  cookie: String(reply.headers["set-cookie"]).split(";")[0] ?? "",
  [pageTokenHeader]: reply.json<{ pageToken: string }>().pageToken,
});
const asBrowser = async (
  line: string,
  session: Record<string, string>,
  headers: Record<string, string> = own,
): Promise<Reply> => api.ask(line, { key: null, headers: { ...headers, ...session } });

describe("signing in", () => {
  test("opens a session with the access of the key", async () => {
    const reply = await signIn(server.key);
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({ pageToken: expect.stringMatching(/^[\w-]{43}$/) as string });
    expect(reply.headers["set-cookie"]).toMatch(/^restante-8025=[\w-]{43}; Path=\/; .*HttpOnly; SameSite=Strict$/);
    const session = (await asBrowser("GET /web/session", sessionOf(reply))).json<Record<string, unknown>>();
    expect(session).toEqual({
      url: "http://localhost:8025",
      smtp: { host: "127.0.0.1", port: 1025 },
      mailDomain: "m.test",
      version: "1.2.3",
      server: server.id,
      isAccount: false,
      user: null,
      hasPeople: false,
      scope: "full",
      verified: [],
      smsProviders: [
        { name: "twilio", label: "Twilio", signingSecret: "auth token", account: expect.anything() as unknown },
        {
          name: "vonage",
          label: "Vonage",
          signingSecret: "signature secret",
          account: { id: "API key", key: null, secret: "API secret" },
        },
      ],
      providerLabels: expect.objectContaining({ twilio: "Twilio" }) as unknown,
    });
    const servers = (await asBrowser("GET /api/servers", sessionOf(reply))).json<{ id: string }[]>();
    expect(servers.map(({ id }) => id)).toEqual([server.id]);
    expect((await asBrowser("GET /api/keys", sessionOf(reply))).statusCode).toBe(403);
  });

  test("accepts a token once", async () => {
    const token = await sessions.issueToken(hashKey(api.context.secrets, api.accountKey));
    const reply = await signIn(token);
    expect((await asBrowser("GET /api/keys", sessionOf(reply))).statusCode).toBe(200);
    expect((await signIn(token)).statusCode).toBe(401);
  });

  test.each(["wrong", ""])("rejects %j without a Basic challenge", async (secret) => {
    const reply = await signIn(secret);
    expect([reply.statusCode, reply.headers["www-authenticate"]]).toEqual([401, 'Session realm="restante"']);
    expect(reply.headers["set-cookie"]).toBeUndefined();
  });

  test("counts wrong keys by address", async () => {
    const remoteAddress = "192.0.2.7";
    const guess = async (): Promise<number> =>
      (await api.ask("POST /web/session", { key: "guess", remoteAddress, headers: own })).statusCode;
    for (let count = 0; count < api.context.limits.wrongKeyCountPerMinuteMax; count += 1)
      expect(await guess()).toBe(401);
    expect(await guess()).toBe(429);
  });

  test("rejects pages of other origins", async () => {
    const headers = { ...own, origin: "http://localhost:3000", authorization: `Bearer ${server.key}` };
    expect((await api.ask("POST /web/session", { key: null, headers })).statusCode).toBe(403);
  });
});

describe("a session", () => {
  test("is closed on signing out, and its cookie is cleared", async () => {
    const session = sessionOf(await signIn(api.accountKey));
    const reply = await asBrowser("DELETE /web/session", session);
    expect([reply.statusCode, reply.headers["set-cookie"]]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    expect((await asBrowser("GET /api/servers", session)).statusCode).toBe(401);
  });

  test("is recorded in the audit log when it is opened and closed", async () => {
    const session = sessionOf(await signIn(server.key));
    await asBrowser("DELETE /web/session", session);
    const entries = (await api.ask("GET /api/audit?itemsPerPage=2")).json<
      { action: string; key: string; by: string; clientAddress: string }[]
    >();
    expect(entries.map(({ action, by }) => [action, by])).toEqual([
      ["session.close", "session"],
      ["session.open", "key"],
    ]);
    expect(new Set(entries.map(({ key }) => key)).size).toBe(1);
  });

  test("is closed when its key is revoked", async () => {
    const created = (await api.ask("POST /api/keys", { body: {} })).json<{ id: string; key: string }>();
    const session = sessionOf(await signIn(created.key));
    expect((await asBrowser("GET /api/servers", session)).statusCode).toBe(200);
    await api.ask(`DELETE /api/keys/${created.id}`);
    expect((await asBrowser("GET /api/servers", session)).statusCode).toBe(401);
  });

  test.each([
    ["another port of this machine", "GET /api/servers", { ...own, "sec-fetch-site": "same-site" }, 401],
    ["another site", "GET /api/servers", { ...own, "sec-fetch-site": "cross-site" }, 401],
    ["another origin", "GET /api/servers", { ...own, origin: "http://localhost:3000" }, 403],
    ["a name that is not ours", "GET /api/servers", { ...own, host: "rebound.example" }, 403],
  ])("is invalid for a request from %s", async (...[, line, headers, status]) => {
    const session = sessionOf(await signIn(api.accountKey));
    expect((await asBrowser(line, session, headers)).statusCode).toBe(status);
  });

  test("is invalid with its cookie or its page token alone, on every route", async () => {
    const session = sessionOf(await signIn(api.accountKey));
    const { cookie = "", [pageTokenHeader]: page = "" } = session;
    for (const route of routeTable.filter(({ access }) => access === "key" || access === "account")) {
      const line = `${route.method} ${route.path.replace(":id", server.id).replace("*", "x")}?server=${server.id}`;
      for (const part of [{ cookie }, { cookie, [ownPageHeader]: "1" }, { [pageTokenHeader]: page }]) {
        const headers = { host: own.host, "sec-fetch-site": "same-origin" };
        const reply = await api.ask(line, { key: null, headers: { ...headers, ...part } });
        if (reply.statusCode !== 410) expect([line, reply.statusCode]).toEqual([line, 401]);
      }
    }
    expect((await asBrowser("GET /api/servers", session)).statusCode).toBe(200);
  });

  test("signs URLs for frames and downloads, which need its cookie and no header", async () => {
    const session = sessionOf(await signIn(server.key));
    const id = await api.deliver(server);
    const sign = async (url: string): Promise<Reply> =>
      api.ask("POST /web/tickets", { key: null, headers: { ...own, ...session }, body: { url } });
    const { url } = (await sign(`/api/files/email/${id}`)).json<{ url: string }>();
    const headers = { host: own.host, "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" };
    const get = async (line: string, more: Record<string, string>): Promise<number> =>
      (await api.ask(line, { key: null, headers: { ...headers, ...more } })).statusCode;
    const cookie = session["cookie"] ?? "";
    expect(await get(`GET ${url}`, { cookie })).toBe(200);
    expect(await get(`HEAD ${url}`, { cookie })).toBe(200);
    expect(await get(`GET ${url}`, {})).toBe(401);
    expect(await get(`GET ${url}`, { cookie, "sec-fetch-site": "same-site" })).toBe(401);
    const ticket = url.slice(url.indexOf("ticket="));
    expect(await get(`DELETE /api/messages/${id}?${ticket}`, { cookie })).toBe(401);
    expect(await get(`GET /api/messages/${id}?${ticket}`, { cookie })).toBe(401);
    expect((await sign("/api/messages")).statusCode).toBe(400);
    expect((await api.ask("POST /web/tickets", { body: { url: `/api/files/email/${id}` } })).statusCode).toBe(404);
  });

  test("sends no Basic challenge without a session", async () => {
    const pending = await asBrowser("GET /web/session", {});
    expect([pending.statusCode, pending.headers["www-authenticate"]]).toEqual([401, 'Session realm="restante"']);
    const typed = await asBrowser("GET /api/servers", {}, { host: own.host, "sec-fetch-mode": "navigate" });
    expect(typed.headers["www-authenticate"]).toBe('Basic realm="restante"');
  });

  test.each<readonly [string, string, Record<string, string>]>([
    ["a frame", `GET ${pageUrl}`, { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
    ["a frame of a browser without fetch metadata", `GET ${pageUrl}`, {}],
    [
      "a download whose signed URL has expired",
      `GET /api/files/email/${unknownId}?ticket=old`,
      { "sec-fetch-mode": "navigate" },
    ],
    [
      "a download by an image",
      `GET /api/files/attachments/${unknownId}`,
      { "sec-fetch-mode": "navigate", "sec-fetch-dest": "image" },
    ],
  ])("sends no Basic challenge without a session in %s", async (_request, line, headers) => {
    const reply = await asBrowser(line, {}, { host: own.host, ...headers });
    expect([reply.statusCode, reply.headers["www-authenticate"]]).toEqual([401, 'Session realm="restante"']);
  });

  test("is ignored when the request has a key", async () => {
    const session = sessionOf(await signIn(api.accountKey));
    expect((await api.ask("GET /api/servers", { key: "wrong", headers: { ...own, ...session } })).statusCode).toBe(401);
  });
});

describe("pages", () => {
  test.each(["/", "/servers", "/servers/abcd1234/messages/x/html", "/keys"])(
    "%s is the page of the web UI",
    async (path) => {
      const reply = await api.ask(`GET ${path}`, { key: null });
      expect([reply.statusCode, reply.body, reply.headers["cache-control"]]).toEqual([200, "<p>", "no-cache"]);
      const policy = String(reply.headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      // Fonts for PDF files that contain none.
      expect(policy).toContain("font-src 'self'; ");
      expect(policy).toContain("frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|http|\*/);
      expect(reply.headers["referrer-policy"]).toBe("no-referrer");
      expect(reply.headers["cross-origin-opener-policy"]).toBe("same-origin");
    },
  );

  test("files are cacheable, and compressed for browsers that accept it", async () => {
    const reply = await api.ask("GET /assets/a.js", { key: null, headers: { "accept-encoding": "br, gzip" } });
    expect([reply.body, reply.headers["content-encoding"], reply.headers["vary"]]).toEqual([
      "zipped",
      "gzip",
      "accept-encoding",
    ]);
    expect(reply.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  });

  test("respond 404 for unknown files", async () => {
    expect((await api.ask("GET /assets/../index.html", { key: null })).statusCode).toBe(404);
    expect((await api.ask("GET /assets/none.js", { key: null })).statusCode).toBe(404);
  });
});

const png = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"),
  Buffer.from([0, 0, 0, 2, 0, 0, 0, 3]),
]);
const bomb = Buffer.concat([png.subarray(0, 16), Buffer.from([0, 1, 0, 0, 0, 1, 0, 0])]);
const part = (id: string, bytes: Buffer): string =>
  `--b\r\nContent-Type: image/svg+xml\r\nContent-ID: <${id}>\r\nContent-Transfer-Encoding: base64\r\n` +
  `Content-Disposition: inline; filename="${id}.svg"\r\n\r\n${bytes.toString("base64")}\r\n`;
const raw =
  "Subject: s\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n" +
  `<img src="cid:logo"><img src="data:,"><img src="data:,"><p>Your code is 482913</p>\r\n` +
  `${part("logo", png)}${part("bomb", bomb)}${part("text", Buffer.from("<svg onload=x>"))}--b--\r\n`;

describe("excerpts of a message", () => {
  let message: string;
  let attachments: readonly string[];
  const files = ["logo.svg", "bomb.svg", "text.svg"];
  beforeAll(async () => {
    message = await api.deliver(server, { raw });
    const detail = (await api.ask(`GET /api/messages/${message}`)).json<{ attachments: { id: string }[] }>();
    attachments = detail.attachments.map(({ id }) => id);
  });

  test("excerpts contain codes and size, and omit deleted messages", async () => {
    const other = await api.deliver(server);
    await api.ask(`DELETE /api/messages/${other}`);
    const reply = await api.ask(`GET /web/glances?ids=${other},${message}`, { key: server.key });
    const content = {
      id: message,
      codes: ["482913"],
      sizeBytes: Buffer.byteLength(raw),
      inline: 3,
      files,
      providerTags: [],
    };
    expect(reply.json()).toEqual([{ ...content, flags: [], tags: [], sequence: 0 }]);
    const marks = { flags: ["seen", "flagged"], tags: ["beta"] };
    await api.ask(`PUT /api/messages/${message}/marks`, { body: marks });
    const [marked] = (await api.ask(`GET /web/glances?ids=${message}`)).json<{ sequence: number }[]>();
    expect(marked).toEqual({ ...content, ...marks, sequence: expect.any(Number) as number });
    const changed = await api.ask(`GET /api/servers/${server.id}/marks?after=${(marked?.sequence ?? 0) - 1}`);
    expect(changed.json()).toEqual([{ id: message, ...marks, sequence: marked?.sequence }]);
    await api.ask(`PUT /api/messages/${message}/marks`, { body: {} });
  });

  test("unread messages are counted", async () => {
    const count = async (key = server.key): Promise<Reply> => api.ask(`GET /web/servers/${server.id}/unread`, { key });
    const { unread } = (await count()).json<{ unread: number }>();
    await api.ask(`PUT /api/messages/${message}/marks`, { body: { flags: ["seen"] } });
    expect((await count()).json()).toEqual({ unread: unread - 1 });
    await api.ask(`PUT /api/messages/${message}/marks`, { body: {} });
    expect((await count(foreign.key)).statusCode).toBe(404);
  });

  test("excerpts contain the tags that the API of a provider was given", async () => {
    const mail = {
      personalizations: [{ to: [{ email: `ada@${server.id}.m.test` }] }],
      from: { email: "a@example.com" },
      subject: "s",
      content: [{ type: "text/plain", value: "t" }],
      categories: ["welcome", "2026"],
    };
    const sent = await api.ask("POST /providers/sendgrid/v3/mail/send", { body: mail, key: server.key });
    expect(sent.statusCode).toBe(202);
    const [newest] = (await api.ask(`GET /api/messages?server=${server.id}`)).json<{ id: string }[]>();
    const [excerpt] = (await api.ask(`GET /web/glances?ids=${newest?.id ?? ""}`)).json<object[]>();
    expect(excerpt).toMatchObject({ providerTags: ["welcome", "2026"], tags: [] });
    await api.ask(`DELETE /api/messages/${newest?.id ?? ""}`);
  });

  test("passages show the first term that the text or a link of a message contains", async () => {
    const long = `${"word ".repeat(100)}the <b>Needle</b> is here, ${"word ".repeat(100)}`;
    const html = `Subject: s\r\nContent-Type: text/html\r\n\r\n<p>${long}<a href="https://shop.example/token-77">go</a>\r\n`;
    const deep = await api.deliver(server, { raw: html });
    const read = async (terms: readonly string[], key = server.key): Promise<Reply> =>
      api.ask("POST /web/passages", { body: { ids: [deep, message], terms }, key });
    expect((await read(["absent", "needle"])).json()).toEqual([
      { id: deep, text: expect.stringMatching(/^…(?:word ){1,5}the Needle is here, word .{50,120}…$/) as string },
    ]);
    expect((await read(["TOKEN-77"])).json()).toEqual([{ id: deep, text: "https://shop.example/token-77" }]);
    expect((await read([""])).json()).toEqual([]);
    expect((await read(["needle"], foreign.key)).statusCode).toBe(404);
    const statusOf = async (idCount: number, terms: readonly string[]): Promise<number> => {
      const body = { ids: Array.from({ length: idCount }, () => deep), terms };
      return (await api.ask("POST /web/passages", { body })).statusCode;
    };
    expect(await statusOf(100, [])).toBe(200);
    expect(await statusOf(101, [])).toBe(400);
    expect(
      await statusOf(
        1,
        Array.from({ length: 20 }, () => "x".repeat(1000)),
      ),
    ).toBe(200);
    expect(
      await statusOf(
        1,
        Array.from({ length: 21 }, () => "x"),
      ),
    ).toBe(400);
    expect(await statusOf(1, ["x".repeat(1001)])).toBe(400);
    await api.ask(`DELETE /api/messages/${deep}`);
  });

  test("messages are deleted together, and none when one of them is not of the server", async () => {
    const [one, two, kept] = await Promise.all([api.deliver(server), api.deliver(server), api.deliver(server)]);
    const other = await api.deliver(foreign);
    const path = `POST /web/servers/${server.id}/deletions`;
    const remove = async (ids: readonly string[], key?: string): Promise<Reply> =>
      api.ask(path, { body: { ids }, ...(key !== undefined && { key }) });
    expect((await remove([kept, other])).statusCode).toBe(404);
    expect((await remove([kept], foreign.key)).statusCode).toBe(404);
    expect((await remove([one, two, one, unknownId])).statusCode).toBe(404);
    expect((await remove([one, two])).json()).toEqual({ deleted: 2, failed: [] });
    expect((await remove([one])).json()).toEqual({ deleted: 0, failed: [] });
    expect((await api.ask(`GET /api/messages/${kept}`)).statusCode).toBe(200);
    const [entry] = (await api.ask("GET /api/audit?itemsPerPage=2"))
      .json<{ action: string; details: object }[]>()
      .slice(1);
    expect(entry).toMatchObject({ action: "message.delete_matching", details: { deleted: 2 } });
    expect((await remove(Array.from({ length: 1000 }, () => one))).statusCode).toBe(200);
    expect((await remove(Array.from({ length: 1001 }, () => one))).statusCode).toBe(400);
    await api.ask(`DELETE /api/messages/${kept}`);
  });

  test("optional settings are null until they are set", async () => {
    const read = async (key = server.key): Promise<Reply> =>
      api.ask(`GET /web/servers/${server.id}/optional-settings`, { key });
    expect((await read()).json()).toEqual({ scanner: null, zone: null });
    await api.ask(`PUT /api/servers/${server.id}/scanner`, { body: { profile: "barracuda" } });
    const zone = "shop.example. A 192.0.2.1";
    await api.ask(`PUT /api/servers/${server.id}/dns`, { body: { zone } });
    expect((await read()).json()).toMatchObject({ scanner: { profile: "barracuda" }, zone: { zone, records: 1 } });
    await api.ask(`DELETE /api/servers/${server.id}/scanner`);
    await api.ask(`DELETE /api/servers/${server.id}/dns`);
    expect((await read(foreign.key)).statusCode).toBe(404);
  });

  test("matches of a list or a search are counted on all pages", async () => {
    const inbox = await api.addServer();
    for (const at of [1, 2, 3])
      await api.deliver(inbox, { subject: `Code ${at}`, text: `Your code is 80421${at}\r\n` });
    await api.deliver(inbox, { subject: "Plain", to: "ann@x.test" });
    const count = async (parameters: string, body: object = {}, key = inbox.key): Promise<unknown> => {
      const reply = await api.ask(`POST /web/count?server=${inbox.id}${parameters}`, { body, key });
      const { count: number, isExact } = reply.json<{ readonly count?: number; readonly isExact?: boolean }>();
      return reply.statusCode === 200 ? [number, isExact] : reply.statusCode;
    };
    expect(await count("")).toEqual([4, true]);
    expect(await count("&q=has:code")).toEqual([3, true]);
    expect(await count("&q=has:code&dir=Sent")).toEqual([0, true]);
    expect(await count("&q=-code", { sentTo: "ann@x.test" })).toEqual([1, true]);
    expect(await count("&q=has:code", { sentTo: "ann@x.test" })).toEqual([0, true]);
    expect(await count("", { sentTo: "ann@x.test", subject: "code", match: "ANY" })).toEqual([4, true]);
    expect(await count("&receivedAfter=never")).toBe(400);
    expect(await count("&q=is:nice")).toBe(400);
    expect(await count("", { subject: "x".repeat(1001) })).toBe(400);
    expect(await count("", {}, foreign.key)).toBe(404);
    const page = await api.ask(`GET /api/messages?server=${inbox.id}&q=code`);
    const counted = await api.ask(`POST /web/count?server=${inbox.id}&q=code`, { body: {} });
    expect(counted.json()).toEqual({ count: 3, isExact: true, cursor: Number(page.headers["x-cursor"]) });
  });

  test("returns at most a hundred excerpts at once", async () => {
    const ids = (count: number): string => Array.from({ length: count }, () => message).join();
    expect((await api.ask(`GET /web/glances?ids=${ids(100)}`)).json()).toHaveLength(100);
    expect((await api.ask(`GET /web/glances?ids=${ids(101)}`)).statusCode).toBe(400);
    expect((await api.ask("GET /web/glances")).json()).toEqual([]);
  });

  test("the trace describes session, envelope and structure", async () => {
    const trace = (await api.ask(`GET /web/messages/${message}/trace`)).json<Record<string, unknown>>();
    expect(trace).toMatchObject({
      sizeBytes: Buffer.byteLength(raw),
      session: { ehlo: "sender.example", clientAddress: "127.0.0.1", protocol: "ESMTP", tls: null },
      root: { mediaType: "multipart/related", children: [{ mediaType: "text/html" }, { contentId: "logo" }, {}, {}] },
      hasTranscript: false,
      hasScan: false,
    });
  });

  test("the trace says when the link scanner has reported", async () => {
    const scanned = await api.deliver(server, { raw });
    await api.context.store.annotations.putAnnotation(scanned, { kind: "scan", json: "{}" });
    expect((await api.ask(`GET /web/messages/${scanned}/trace`)).json()).toMatchObject({ hasScan: true });
  });

  test("the HTML contains its inline images, if they are images of a safe size", async () => {
    const reply = await api.ask(`GET /web/messages/${message}/html?dark=1`);
    expect(reply.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(reply.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(reply.body).toContain(`<img src="data:image/png;base64,${png.toString("base64")}">`);
    expect(reply.body).toContain('<img src="data:,"><img src="data:,">');
  });

  test("an image has the type of its bytes, and is served only with a safe size", async () => {
    const [good, large, text] = await Promise.all(attachments.map(async (id) => api.ask(`GET /web/images/${id}`)));
    expect([good?.statusCode, good?.headers["content-type"]]).toEqual([200, "image/png"]);
    expect(good?.headers["content-security-policy"]).toBe("default-src 'none'; sandbox");
    expect([large?.statusCode, text?.statusCode]).toEqual([404, 404]);
  });

  test("another server's key gets 404", async () => {
    const paths = [
      `/web/glances?ids=${message}`,
      `/web/messages/${message}/trace`,
      `/web/messages/${message}/html`,
      `/web/images/${attachments[0] ?? ""}`,
    ];
    for (const path of paths) {
      expect((await api.ask(`GET ${path}`, { key: server.key })).statusCode).toBe(200);
      const reply = await api.ask(`GET ${path}`, { key: foreign.key });
      expect(reply.statusCode).toBe(404);
      expect(reply.body).not.toContain(server.id);
      expect((await api.ask(`GET ${path}`, { key: null })).statusCode).toBe(401);
    }
  });
});
