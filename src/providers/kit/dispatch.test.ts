import { expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices } from "../conformance/services.test-aid.ts";
import { jsonResponse, type ProviderEndpoint, type ProviderRequest } from "../provider.ts";
import { dispatch, type Dispatched } from "./dispatch.ts";

const row = (line: string, handle: ProviderEndpoint["handle"]): ProviderEndpoint => {
  const [method, path] = line.split(" ") as [ProviderEndpoint["method"], string];
  return { method, path, handle, summary: "", successes: [] };
};
const provider: Dispatched = {
  endpoints: [
    row("GET /things/:id", async ({ params }) => jsonResponse(200, params)),
    row("GET /things/first", async () => jsonResponse(200, "first")),
    row("POST /things/:id/fail", async ({ params }) => {
      throw new Problem(params["id"] === "quota" ? "limit_reached" : "internal");
    }),
  ],
  errorResponse: ({ code }, { path }) => jsonResponse(400, { code, path }),
};
const send = async (method: ProviderRequest["method"], path: string): Promise<unknown> => {
  const response = await dispatch(provider, jsonRequest({}, { method, path }), memoryServices().services);
  return JSON.parse(response.body?.text ?? "");
};

test("calls the endpoint with the decoded parameters of the path, and prefers literal segments", async () => {
  expect(await send("GET", "/things/a%20b")).toEqual({ id: "a b" });
  expect(await send("GET", "/things/%zz")).toEqual({ id: "%zz" });
  expect(await send("GET", "/things/first")).toBe("first");
});

test.each([
  ["GET", "/things/", "not_found"],
  ["GET", `/things${"/x".repeat(5000)}`, "not_found"],
  ["PUT", "/things/1", "method_not_allowed"],
  ["POST", "/things/quota/fail", "limit_reached"],
] as const)("responds to %s %.20s with the error of the provider: %s", async (method, path, code) => {
  expect(await send(method, path)).toEqual({ code, path });
});

test("rejects with failures of the service", async () => {
  await expect(send("POST", "/things/1/fail")).rejects.toMatchObject({ code: "internal" });
});
