import { describe, expect, test } from "vitest";
import type { ApiResponse } from "./api.ts";
import { callJson, failureOf } from "./call-api.ts";

const response = (status: number, body: string, headers: Record<string, string> = {}): ApiResponse => {
  return { status, headers, bytes: Buffer.from(body), isCut: false };
};
const error = JSON.stringify({
  message: "The request has invalid parameters",
  errors: [{ field: "to", detail: [{ description: "Is required" }] }],
});

describe("failureOf", () => {
  test.each([
    [response(400, error), /^The request has invalid parameters; to: Is required\. Correct the arguments/],
    [response(401, "{}"), /status 401\. The API key is missing/],
    [response(403, "{}"), /key with the needed scope/],
    [response(404, "{}"), /list_servers and list_messages/],
    [response(429, "{}", { "retry-after": "40" }), /Wait 40 seconds/],
    [response(503, "<html>proxy</html>"), /^The service responded with status 503\. The service is overloaded/],
    [response(500, "{}"), /its log has details/],
    [response(507, "{}"), /raise the quota/],
  ])("says what to do next: %#", (given, expected) => {
    expect(failureOf(given).message).toMatch(expected);
  });

  test("repeats at most 2000 characters, none of them hidden", () => {
    const { message } = failureOf(response(400, JSON.stringify({ message: "\u202E".repeat(10_000) })));
    expect(message.length).toBeLessThan(20_000);
    expect(message).not.toContain("\u202E");
  });
});

test("callJson rejects a response that is too large to parse, and names the alternative", async () => {
  const api = async (): Promise<ApiResponse> => ({ ...response(200, '{"id":'), isCut: true });
  const call = callJson({ api, signal: new AbortController().signal }, { method: "GET", path: "/api/messages/x" });
  await expect(call).rejects.toThrow("part=raw");
});
