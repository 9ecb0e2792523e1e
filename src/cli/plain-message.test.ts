import { expect, test } from "vitest";
import { errorOfResponse } from "../client/errors.ts";
import { invalidField, Problem } from "../core/errors.ts";
import { plainMessage } from "./plain-message.ts";

test("names the wrong fields of a request", () => {
  expect(plainMessage(invalidField("address", "Must be one address"))).toBe(
    "The request has invalid parameters; address: Must be one address",
  );
  expect(plainMessage(new Problem("not_found", { text: "Server not found" }))).toBe("Server not found");
});

test("describes the reasons of the file system", () => {
  const failure = Object.assign(new Error("ENOENT: …"), { code: "ENOENT", syscall: "open", path: "mail.eml" });
  expect(plainMessage(failure)).toBe("mail.eml: no such file or folder");
});

const validation = {
  type: "ValidationError",
  status: 400,
  message: "The request has invalid parameters",
  errors: [{ field: "name", detail: [{ description: "Names have at most 200 characters", code: "too_long" }] }],
};
test.each([
  [401, "{}", "Invalid API key; set RESTANTE_API_KEY to a key of this service"],
  [400, JSON.stringify(validation), "The request has invalid parameters; name: Names have at most 200 characters"],
  [404, '{"message":"Message not found","errors":[]}', "Message not found"],
  [502, "<html>Bad Gateway", "The service responded with status 502"],
  [502, '{"status":"down"}', "The service responded with status 502"],
])("returns the message of a %i response of a service: %s", async (status, body, message) => {
  const error = await errorOfResponse(new Response(body, { status }), "GET /api/keys");
  expect(plainMessage(error)).toBe(message);
});
