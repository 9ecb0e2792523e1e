import { describe, expect, test, vi } from "vitest";
import {
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  RequestTimeoutError,
  ResponseError,
  UnavailableError,
  ValidationError,
} from "./errors.ts";
import { RestanteClient } from "./package-entry.ts";
import { readClientOptions, type RestanteClientOptions } from "./options.ts";
import { createTransport, type Transport } from "./transport.ts";

type Step = Response | Error | "hang";

interface Scripted {
  readonly transport: Transport;
  readonly pauses: number[];
  readonly requests: { readonly url: string; readonly init: RequestInit }[];
}

/** Transport whose `fetch` returns or throws the steps in order. */
function scripted(steps: readonly Step[], options: RestanteClientOptions = {}): Scripted {
  const requests: Scripted["requests"] = [];
  const pauses: number[] = [];
  const send = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    requests.push({ url: url as string, init });
    const step = steps[requests.length - 1];
    if (step instanceof Error) throw step;
    if (step instanceof Response) return step;
    return new Promise((_, reject) => {
      init.signal?.addEventListener("abort", () => {
        reject(init.signal?.reason as Error);
      });
    });
  };
  const settings = readClientOptions({
    url: "http://restante.test:8025/",
    apiKey: "the key",
    fetch: send,
    ...options,
  });
  const time = {
    now: () => 0,
    pause: async (ms: number) => {
      pauses.push(ms);
    },
  };
  return { transport: createTransport(settings, time), pauses, requests };
}

const problem = (status: number, headers: Record<string, string> = {}): Response =>
  Response.json({ type: "Kind", status, message: "The reason", errors: [] }, { status, headers });
const refused = new TypeError("fetch failed", {
  cause: Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" }),
});
const reset = new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });

/** Error that a request rejects with. */
async function errorOf(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("a request", () => {
  test("carries the key, the query without absent values, and the body as JSON", async () => {
    const { transport, requests } = scripted([Response.json([]), Response.json({ id: "x" })]);
    await transport.call("listMessages", { query: { server: "abcd1234", receivedAfter: 5, tag: undefined as never } });
    await transport.call("createServer", { body: { name: "Tests" } });
    expect(requests.map(({ url, init }) => [init.method, url, init.headers, init.body])).toEqual([
      [
        "GET",
        "http://restante.test:8025/api/messages?server=abcd1234&receivedAfter=5",
        { authorization: "Bearer the key" },
        undefined,
      ],
      [
        "POST",
        "http://restante.test:8025/api/servers",
        { authorization: "Bearer the key", "content-type": "application/json" },
        '{"name":"Tests"}',
      ],
    ]);
  });

  test("encodes ids in the path, and rejects those that would name another route", async () => {
    const { transport, requests } = scripted([Response.json({})]);
    await transport.call("getServer", { path: { id: "a/b?c" } });
    expect(requests[0]?.url).toBe("http://restante.test:8025/api/servers/a%2Fb%3Fc");
    for (const id of ["", ".."]) await expect(transport.call("getServer", { path: { id } })).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(1);
  });

  test("reads lists with and without an envelope, files as bytes whatever their type, and 204 as nothing", async () => {
    const { transport } = scripted([
      Response.json([1]),
      Response.json({ items: [1] }),
      new Response('{"a":1}', { headers: { "content-type": "application/json" } }),
      new Response(null, { status: 204 }),
    ]);
    expect(await transport.call("listServers", {})).toEqual([1]);
    expect(await transport.call("listServers", {})).toEqual([1]);
    const bytes = await transport.call("getAttachment", { path: { id: "x" } });
    expect(new TextDecoder().decode(bytes)).toBe('{"a":1}');
    expect(await transport.call("deleteMessage", { path: { id: "x" } })).toBeUndefined();
  });
});

describe("an error response", () => {
  test.each([
    [400, ValidationError],
    [401, AuthenticationError],
    [404, NotFoundError],
    [507, ResponseError],
  ])("rejects with a typed error for status %i", async (status, kind) => {
    const { transport } = scripted([problem(status)]);
    const error = await errorOf(transport.call("getMessage", { path: { id: "x" } }));
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({
      status,
      type: "Kind",
      message: `GET /api/messages/x failed with ${String(status)}: The reason`,
    });
  });

  test("names its fields, and the request id of the log", async () => {
    const errors = [{ field: "name", detail: [{ description: "Servers need a name", code: "required" }] }];
    const body = { type: "ValidationError", status: 400, message: "The request has invalid parameters", errors };
    const { transport } = scripted([
      Response.json(body, { status: 400 }),
      problem(500, { "x-request-id": "r-17" }),
      new Response("<html>Bad gateway</html>", { status: 502 }),
    ]);
    const create = async (): Promise<unknown> => transport.call("createServer", { body: { name: "" } });
    await expect(create()).rejects.toThrow("400: The request has invalid parameters\n- name: Servers need a name");
    await expect(create()).rejects.toMatchObject({
      requestId: "r-17",
      message: expect.stringContaining("r-17") as string,
    });
    await expect(create()).rejects.toThrow("POST /api/servers failed with 502: <html>Bad gateway</html>");
  });
});

describe("retries", () => {
  test("repeat reads, changes by PUT and deletions after lost connections and 503, with growing pauses", async () => {
    const { transport, pauses } = scripted([reset, problem(503), Response.json({ id: "x" })]);
    expect(await transport.call("getMessage", { path: { id: "x" } })).toEqual({ id: "x" });
    expect(pauses).toEqual([200, 400]);
    const put = scripted([problem(503, { "retry-after": "3" }), Response.json({ items: [] })]);
    await put.transport.call("putFaults", { path: { id: "x" }, body: { items: [] } });
    expect(put.pauses).toEqual([3000]);
  });

  test("take a deletion that finds nothing any more for done", async () => {
    const { transport } = scripted([reset, problem(404)]);
    await expect(transport.call("deleteMessage", { path: { id: "x" } })).resolves.toBeUndefined();
    const first = scripted([problem(404)]);
    await expect(first.transport.call("deleteMessage", { path: { id: "x" } })).rejects.toThrow(NotFoundError);
  });

  test("do not repeat what may have been executed, unless the request is marked as repeatable", async () => {
    for (const failure of [reset, problem(503)]) {
      const { transport, requests } = scripted([failure]);
      await expect(transport.call("receiveSms", { body: { from: "Acme", to: "+15550100" } })).rejects.toBeInstanceOf(
        failure === reset ? ConnectionError : UnavailableError,
      );
      expect(requests).toHaveLength(1);
    }
    const { transport } = scripted([reset, Response.json({})]);
    await transport.call("receiveSms", { body: { from: "Acme", to: "+15550100" } }, { isRepeatable: true });
  });

  test("repeat any request that was refused before it was sent, or that comes too early", async () => {
    const { transport } = scripted([refused, problem(429, { "retry-after": "1" }), Response.json({})]);
    await transport.call("receiveSms", { body: { from: "Acme", to: "+15550100" } });
    const limit = scripted([problem(429)]);
    await expect(limit.transport.call("receiveSms", { body: { from: "Acme", to: "+15550100" } })).rejects.toThrow(
      RateLimitError,
    );
    const long = scripted([problem(429, { "retry-after": "3600" })]);
    await expect(long.transport.call("receiveSms", { body: { from: "Acme", to: "+15550100" } })).rejects.toMatchObject({
      retryAfterMs: 3_600_000,
    });
  });

  test("end after the number that the options set, with a message that names the service", async () => {
    const { transport, requests } = scripted([refused, refused], { retries: 1 });
    await expect(transport.call("listServers", {})).rejects.toThrow(
      "GET /api/servers: ECONNREFUSED connect refused (is restante running at http://restante.test:8025?)",
    );
    expect(requests).toHaveLength(2);
  });
});

describe("limits of a request", () => {
  test("reject with RequestTimeoutError when nothing comes in time", async () => {
    vi.useFakeTimers();
    try {
      const { transport } = scripted(["hang"], { requestTimeout: 1000 });
      const call = errorOf(transport.call("listServers", {}));
      await vi.advanceTimersByTimeAsync(1000);
      expect(await call).toBeInstanceOf(RequestTimeoutError);
    } finally {
      vi.useRealTimers();
    }
  });

  test("reject with the reason of the signal, before and during the request, and without a retry", async () => {
    const { transport, requests } = scripted(["hang"]);
    const controller = new AbortController();
    const reason = new Error("the test ended");
    const call = errorOf(transport.call("listServers", {}, { signal: controller.signal }));
    await vi.waitFor(() => {
      expect(requests).toHaveLength(1);
    });
    controller.abort(reason);
    expect(await call).toBe(reason);
    await expect(transport.call("listServers", {}, { signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });
});

describe("options", () => {
  test.each([
    [{ url: "nonsense", apiKey: "k" }, 'url: "nonsense" is not a URL'],
    [{ url: "ftp://x", apiKey: "k" }, "url: must start with http:// or https://"],
    [{ url: "http://key@x", apiKey: "k" }, "url: must have no user name and password; give the key as apiKey"],
    [{ url: "http://x", apiKey: "" }, "apiKey: give an API key"],
  ])("%j are rejected by name", (options, message) => {
    expect(() => new RestanteClient(options)).toThrow(message);
  });

  test("default to the variables that `restante env` prints", () => {
    vi.stubEnv("RESTANTE_URL", "http://127.0.0.1:8025/prefix/");
    vi.stubEnv("RESTANTE_API_KEY", "from-the-environment");
    expect(readClientOptions({})).toMatchObject({
      url: "http://127.0.0.1:8025/prefix",
      apiKey: "from-the-environment",
    });
    vi.unstubAllEnvs();
  });
});
