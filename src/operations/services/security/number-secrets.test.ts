import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { NumberSecrets, OwnedNumber } from "../../../core/owned-number.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { Context } from "../../context.ts";
import { openNumberSecrets, sealStoredNumberSecrets, sealNumberSecrets } from "./number-secrets.ts";
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

test("reads and seals the unsealed secrets of older versions, and leaves sealed ones", async () => {
  const given = Buffer.from("\0kept before");
  const numbers = [given, sealNumberSecrets(context, "n1", secrets), null].map((sealedSecrets, index): OwnedNumber => {
    const rest = {
      number: `+1555010${index}`,
      server: "abcd1234" as ServerId,
      provider: "twilio",
      webhook: null,
    } as const;
    return { id: `n${index}`, ...rest, sealedSecrets, createdAt: 0 };
  });
  expect(openNumberSecrets(context, { id: "n0", sealedSecrets: given })).toEqual({
    signing: "kept before",
    account: null,
  });
  const set = new Map<string, Uint8Array>();
  const setNumberSecrets = async (id: string, sealed: Uint8Array): Promise<boolean> => set.set(id, sealed).has(id);
  const store = {
    phoneNumbers: { listPhoneNumbers: async () => numbers, setNumberSecrets },
  } as unknown as Context["store"];
  await sealStoredNumberSecrets({ ...context, store });
  expect(Array.from(set.keys())).toEqual(["n0"]);
  const sealedSecrets = set.get("n0") ?? null;
  expect(sealedSecrets?.[0]).not.toBe(0);
  expect(openNumberSecrets(context, { id: "n0", sealedSecrets })).toEqual({ signing: "kept before", account: null });
  expect(openNumberSecrets(context, { id: randomUUID(), sealedSecrets })).toBeUndefined();
});
