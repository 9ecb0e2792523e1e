import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScreenshotReport } from "../../../core/snapshot.ts";
import { openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const mail = "From: a@shop.example\r\nContent-Type: text/html\r\n\r\n<p>Your order\r\n";

describe("POST /api/analysis/screenshot/:id", () => {
  const ask = async (body: unknown, { door = api, key }: { door?: HttpTestServer; key?: string } = {}) => {
    const id = await door.deliver(await door.addServer(), { raw: mail });
    return door.ask(`POST /api/analysis/screenshot/${id}`, { body, ...(key !== undefined && { key }) });
  };

  test("compares the picture with the baseline, and returns it unless they match", async () => {
    const first = (await ask({ client: "outlook-2021", dark: true })).json<ScreenshotReport>();
    expect(first).toMatchObject({ isMatch: false, client: "windows-outlook2021-lightmode-dark", difference: null });
    const { picture } = first;
    const matched = (await ask({ client: "gmail", baseline: picture })).json<ScreenshotReport>();
    expect(matched).toMatchObject({ isMatch: true, reason: null, picture: null, difference: null });
  });

  test("masks the recipients and the values of the request", async () => {
    const comparisons: unknown[] = [];
    const { renderer } = api.context;
    const compare: typeof renderer.compare = async (source, request, caller) => {
      comparisons.push(request.comparison.masked, request.comparison.threshold, request.comparison.maxChangedPixels);
      return renderer.compare(source, request, caller);
    };
    await using own = await openHttpTestServer({ context: { renderer: { ...renderer, compare } } });
    const mask = [{ name: "order", value: "A-1" }];
    await ask({ client: "gmail", mask, threshold: 0.2, maxChangedPixels: 3 }, { door: own });
    expect(comparisons).toEqual([
      expect.arrayContaining([
        ...mask,
        expect.objectContaining({ name: "recipient" }),
        expect.objectContaining({ name: "server" }),
      ]),
      0.2,
      3,
    ]);
  });

  test.each<[string, unknown]>([
    ["client", { client: "" }],
    ["client", { client: "eudora" }],
    ["baseline", { client: "gmail", baseline: "not base64" }],
    ["baseline", { client: "gmail", baseline: Buffer.from("GIF89a").toString("base64") }],
    ["threshold", { client: "gmail", threshold: 2 }],
    ["maxChangedPixels", { client: "gmail", maxChangedPixels: -1 }],
    ["mask[0].name", { client: "gmail", mask: [{ name: "1", value: "x" }] }],
    ["colour", { client: "gmail", colour: "red" }],
  ])("responds 400 with the field %s for %j", async (field, body) => {
    const reply = await ask(body);
    expect([reply.statusCode, reply.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, field]);
  });

  test("responds 400 for a damaged baseline, and without a browser", async () => {
    const { renderer } = api.context;
    const body = { client: "gmail" };
    const fieldWith = async (changes: Partial<typeof renderer>): Promise<unknown> => {
      await using own = await openHttpTestServer({ context: { renderer: { ...renderer, ...changes } } });
      return (await ask(body, { door: own })).json<{ errors: readonly { field: string; detail: unknown }[] }>().errors;
    };
    expect(await fieldWith({ compare: async () => null })).toMatchObject([{ field: "baseline" }]);
    expect(await fieldWith({ problem: async () => "Get one" })).toMatchObject([{ field: "client" }]);
  });

  test("responds 404 for a deleted message and for one of another server", async () => {
    const other = await api.addServer();
    expect((await ask({ client: "gmail" }, { key: other.key })).statusCode).toBe(404);
    const id = await api.deliver(other, { raw: mail });
    await api.ask(`DELETE /api/messages/${id}`);
    expect((await api.ask(`POST /api/analysis/screenshot/${id}`, { body: { client: "gmail" } })).statusCode).toBe(404);
  });
});
