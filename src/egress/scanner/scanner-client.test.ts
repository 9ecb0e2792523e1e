import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createTargetPolicy } from "../../core/outgoing-target.ts";
import type { ScannerMethod, ScanRequest } from "../../core/scanner.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { createOwnListeners } from "../own-listeners.ts";
import { ScannerClient, type ScannerClientDependencies } from "./scanner-client.ts";

const setting = "RESTANTE_SCANNER_ORIGINS";

interface VisitOptions {
  readonly method?: ScannerMethod;
  readonly signal?: AbortSignal;
  readonly mayFollow?: boolean;
}

/** Starts an application and a client that may ask its origin, and no other. */
async function listen(answer: RequestListener, more: Partial<ScannerClientDependencies> = {}) {
  const seen: string[] = [];
  const app = createServer((request, response) => {
    seen.push(`${request.method ?? ""} ${request.url ?? ""} ${request.headers["user-agent"] ?? ""}`);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  onTestFinished(() => {
    app.closeAllConnections();
    app.close();
  });
  const origin = `http://app.localhost:${String((app.address() as AddressInfo).port)}`;
  const clock = new FakeClock();
  const policy = createTargetPolicy({ origins: [origin], allowsLoopback: false, setting });
  const client = new ScannerClient({
    policy,
    clock,
    resolve: async () => ["127.0.0.1"],
    ...more,
  });
  const visit = async (
    path: string,
    { method = "GET", signal = new AbortController().signal, mayFollow = true }: VisitOptions = {},
  ): Promise<readonly ScanRequest[]> => {
    const requests: ScanRequest[] = [];
    const url = URL.parse(path, origin)?.href ?? path;
    const onRequest = (request: ScanRequest): boolean => {
      requests.push(request);
      return mayFollow;
    };
    await client.visit({ url, method, userAgent: "Robot/1", renders: false, server: "abcd1234", signal, onRequest });
    return requests;
  };
  return { origin, clock, seen, visit };
}

const redirectTo =
  (location: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(302, { location }).end();

test.each(["HEAD", "GET"] as const)("opens a URL by %s with its user agent, without cookies", async (method) => {
  const { origin, seen, visit } = await listen((request, response) => {
    expect(request.headers).not.toHaveProperty("cookie");
    response.setHeader("set-cookie", "a=1").end("done");
  });
  const url = `${origin}/in?token=1`;
  const expected = { method, resource: null, url, status: 200, durationMs: 0, redirect: null, error: null };
  expect(await visit("/in?token=1", { method })).toEqual([expected]);
  expect(seen).toEqual([`${method} /in?token=1 Robot/1`]);
});

test("follows a redirect and reports each request", async () => {
  const { origin, visit } = await listen((request, response) => {
    if (request.url === "/done") response.end();
    else response.writeHead(303, { location: "/done" }).end();
  });
  expect(await visit("/in")).toMatchObject([
    { url: `${origin}/in`, status: 303, redirect: `${origin}/done`, error: null },
    { url: `${origin}/done`, status: 200, redirect: null, error: null },
  ]);
});

test.each([
  ["http://other.example/", /^The operator has not allowed calls to http:\/\/other.example; RESTANTE_SCANNER_ORIGINS/],
  ["http://169.254.169.254/latest/meta-data", /^Link-local and metadata addresses are never called$/],
  ["http://[fd00:ec2::254]/", /^Link-local and metadata addresses are never called$/],
  ["http://10.0.0.1/", /^The operator has not allowed calls/],
  ["http://127.0.0.1:1/", /^The operator has not allowed calls/],
  ["http://user:secret@app.localhost/", /user name or password$/],
  ["file:///etc/passwd", /^Must be an http or https URL$/],
])("does not request %s, as a link or after a redirect", async (url, error) => {
  const { visit, seen } = await listen(redirectTo(url));
  expect(await visit(url)).toMatchObject([{ status: null, error: expect.stringMatching(error) as string }]);
  expect(seen).toEqual([]);
  expect(await visit("/in")).toMatchObject([
    { status: 302, error: null },
    { status: null, error: expect.stringMatching(error) as string },
  ]);
  expect(seen).toHaveLength(1);
});

test.each([["169.254.169.254"], ["10.0.0.1"], ["192.0.2.1"]])(
  "does not connect to %s, to which an allowed name resolves",
  async (address) => {
    const { visit, seen } = await listen((_request, response) => void response.end(), {
      resolve: async () => ["127.0.0.1", address],
    });
    expect(await visit("/")).toMatchObject([{ status: null, error: expect.any(String) as string }]);
    expect(seen).toEqual([]);
  },
);

test.each([
  ["127.0.0.1", []],
  ["::1", []],
  ["::ffff:127.0.0.1", []],
  ["192.0.2.7", ["192.0.2.7"]],
  ["::ffff:192.0.2.7", ["192.0.2.7"]],
  ["2001:db8:0::7", ["2001:db8::7"]],
])("does not call the listeners of this service at %s", async (address, machine) => {
  const url = "http://app.example:8025/";
  const own = createOwnListeners({
    publicUrl: () => "http://mail.example:8025",
    ports: () => new Set([8025]),
    addresses: () => machine,
  });
  const policy = createTargetPolicy({ own, origins: [new URL(url).origin], allowsLoopback: true, setting });
  const { visit, seen } = await listen((_request, response) => void response.end(), {
    policy,
    resolve: async () => [address],
  });
  expect(await visit(url)).toMatchObject([{ status: null, error: "The service never calls itself" }]);
  expect(seen).toEqual([]);
});

test("marks its requests, so that this service rejects them where a proxy hides its address", async () => {
  let mark: unknown;
  const { visit } = await listen((request, response) => {
    mark = request.headers["cdn-loop"];
    response.end();
  });
  await visit("/");
  expect(mark).toBe("restante-scanner");
});

test("resolves a host once, so that no second look-up can lead elsewhere", async () => {
  let lookups = 0;
  const { visit } = await listen((_request, response) => void response.end(), {
    resolve: async () => {
      lookups += 1;
      return [lookups === 1 ? "127.0.0.1" : "10.0.0.1"];
    },
  });
  expect(await visit("/")).toMatchObject([{ status: 200 }]);
  expect(lookups).toBe(1);
});

test("stops at a redirect to the same URL, whatever its fragment is", async () => {
  const { seen, visit } = await listen(redirectTo("/in#again"));
  const error = "The redirect leads to a URL that was requested before";
  expect(await visit("/in")).toMatchObject([{ status: 302, error }]);
  expect(seen).toHaveLength(1);
});

test("stops after 5 redirects", async () => {
  const { seen, visit } = await listen((request, response) => {
    response.writeHead(302, { location: `${request.url ?? ""}x` }).end();
  });
  const requests = await visit("/");
  expect(requests.map(({ error }) => error)).toEqual([null, null, null, null, null, "More than 5 redirects"]);
  expect(seen).toHaveLength(6);
});

test("does not follow a redirect when the scan may make no more requests", async () => {
  const { seen, visit } = await listen(redirectTo("/next"));
  expect(await visit("/", { mayFollow: false })).toMatchObject([{ status: 302, error: null }]);
  expect(seen).toHaveLength(1);
});

test("gives up without a response within 10 seconds", async () => {
  const { clock, seen, visit } = await listen(() => undefined);
  const visited = visit("/");
  await expect.poll(() => seen.length).toBe(1);
  clock.advance(10_000);
  expect(await visited).toMatchObject([{ status: null, durationMs: 10_000, error: "No response within 10 seconds" }]);
  expect(clock.appointmentCount).toBe(0);
});

test("ends with the scan", async () => {
  const { seen, visit } = await listen(() => undefined);
  const end = new AbortController();
  const visited = visit("/", { signal: end.signal });
  await expect.poll(() => seen.length).toBe(1);
  end.abort();
  expect(await visited).toMatchObject([{ status: null, error: "The visit ended before the response" }]);
});

test("cuts off an endless body", async () => {
  const { visit } = await listen((_request, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
    };
    response.on("drain", write);
    write();
  });
  const error = "The body was too long or too slow, and was cut off";
  expect(await visit("/")).toMatchObject([{ status: 200, error }]);
});

test("cuts off a slow body", async () => {
  const delays: number[] = [];
  class RecordingClock extends FakeClock {
    override after(delayMs: number, action: () => void): () => void {
      delays.push(delayMs);
      return super.after(delayMs, action);
    }
  }
  const clock = new RecordingClock();
  const { visit } = await listen((_request, response) => void response.write("a"), { clock });
  const visited = visit("/");
  await expect.poll(() => delays).toEqual([10_000, 5000]);
  clock.advance(5000);
  const error = "The body was too long or too slow, and was cut off";
  expect(await visited).toMatchObject([{ status: 200, durationMs: 5000, error }]);
});

test("refuses a long URL and cuts it in the report", async () => {
  const { seen, visit } = await listen((_request, response) => void response.end());
  const [request] = await visit(`/${"x".repeat(8192)}`);
  expect(request).toMatchObject({ status: null, error: "The URL is longer than 8192 characters" });
  expect(request?.url).toHaveLength(1024);
  expect(seen).toEqual([]);
});
