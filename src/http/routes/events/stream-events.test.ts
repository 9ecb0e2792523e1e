import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Problem } from "../../../core/errors.ts";
import { createRevocations } from "../../../core/api-key.ts";
import { deleteServer } from "../../../operations/servers/servers.ts";
import { revokeKey } from "../../../operations/keys/keys.ts";
import { openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { HttpTestServer, TestServer } from "../../../testing/http-test-server.test-aid.ts";
import { until } from "../../../testing/until.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
let base: string;
const account = { keyId: "elsewhere", server: null };

beforeEach(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  const listener = api.app.createListener().listen(0, "127.0.0.1");
  await once(listener, "listening");
  base = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}`;
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const stream of streams.splice(0)) stream.close();
  await api[Symbol.asyncDispose]();
});

const streams: Stream[] = [];

/** A stream that is being read. */
class Stream {
  readonly #stop = new AbortController();
  readonly response: Response;
  text = "";
  hasEnded = false;

  private constructor(response: Response, stop: AbortController) {
    this.response = response;
    this.#stop = stop;
    streams.push(this);
    void this.#read();
  }

  static async open(query = "", headers: Record<string, string> = {}, key = server.key): Promise<Stream> {
    const stop = new AbortController();
    const authorization = `Bearer ${key}`;
    const url = `${base}/api/events?server=${server.id}${query}`;
    return new Stream(await fetch(url, { headers: { authorization, ...headers }, signal: stop.signal }), stop);
  }

  /** Sequence numbers and kinds of the events so far. */
  events(): readonly string[] {
    return Array.from(this.text.matchAll(/^id: (\d+)\nevent: (\w+)\n/gm), ([, id = "", kind = ""]) => `${id} ${kind}`);
  }

  async saw(count: number): Promise<readonly string[]> {
    await until(() => this.events().length >= count);
    return this.events();
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) this.text += decoder.decode(chunk as Uint8Array);
      this.hasEnded = true;
    } catch {
      // The test disconnected.
    }
  }
}

describe("GET /api/events", () => {
  test("streams every kind of change in order, from now on", async () => {
    await api.deliver(server);
    const stream = await Stream.open();
    const id = await api.deliver(server);
    await api.ask(`DELETE /api/messages/${id}`);
    await api.ask(`DELETE /api/messages?server=${server.id}`);
    expect(await stream.saw(3)).toEqual(["2 received", "3 deleted", "4 emptied"]);
    expect(stream.response.headers.get("content-type")).toContain("text/event-stream");
    expect(stream.response.headers.get("x-cursor")).toBe("1");
    expect(stream.text).toContain(`data: {"sequence":2,"kind":"received","id":"${id}"}\n\n`);
  });

  test.each([
    ["Last-Event-ID", "", { "last-event-id": "1" }],
    ["after", "&after=1", {}],
  ])("resumes after %s without gaps or repetitions", async (_way, query, headers) => {
    for (let count = 0; count < 3; count += 1) await api.deliver(server);
    const stream = await Stream.open(query, headers);
    expect(await stream.saw(2)).toEqual(["2 received", "3 received"]);
    await api.deliver(server);
    expect(await stream.saw(3)).toEqual(["2 received", "3 received", "4 received"]);
  });

  test("misses no change while many mails arrive at once", async () => {
    const stream = await Stream.open();
    await Promise.all(Array.from({ length: 50 }, async () => api.deliver(server)));
    const seen = await stream.saw(50);
    expect(seen).toEqual(Array.from({ length: 50 }, (_, at) => `${String(at + 1)} received`));
  });

  test("does not stream changes of other servers", async () => {
    const other = await api.addServer();
    const stream = await Stream.open();
    await api.deliver(other);
    await api.deliver(server);
    expect(await stream.saw(1)).toEqual(["1 received"]);
  });

  test("sends periodic comments on an idle stream", async () => {
    const stream = await Stream.open();
    await until(() => api.context.events.hasListeners(server.id) && api.clock.appointmentCount > 0);
    api.clock.advance(15_000);
    await until(() => stream.text.includes("\n:\n\n"));
    expect(stream.events()).toEqual([]);
  });

  test("releases the stream of a client that disconnects", async () => {
    const stream = await Stream.open();
    await until(() => api.context.events.hasListeners(server.id));
    stream.close();
    await until(() => !api.context.events.hasListeners(server.id));
    expect(api.failed).toEqual([]);
  });

  test("closes when its key is revoked, and leaves streams of other keys open", async () => {
    const created = (await api.ask("POST /api/keys", { body: {} })).json<{ id: string; key: string }>();
    const [revoked, other] = await Promise.all([Stream.open("", {}, created.key), Stream.open()]);
    await api.ask(`DELETE /api/keys/${created.id}`);
    await until(() => revoked.hasEnded);
    await api.deliver(server);
    expect(await other.saw(1)).toEqual(["1 received"]);
    expect([revoked.events(), other.hasEnded]).toEqual([[], false]);
  });

  test("closes when its key is revoked while it reads changes", async () => {
    const created = (await api.ask("POST /api/keys", { body: {} })).json<{ id: string; key: string }>();
    const { store } = api.context;
    const listChanges = store.listChanges.bind(store);
    const reads = vi.spyOn(store, "listChanges");
    reads.mockImplementation(async (...request) => {
      const changes = await listChanges(...request);
      if (reads.mock.calls.length === 2) await api.ask(`DELETE /api/keys/${created.id}`);
      return changes;
    });
    const stream = await Stream.open("", {}, created.key);
    await until(() => stream.hasEnded);
    expect(reads).toHaveBeenCalledTimes(2);
  });

  test("closes without another event when the key was revoked without a notification", async () => {
    const created = (await api.ask("POST /api/keys", { body: {} })).json<{ id: string; key: string }>();
    const stream = await Stream.open("", {}, created.key);
    await until(() => api.context.events.hasListeners(server.id));
    await api.context.store.removeKey(created.id);
    await api.deliver(server);
    await until(() => stream.hasEnded);
    expect(stream.events()).toEqual([]);
  });

  describe("when another node causes it without a notification", () => {
    const silenceMs = 15_000;
    let created: { readonly id: string; readonly key: string };
    beforeEach(async () => {
      created = (await api.ask("POST /api/keys", { body: {} })).json<typeof created>();
    });
    /** Resolves when this number of streams have caught up and wait for changes. */
    const rest = async (count: number): Promise<void> => until(() => api.clock.appointmentCount === count);

    test("closes within 15 seconds of the revocation of its key, and not before; other streams stay open", async () => {
      const [revoked, other] = await Promise.all([Stream.open("", {}, created.key), Stream.open()]);
      await rest(2);
      await revokeKey({ ...api.context, revocations: createRevocations() }, account, created.id);
      api.clock.advance(silenceMs - 1);
      await rest(2);
      expect(revoked.hasEnded).toBe(false);
      api.clock.advance(1);
      await until(() => revoked.hasEnded && other.text.includes(":\n\n"));
      expect([revoked.text, other.hasEnded]).toEqual(["retry: 1000\n\n", false]);
    });

    test("closes all streams of a server within 15 seconds of its deletion", async () => {
      const both = await Promise.all([Stream.open("", {}, created.key), Stream.open("", {}, server.key)]);
      await rest(2);
      await deleteServer({ ...api.context, revocations: createRevocations() }, account, server.id);
      api.clock.advance(silenceMs);
      await until(() => both.every(({ hasEnded }) => hasEnded));
      expect(both.map((stream) => stream.events())).toEqual([[], []]);
    });
  });

  test("closes when its changes are no longer stored", async () => {
    const listChanges = vi.spyOn(api.context.store, "listChanges");
    const stream = await Stream.open();
    await until(() => api.clock.appointmentCount > 0);
    listChanges.mockResolvedValueOnce(undefined);
    await api.deliver(server);
    await until(() => stream.hasEnded);
    expect(stream.events()).toEqual([]);
  });

  test("survives an outage of the store, and then sends the missed changes", async () => {
    const stream = await Stream.open();
    await until(() => api.clock.appointmentCount > 0);
    vi.spyOn(api.context.store, "findKey").mockRejectedValueOnce(new Problem("unavailable"));
    await api.deliver(server);
    await until(() => {
      api.clock.advance(500);
      return stream.events().length > 0;
    });
    expect(stream.events()).toEqual(["1 received"]);
    expect([stream.hasEnded, api.failed]).toEqual([false, []]);
  });

  test("is no failed request when its client leaves during an outage of the store", async () => {
    const stream = await Stream.open();
    await until(() => api.clock.appointmentCount > 0);
    const findKey = vi.spyOn(api.context.store, "findKey").mockRejectedValue(new Problem("unavailable"));
    await api.deliver(server);
    await until(() => findKey.mock.calls.length > 0 && api.clock.appointmentCount > 0);
    stream.close();
    await until(() => api.clock.appointmentCount === 0);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    expect(api.failed).toEqual([]);
  });

  test.each(["account", "restricted"])("closes when its server is deleted, for %s keys", async (kind) => {
    const stream = await Stream.open("", {}, kind === "account" ? api.accountKey : server.key);
    await api.ask(`DELETE /api/servers/${server.id}`);
    await until(() => stream.hasEnded);
    expect(stream.events()).toEqual([]);
  });

  test("responds 429 beyond the limit of streams per key until one closes; other keys are not affected", async () => {
    await using few = await openHttpTestServer({ limits: { eventStreamCountPerKeyMax: 2 } });
    const own = await few.addServer();
    const listener = few.app.createListener().listen(0, "127.0.0.1");
    await once(listener, "listening");
    const url = `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}/api/events?server=${own.id}`;
    const ends: AbortController[] = [];
    // A response without a reference is collected as garbage, which closes its stream.
    const streams: Response[] = [];
    const ask = async (key: string): Promise<Response> => {
      const end = new AbortController();
      ends.push(end);
      const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal: end.signal });
      streams.push(response);
      return response;
    };
    expect([(await ask(own.key)).status, (await ask(own.key)).status]).toEqual([200, 200]);
    const rejected = await ask(own.key);
    expect([rejected.status, rejected.headers.get("retry-after")]).toEqual([429, "1"]);
    expect((await ask(few.accountKey)).status).toBe(200);
    ends[0]?.abort();
    while ((await ask(own.key)).status !== 200);
    for (const end of ends) end.abort();
    expect(streams).toHaveLength(ends.length);
  });

  test.each(["&after=x", "&after=-1", "&after=1.5"])("responds 400 to %s", async (query) => {
    expect((await api.ask(`GET /api/events?server=${server.id}${query}`)).statusCode).toBe(400);
  });

  test("responds 404 for an unknown server and for a foreign one", async () => {
    expect((await api.ask("GET /api/events?server=aaaaaaaa")).statusCode).toBe(404);
    const other = await api.addServer();
    expect((await api.ask(`GET /api/events?server=${server.id}`, { key: other.key })).statusCode).toBe(404);
  });

  test("responds 410 for changes that are no longer stored", async () => {
    expect((await api.ask(`GET /api/events?server=${server.id}&after=99`)).statusCode).toBe(410);
  });
});
