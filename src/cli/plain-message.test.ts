import { expect, test } from "vitest";
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
