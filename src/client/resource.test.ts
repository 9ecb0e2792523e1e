import { expect, test } from "vitest";
import { RestanteClient } from "./client.ts";

interface Sent {
  readonly call: string;
  readonly body: unknown;
}

/** Client whose requests are recorded and have an empty object as response. */
function recording(): { readonly client: RestanteClient; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const record = async (url: unknown, { method, body }: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(url as string);
    sent.push({
      call: `${String(method)} ${pathname}${search}`,
      body: JSON.parse((body as string | undefined) ?? "null") as unknown,
    });
    return Response.json({});
  };
  return { client: new RestanteClient({ url: "http://localhost", apiKey: "key", fetch: record }), sent };
}

test("puts the arguments of a method where its operation expects them", async () => {
  const { client, sent } = recording();
  const { signal } = new AbortController();
  await client.servers.get("s1", { signal });
  await client.webhooks.update({ server: "s1", webhook: "w 1" }, { description: "d" });
  await client.servers.saveSearch("s1", { name: "n", q: "x" });
  await client.marks.change("s1", { ids: ["1"] }, { requestTimeout: 1000 });
  await client.keys.rotate("k1");
  await client.webhooks.ping({ server: "s1", webhook: "w1" }, { signal });
  await client.messages.list("s1", { receivedAfter: new Date(0), page: 1, signal });
  await client.faults.replace("s1", [], { counts: "keep" });
  expect(sent).toEqual([
    { call: "GET /api/servers/s1", body: null },
    { call: "PUT /api/servers/s1/webhooks/w%201", body: { description: "d" } },
    { call: "PUT /api/servers/s1/searches/n", body: { q: "x" } },
    { call: "POST /api/messages/marks?server=s1", body: { ids: ["1"] } },
    { call: "POST /api/keys/k1/rotate", body: {} },
    { call: "POST /api/servers/s1/webhooks/w1/ping", body: null },
    { call: "GET /api/messages?receivedAfter=1970-01-01T00%3A00%3A00.000Z&page=1&server=s1", body: null },
    { call: "PUT /api/servers/s1/faults?counts=keep", body: { items: [] } },
  ]);
});

test("rejects calls without an id before it sends anything", async () => {
  const { client, sent } = recording();
  await expect(client.servers.get("")).rejects.toThrow('id: "" is not an id');
  await expect(client.webhooks.get({ server: "s1", webhook: "" })).rejects.toThrow('webhook id: "" is not an id');
  await expect(client.webhooks.get(undefined as never)).rejects.toThrow("id: undefined is not an id");
  expect(sent).toEqual([]);
});
