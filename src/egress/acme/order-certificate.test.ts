import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AcmeTestServer, openTestRequest } from "../../testing/acme-server.test-aid.ts";
import { orderMsMax, orderCertificate, type ChallengeType } from "./order-certificate.ts";

const names = ["mx.corp.example", "mta-sts.corp.example"];
const accountKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const { request, namesOf } = openTestRequest(names);

/** Time-out of requests, which never ends in these tests; pauses end at once. */
const requestMs = 30_000;
const clock = {
  ms: 0,
  monotonicMs: (): number => clock.ms,
  after: (ms: number, action: () => void): (() => void) => {
    if (ms === requestMs) return () => undefined;
    clock.ms += ms;
    const immediate = setImmediate(action);
    return () => clearImmediate(immediate);
  },
};

let authority: AcmeTestServer;
let listener: Server;
const answers = new Map<string, string>();
beforeAll(async () => {
  listener = createServer((incoming, response) => response.end(answers.get(incoming.url?.split("/").at(-1) ?? "")));
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
});
afterAll(() => void listener.close());
beforeEach(async () => {
  challenge = "http-01";
  await using stack = new AsyncDisposableStack();
  authority = stack.use(await AcmeTestServer.open());
  authority.challengePort = (listener.address() as AddressInfo).port;
  const opened = stack.move();
  return async () => opened.disposeAsync();
});

let challenge: ChallengeType = "http-01";
async function order(signal: AbortSignal = new AbortController().signal): Promise<string> {
  const account = { directory: authority.directory, key: accountKey, contact: "postmaster@corp.example", ca: null };
  return orderCertificate(account, { names, request, challenge }, { clock, signal, answers });
}

async function failure(): Promise<string> {
  return order().then(
    () => "no failure",
    (error: unknown) => (error as Error).message,
  );
}

describe("orderCertificate", () => {
  test("proves control of each name, and returns the chain for the key of the request", async () => {
    const chain = await order();
    expect(namesOf(chain)).toEqual(names);
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(authority.contacts).toEqual([["mailto:postmaster@corp.example"]]);
    expect(answers.size).toBe(0);
  });

  test("answers TLS-ALPN-01 by the name of the host", async () => {
    challenge = "tls-alpn-01";
    const given: string[] = [];
    authority.onValidate = () => void given.push(...answers.keys());
    expect(await failure()).toMatch(/^mx\.corp\.example was refused: /);
    expect(given).toEqual(["mx.corp.example"]);
    expect(answers.size).toBe(0);
    authority.replace = (path) =>
      path === "/authorization/0" ? [200, { challenges: [{ type: "http-01", token: "x" }] }] : undefined;
    expect(await failure()).toContain("offers no TLS-ALPN-01 challenge");
  });

  test("forgets an answer that could not be shared with all nodes", async () => {
    const deleted: string[] = [];
    const shared = {
      set: () => Promise.reject(new Error("the database is away")),
      delete: async (id: string) => void deleted.push(id),
    };
    const account = { directory: authority.directory, key: accountKey, contact: null, ca: null };
    const { signal } = new AbortController();
    const ordered = orderCertificate(account, { names, request, challenge }, { clock, signal, answers: shared });
    await expect(ordered).rejects.toThrow("away");
    expect(deleted).toHaveLength(1);
  });

  test("signs again with a new nonce when one is refused", async () => {
    authority.staleCount = 3;
    expect(await order()).toContain("BEGIN CERTIFICATE");
    authority.staleCount = 1000;
    expect(await failure()).toContain("badNonce");
  });

  test("names the host and the reason when control of a name cannot be proved", async () => {
    authority.challengePort = 1;
    expect(await failure()).toMatch(/^mx\.corp\.example was refused: \S+unauthorized mx\.corp\.example answered /);
    expect(answers.size).toBe(0);
  });

  test("waits for an authority that validates later, as long as it says, and no longer than five minutes", async () => {
    let polls = 0;
    authority.replace = (path, [status, body]) => {
      if (!path.startsWith("/authorization") || polls++ === 0 || polls > 4) return undefined;
      return [status, { ...(body as object), status: "processing" }, { "retry-after": "7" }];
    };
    const start = clock.ms;
    expect(await order()).toContain("BEGIN CERTIFICATE");
    expect(clock.ms - start).toBe(21_000);
    authority.replace = (path, [status, body]) =>
      path.startsWith("/authorization")
        ? [status, { ...(body as object), status: "processing" }, { "retry-after": "3600" }]
        : undefined;
    const again = clock.ms;
    expect(await failure()).toContain("mx.corp.example was not decided in time");
    expect(clock.ms - again).toBeLessThanOrEqual(orderMsMax);
  });

  test("ends when it is aborted", async () => {
    const stopping = new AbortController();
    authority.replace = (path, [status, body]) => {
      if (path.startsWith("/authorization/0")) stopping.abort();
      return [status, body];
    };
    await expect(order(stopping.signal)).rejects.toThrow(/abort/i);
  });
});

interface Case {
  readonly fault: string;
  readonly path: string;
  readonly answer: ReturnType<AcmeTestServer["replace"]>;
  readonly text: RegExp;
}

describe("answers of an authority that are unusable", () => {
  test.each<Case>([
    { fault: "a directory without URLs", path: "/directory", answer: [200, {}], text: /unusable URL/ },
    {
      fault: "URLs of another protocol",
      path: "/directory",
      answer: [200, { newAccount: "file:///etc/passwd" }],
      text: /unusable URL/,
    },
    { fault: "text instead of JSON", path: "/directory", answer: [200, "text"], text: /unusable URL/ },
    {
      fault: "a body that is too large",
      path: "/directory",
      answer: [200, "x".repeat(1024 * 1024 + 1)],
      text: /larger than 1048576 bytes/,
    },
    {
      fault: "redirects",
      path: "/directory",
      answer: [302, {}, { location: "/nonce" }],
      text: /answered 302: no reason/,
    },
    {
      fault: "a refusal",
      path: "/directory",
      answer: [400, { type: "malformed", detail: "no" }],
      text: /answered 400: malformed no/,
    },
    {
      fault: "a refused account",
      path: "/account",
      answer: [403, { type: "x".repeat(10_000), detail: "no\u001b[31m" }],
      text: /answered 403: x{500}$/,
    },
    {
      fault: "an order without members",
      path: "/order",
      answer: [201, { authorizations: [null] }],
      text: /unusable URL/,
    },
    {
      fault: "tokens that are no path segment",
      path: "/authorization/0",
      answer: [200, { challenges: [{ type: "http-01", token: "../x" }] }],
      text: /offers no HTTP-01 challenge/,
    },
    {
      fault: "no HTTP-01 challenge",
      path: "/authorization/0",
      answer: [200, { challenges: [null, 1, { type: "dns-01" }] }],
      text: /offers no HTTP-01 challenge/,
    },
  ])("are reported: $fault", async ({ path, answer, text }) => {
    authority.replace = (requested) => (requested === path ? answer : undefined);
    expect(await failure()).toMatch(text);
    expect(answers.size).toBe(0);
  });

  test("are reported, whatever JSON they are", async () => {
    const paths = ["/directory", "/account", "/order", "/authorization/0", "/challenge/0", "/finalize", "/order/1"];
    const property = fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 3 }), async (path, value) => {
      authority.replace = (requested) => (requested === path ? [200, value as object] : undefined);
      const outcome = await order().catch((error: unknown) => error);
      const isKnown = outcome instanceof Error ? !(outcome instanceof TypeError) : typeof outcome === "string";
      expect(isKnown).toBe(true);
      expect(answers.size).toBe(0);
    });
    await fc.assert(property, { numRuns: 25 });
  });
});
