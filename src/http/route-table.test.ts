/** Properties of every route of the table. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";
import type { Route } from "./route.ts";
import { allowedMethods, routeTable } from "./route-table.ts";
import { addCallbacks, withCallbackIds, type CallbackIds } from "./routes/callbacks/callbacks.test-aid.ts";
import type { WireError } from "./wire/error-schema.ts";

let api: HttpTestServer;
let own: TestServer;
let foreign: TestServer;
let ids: Readonly<Record<string, string>>;
let callbacks: CallbackIds;

beforeAll(async () => {
  api = await openHttpTestServer({
    limits: { jsonBodyBytesMax: 1000, contentBodyBytesMax: 1000, wrongKeyCountPerMinuteMax: 100_000 },
  });
  own = await api.addServer("own");
  foreign = await api.addServer("foreign");
  callbacks = await addCallbacks(api, foreign);
  const raw =
    'Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nhi\r\n--b--\r\n';
  const message = await api.deliver(foreign, { raw });
  const detail = (await api.ask(`GET /api/messages/${message}`)).json<{ attachments: { id: string }[] }>();
  ids = {
    messages: message,
    email: message,
    attachments: detail.attachments[0]?.id ?? "",
    images: detail.attachments[0]?.id ?? "",
    servers: foreign.id,
    "verified-addresses": await addVerifiedAddress("owner@outside.example"),
    Messages: "SM00",
    "phone-numbers": await addPhoneNumber("+15550199"),
    spam: message,
    deliverability: message,
    lint: message,
    screenshots: `${message}-web-gmail-lightmode`,
    previews: `${message}-web-gmail-lightmode`,
    devices: (await api.ask("POST /api/devices", { body: { name: "Phone", sharedSecret: "ONSWG4TFOQYTEMY=" } })).json<{
      id: string;
    }>().id,
    users: await addOne("users", { email: "a@corp.example" }),
    teams: await addOne("teams", { name: "Payments" }),
    keys:
      (await api.ask("GET /api/keys")).json<{ id: string; server: string }[]>().find((key) => key.server === foreign.id)
        ?.id ?? "",
  };
});
afterAll(async () => api[Symbol.asyncDispose]());

async function addPhoneNumber(number: string): Promise<string> {
  const body = { number, server: foreign.id };
  return (await api.ask("POST /api/phone-numbers", { body })).json<{ id: string }>().id;
}

async function addOne(resource: string, body: unknown): Promise<string> {
  return (await api.ask(`POST /api/${resource}`, { body })).json<{ id: string }>().id;
}

async function addVerifiedAddress(address: string): Promise<string> {
  const body = { address, operatorToken: api.context.operatorToken };
  return (await api.ask("POST /api/verified-addresses", { body })).json<{ id: string }>().id;
}

/** Returns a request line for a route, with ids of the foreign server. */
function lineOf(route: Route): string {
  const segments = route.path.split("/");
  const resource = segments[segments.indexOf(":id") - 1] ?? "";
  const path = withCallbackIds(route.path, callbacks)
    .replace(":id", ids[resource] ?? "x")
    .replace("*", "anything/below");
  return `${route.method} ${path}${route.query?.some((one) => one.name === "server") === true ? `?server=${foreign.id}` : ""}`;
}

/** Returns the body of a request about another server: only routes whose body names messages need one. */
function bodyOf({ operationId, body }: Route): object {
  if (operationId === "compareLocalisations") return { messages: [{ id: ids["messages"], locale: "de" }] };
  return body?.isStrict === true ? {} : { body: "x", steps: [{ body: "x" }] };
}

const named = routeTable.map((route) => [`${route.method} ${route.path}`, route] as const);
const keyed = named.filter(([, route]) => route.access === "key" || route.access === "account");
const withBody = named.filter(([, route]) => route.body !== undefined);
const current = keyed.filter(([, route]) => route.operationId !== null);
/** Routes whose GET response does not end. */
const streams = named.filter(([, route]) => route.successes.some((one) => one.contentType === "text/event-stream"));
/** Routes whose body may also be a list. */
const listRoutes = new Set(["putFaults", "putServiceFaults"]);

describe("the table", () => {
  test("has each method and path once", () => {
    const names = named.map(([name]) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(new Set(names).size).toBe(names.length);
  });

  test("opens only routes without data", () => {
    expect(named.filter(([, { access }]) => access === "open").map(([name]) => name)).toEqual([
      "GET /.well-known/mta-sts.txt",
      "GET /healthz",
      "GET /readyz",
      "GET /openapi.json",
      "GET /",
      "GET /servers",
      "GET /servers/*",
      "GET /search",
      "GET /keys",
      "GET /users",
      "GET /users/*",
      "GET /teams",
      "GET /teams/*",
      "GET /addresses",
      "GET /numbers",
      "GET /phrases",
      "GET /devices",
      "GET /usage",
      "GET /service-faults",
      "GET /audit",
      "GET /status",
      "GET /assets/*",
      "GET /docs",
      "GET /docs/*",
      "POST /web/session",
      "POST /web/sign-in-links",
      "GET /web/issuers",
      "GET /web/oidc/:id/sign-in",
      "GET /web/oidc/:id/callback",
    ]);
    expect(named.filter(([, { access }]) => access === "local").map(([name]) => name)).toEqual(["GET /metrics"]);
  });
});

describe.each(keyed)("%s needs a key", (_name, route) => {
  const expectRefusal = async (reply: Awaited<ReturnType<HttpTestServer["ask"]>>): Promise<WireError> => {
    const scheme = route.path.startsWith("/web/") ? "Session" : "Basic";
    expect([reply.statusCode, reply.headers["www-authenticate"]]).toEqual([401, `${scheme} realm="restante"`]);
    const body = reply.json<WireError>();
    expect(body).toMatchObject({ type: "Unauthenticated", status: 401, errors: [] });
    return body;
  };

  test("responds 401 without a key", async () => {
    await expectRefusal(await api.ask(lineOf(route), { key: null }));
  });

  test.each(["", "wrong", "wrong:key"])("responds 401 for the wrong key %j", async (key) => {
    await expectRefusal(await api.ask(lineOf(route), { key }));
  });

  test("responds 401 for a revoked key", async () => {
    const created = (await api.ask("POST /api/keys", { body: {} })).json<{ id: string; key: string }>();
    expect((await api.ask(`DELETE /api/keys/${created.id}`)).statusCode).toBe(204);
    await expectRefusal(await api.ask(lineOf(route), { key: created.key }));
  });

  test("responds 401 for a key in the query string, with the date of its withdrawal", async () => {
    const line = lineOf(route);
    const url = `${line}${line.includes("?") ? "&" : "?"}key=${api.accountKey}`;
    const body = await expectRefusal(await api.ask(url, { key: null }));
    expect(body.message).toContain("2022-05-11");
  });
});

describe.each(current)("%s keeps servers apart", (_name, route) => {
  test("a restricted key sees nothing of another server", async () => {
    const reply = await api.ask(lineOf(route), {
      key: own.key,
      ...(route.body !== undefined && {
        body: bodyOf(route),
      }),
    });
    if (route.operationId === "listServers") {
      expect(reply.json<{ id: string }[]>().map((server) => server.id)).toEqual([own.id]);
      return;
    }
    if (route.path === "/api/search" || route.path.endsWith("/clients") || route.path.endsWith("-formats")) {
      expect([reply.statusCode, reply.body.includes(foreign.id)]).toEqual([200, false]);
      return;
    }
    const isAccountOnly = route.access === "account" && route.operationId !== "deleteServer";
    expect(reply.statusCode).toBe(isAccountOnly ? 403 : 404);
    expect(reply.body).not.toContain(foreign.id);
  });
});

describe.each(withBody)("%s bounds its body", (_name, route) => {
  const ask = async (size: number): ReturnType<HttpTestServer["ask"]> => {
    const body = `${'{"name":"n","subject":"s","sharedSecret":"ONSWG4TFOQYTEMY=","zone":"; c"'.padEnd(size - 1)}}`;
    expect(body.length).toBe(size);
    return api.ask(lineOf(route), { body, headers: { "content-type": "application/json" } });
  };

  test("accepts a body at the limit, and responds 413 one byte beyond", async () => {
    // Another object may have the name.
    expect([200, 400, 409]).toContain((await ask(1000)).statusCode);
    const reply = await ask(1001);
    expect(reply.statusCode).toBe(413);
    expect(reply.json()).toMatchObject({ type: "PayloadTooLarge", status: 413, errors: [] });
  });

  test("requires the key before it reads the body", async () => {
    const reply = await api.ask(lineOf(route), { key: null, body: "x".repeat(5000) });
    expect(reply.statusCode).toBe(401);
  });

  test("responds 415 for another media type", async () => {
    const reply = await api.ask(lineOf(route), {
      body: "a=b",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(reply.statusCode).toBe(415);
  });

  test("responds 400 on body when it is not a JSON object, or a list where the route takes one", async () => {
    for (const body of ["{", ...(listRoutes.has(route.operationId ?? "") ? [] : ["[]"]), "5", '"x"']) {
      const reply = await api.ask(lineOf(route), { body, headers: { "content-type": "application/json" } });
      expect([reply.statusCode, reply.json<WireError>().errors[0]?.field]).toEqual([400, "body"]);
    }
  });
});

describe.each(
  named.filter(([, route]) => route.body === undefined && route.access !== "open" && route.access !== "provider"),
)("%s takes no body", (_name, route) => {
  test("accepts any Content-Type without a body", async () => {
    for (const contentType of ["application/json; charset=utf-8", "text/html", "nonsense", ""]) {
      const reply = await api.ask(lineOf(route).replace(foreign.id, "aaaaaaaa"), {
        headers: { "content-type": contentType },
      });
      expect([400, 413, 415, 500]).not.toContain(reply.statusCode);
    }
  });
});

describe("methods", () => {
  const paths = Array.from(new Set(routeTable.map((route) => route.path)));

  // Below the prefix of a provider, its own errors are the response: see routes/providers.
  const patched = new Set(routeTable.filter(({ method }) => method === "PATCH").map(({ path }) => path));
  const own = paths.filter((path) => !path.startsWith("/providers/") && !patched.has(path));
  test.each(own)("%s responds 405 with Allow for other methods", async (path) => {
    const url = path.replace(":id", "x").replace("*", "x");
    const known = routeTable.filter((route) => route.path === path).map((route) => route.method as string);
    const reply = await api.ask(`PATCH ${url}`);
    expect(reply.statusCode).toBe(405);
    const allow = String(reply.headers["allow"]).split(", ");
    expect(allow).toEqual(expect.arrayContaining([...known, "OPTIONS"]));
    expect(allow.includes("HEAD")).toBe(known.includes("GET"));
    expect(reply.json()).toMatchObject({ type: "MethodNotAllowed", status: 405, errors: [] });
  });

  test.each(paths)("%s responds to OPTIONS without CORS fields", async (path) => {
    const reply = await api.ask(`OPTIONS ${path.replace(":id", "x").replace("*", "x")}`, { key: null });
    expect([reply.statusCode, reply.body]).toEqual([204, ""]);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("a literal path takes precedence over a parameter", () => {
    expect(allowedMethods("/api/messages/search")).toEqual(["POST", "DELETE", "OPTIONS"]);
    expect(allowedMethods("/api/messages/other")).toEqual(["GET", "HEAD", "DELETE", "OPTIONS"]);
    expect(allowedMethods("/api/messages/")).toEqual(["GET", "HEAD", "POST", "DELETE", "OPTIONS"]);
    expect(allowedMethods("/api/messages/a/b")).toEqual([]);
  });
});

const finite = named.filter((row) => !streams.includes(row));

describe.each(finite.filter(([, route]) => route.method === "GET" && route.successes.length > 0))(
  "HEAD for %s",
  (_name, route) => {
    test("has the header fields of GET and no body", async () => {
      const line = lineOf(route);
      const [get, head] = [await api.ask(line), await api.ask(line.replace("GET", "HEAD"))];
      expect([head.statusCode, head.body]).toEqual([get.statusCode, ""]);
      // Some APIs give each response an id; HEAD does not learn how content is transferred (RFC 9110 §9.3.2).
      const differs = ["date", "x-amzn-requestid", "request-id", "client-request-id", "transfer-encoding"];
      const fieldsOf = (headers: object): object =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => !differs.includes(name)));
      expect(fieldsOf(head.headers)).toEqual(fieldsOf(get.headers));
    });
  },
);

describe("every route", () => {
  // Pages of the web UI, which is absent here, are checked in web/web-routes.test.ts.
  const served = named.filter(
    ([, { access, operationId, path }]) =>
      (access !== "open" || operationId !== null) && !(access === "provider" && path.endsWith("/*")),
  );
  // Mandrill's status for a request without a key.
  const providerStatuses = (path: string): readonly number[] => {
    if (path.startsWith("/providers/mandrill/")) return [500];
    // There is no OpenID provider.
    return path.startsWith("/web/oidc/") ? [404] : [200, 400, 401, 403];
  };
  test.each(served)("%s accepts a trailing slash and an empty query string", async (_name, route) => {
    const [method, url = ""] = lineOf(route).split(" ");
    const [path, query] = url.split("?");
    const lines = [`${method} ${path}/${query === undefined ? "" : `?${query}`}`, `${method} ${path}?${query ?? ""}`];
    for (const line of lines) {
      const reply = await api.ask(line, { key: null });
      expect(route.access === "provider" ? providerStatuses(route.path) : [200, 401]).toContain(reply.statusCode);
    }
  });

  test.each(named)("%s is neither compressed nor sniffed", async (_name, route) => {
    const reply = await api.ask(lineOf(route), { key: null, headers: { "accept-encoding": "gzip, br, zstd" } });
    expect(reply.headers["content-encoding"]).toBeUndefined();
    expect(reply.headers["x-content-type-options"]).toBe("nosniff");
  });

  test.each(named)("%s rejects web pages of other origins and unknown hosts", async (_name, route) => {
    for (const headers of [{ origin: "http://evil.example" }, { origin: "null" }, { host: "evil.example" }]) {
      const reply = await api.ask(lineOf(route), { headers });
      expect([reply.statusCode, reply.json<WireError>().type]).toEqual([403, "Forbidden"]);
      expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });
});
