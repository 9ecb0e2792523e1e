import { expect, test } from "vitest";
import type { NumberSecrets } from "../../../core/phone-number.ts";
import { openNumberSecrets, sealNumberSecrets } from "./number-secrets.ts";
import { createSecretBox } from "./secret-box.ts";

const context = { secrets: createSecretBox(Buffer.from("a key for nothing but tests")) };
const other = { secrets: createSecretBox(Buffer.from("another key of the operator's")) };
const account = { id: "AC1", key: null, secret: "auth-token", apiUrl: null };
const secrets: NumberSecrets = { signing: "signing-secret", account };

test("sealed secrets are opened only with the same key and number, and reveal nothing", () => {
  const sealedSecrets = sealNumberSecrets(context, "one", secrets);
  expect(openNumberSecrets(context, { id: "one", sealedSecrets })).toEqual(secrets);
  expect(openNumberSecrets(context, { id: "two", sealedSecrets })).toBeUndefined();
  expect(openNumberSecrets(other, { id: "one", sealedSecrets })).toBeUndefined();
  const bytes = Buffer.from(sealedSecrets ?? []).toString("latin1");
  for (const secret of ["signing-secret", "auth-token", "AC1"]) expect(bytes).not.toContain(secret);
});

test("a number without secrets stores and returns none", () => {
  const none = { signing: null, account: null };
  expect(sealNumberSecrets(context, "one", none)).toBeNull();
  expect(openNumberSecrets(context, { id: "one", sealedSecrets: null })).toEqual(none);
});
