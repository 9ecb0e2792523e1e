import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchStatus, probeLink, type PublicFetchOptions } from "./public-fetch.ts";

const seen: Pick<IncomingMessage, "method" | "url" | "headers">[] = [];
const listener: RequestListener = (request, response) => {
  const { method, url = "/", headers } = request;
  seen.push({ method, url, headers });
  const redirect = /^\/to\?(.*)$/.exec(url)?.[1];
  if (redirect !== undefined) response.writeHead(302, { location: decodeURIComponent(redirect) }).end();
  else if (url === "/slow") setTimeout(() => response.end(), 5000).unref();
  else if ((url === "/get-only" || url === "/endless") && method === "HEAD") response.writeHead(405).end();
  else if (url === "/endless") response.writeHead(200).write("x");
  else response.writeHead(Number(url.slice(1)) || 200).end();
};
const server = createServer(listener);
let port: number;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Hosts of a simulated Internet: `*.good` is the server of this test; the others behave as their names say. */
const resolve = async (host: string): Promise<readonly string[]> => {
  if (host.endsWith(".good")) return ["127.0.0.1"];
  if (host === "two-faced.example") return ["127.0.0.1", "10.0.0.1"];
  if (host === "nowhere.example") throw new Error("ENOTFOUND");
  return [host];
};
const open = (): PublicFetchOptions => ({
  timeoutMs: 120_000,
  redirectCountMax: 3,
  resolve,
  isAllowed: (address) => address === "127.0.0.1",
  ports: [port],
});
const at = (path: string, host = "a.good"): string => `http://${host}:${port}${path}`;
const to = (target: string): string => at(`/to?${encodeURIComponent(target)}`);
const refusal = async (url: string, options: Partial<PublicFetchOptions> = {}): Promise<string> =>
  fetchStatus(url, { ...open(), ...options }).then(
    (status) => `status ${status}`,
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe("fetchStatus", () => {
  test("requests HEAD without cookies or credentials and returns the status", async () => {
    seen.length = 0;
    expect(await fetchStatus(at("/404"), open())).toBe(404);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.method).toBe("HEAD");
    expect(Object.keys(seen[0]?.headers ?? {}).toSorted()).toEqual(["accept", "connection", "host", "user-agent"]);
  });

  test("requests GET where HEAD is not implemented, without reading the body", async () => {
    expect(await fetchStatus(at("/get-only"), open())).toBe(200);
    expect(await fetchStatus(at("/endless"), open())).toBe(200);
  });

  test("follows absolute and relative redirects up to the limit", async () => {
    expect(await fetchStatus(to("/204"), open())).toBe(204);
    expect(await fetchStatus(to(to(to(at("/201")))), open())).toBe(201);
    expect(await refusal(to(to(to(to(at("/200"))))))).toBe("FetchError: Too many redirects");
  });

  test("checks every redirect", async () => {
    const inner = "FetchError: Its host is not on the public Internet";
    for (const target of ["10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "two-faced.example"]) {
      expect(await refusal(to(at("/", target)))).toBe(inner);
    }
    expect(await refusal(to("http://[::"))).toBe("FetchError: It is not a valid http or https URL");
    expect(await refusal(to("file:///etc/passwd"))).toBe("FetchError: It is not a valid http or https URL");
    expect(await refusal(to("http://user:pass@a.good/"))).toBe("FetchError: It contains a user name or password");
    expect(await refusal(to("http://a.good:22/"))).toBe("FetchError: Port 22 is not allowed");
  });

  test("resolves a host once and connects to the checked address", async () => {
    let count = 0;
    const rebinding = async (): Promise<readonly string[]> => {
      count += 1;
      return count === 1 ? ["127.0.0.1"] : ["10.0.0.1"];
    };
    expect(await refusal(at("/200", "rebinding.example"), { resolve: rebinding })).toBe("status 200");
    expect(count).toBe(1);
  });

  test("rejects for hosts without addresses, time-outs and invalid URLs", async () => {
    expect(await refusal(at("/", "nowhere.example"))).toBe("FetchError: Its host name does not resolve");
    expect(await refusal(at("/slow"), { timeoutMs: 100 })).toBe("FetchError: The request timed out");
    expect(await refusal(at("/"), { timeoutMs: 50, resolve: () => new Promise(() => undefined) })).toBe(
      "FetchError: The request timed out",
    );
    expect(await refusal("http://")).toBe("FetchError: It is not a valid http or https URL");
    expect(await refusal(at(`/${"x".repeat(9000)}`))).toBe("FetchError: It is not a valid http or https URL");
  });
});

describe("default rules", () => {
  const bare: PublicFetchOptions = { timeoutMs: 120_000, redirectCountMax: 0 };

  test.each([
    "127.0.0.1",
    "0.0.0.0",
    "2130706433",
    "0x7f.1",
    "localhost",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fec0::1]",
  ])("never calls %s", async (host) => {
    seen.length = 0;
    await expect(fetchStatus(`http://${host}/`, bare)).rejects.toThrow("not on the public Internet");
    expect(seen).toEqual([]);
  });

  test("never calls ports other than 80 and 443", async () => {
    await expect(fetchStatus("http://127.0.0.1:25/", bare)).rejects.toThrow("Port 25 is not allowed");
  });
});

describe("probeLink", () => {
  test.each([
    ["/200", null],
    ["/302", null],
    ["/401", null],
    ["/403", null],
    ["/429", null],
    ["/404", "The link responds with status 404"],
    ["/410", "The link responds with status 410"],
    ["/500", "The link responds with status 500"],
  ])("returns for %s: %j", async (path, message) => {
    expect(await probeLink(at(path), open())).toEqual({
      status: Number(path.slice(1)),
      problem: message,
    });
  });

  test("returns the reason for any text that cannot be opened", async () => {
    expect(await probeLink(at("/", "10.0.0.1"), open())).toEqual({
      status: null,
      problem: "The link cannot be opened. Its host is not on the public Internet.",
    });
    const malformed = { status: null, problem: "The link cannot be opened. It is not a valid http or https URL." };
    expect(await probeLink("nonsense", open())).toEqual(malformed);
    expect(await probeLink(to("http://[::"), open())).toEqual(malformed);
  });
});
