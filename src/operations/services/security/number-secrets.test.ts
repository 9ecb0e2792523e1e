import { expect, test } from "vitest";
import type { NumberSecrets } from "../../../core/phone-number.ts";
import { openNumberSecrets, sealNumberSecrets } from "./number-secrets.ts";
import { createSecretBox } from "./secret-box.ts";

const own = createSecretBox(Buffer.from("a key for nothing but tests"));
const other = createSecretBox(Buffer.from("another key of the operator's"));
const account = { id: "AC1", key: null, secret: "auth-token", apiUrl: null };
const secrets: NumberSecrets = { signing: "signing-secret", account };

test("sealed secrets are opened only with the same key and number, and reveal nothing", () => {
  const sealedSecrets = sealNumberSecrets(own, "one", secrets);
  expect(openNumberSecrets(own, { id: "one", sealedSecrets })).toEqual(secrets);
  expect(openNumberSecrets(own, { id: "two", sealedSecrets })).toBeUndefined();
  expect(openNumberSecrets(other, { id: "one", sealedSecrets })).toBeUndefined();
  const bytes = Buffer.from(sealedSecrets ?? []).toString("latin1");
  for (const secret of ["signing-secret", "auth-token", "AC1"]) expect(bytes).not.toContain(secret);
});

test("a number without secrets stores and returns none", () => {
  const none = { signing: null, account: null };
  expect(sealNumberSecrets(own, "one", none)).toBeNull();
  expect(openNumberSecrets(own, { id: "one", sealedSecrets: null })).toEqual(none);
});
