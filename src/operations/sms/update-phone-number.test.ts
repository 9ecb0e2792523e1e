import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Problem } from "../../core/errors.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { openNumberSecrets } from "../services/security/stored-secrets.ts";
import { addPhoneNumber, removePhoneNumber, type ShownNumber } from "./phone-numbers.ts";
import { createSecretBox } from "../services/security/secret-box.ts";
import { updatePhoneNumber, type NumberChangeRequest } from "./update-phone-number.ts";

const account = { keyId: "test", server: null };
const number = "+15550142";
const webhook = "http://127.0.0.1:3000/sms";
const twilio = { id: "AC1", secret: "auth-token" };

let api: HttpTestServer;
let [server, other] = [{} as TestServer, {} as TestServer];
let present: ShownNumber;

beforeAll(async () => {
  api = await openHttpTestServer();
  [server, other] = [await api.addServer(), await api.addServer()];
});
afterAll(async () => api[Symbol.asyncDispose]());

beforeEach(async () => {
  if (present !== undefined) await removePhoneNumber(api.context, account, present.id);
  const request = { number, server: server.id, secret: "signing", webhook, account: twilio };
  present = await addPhoneNumber(api.context, account, request);
});

async function update(change: NumberChangeRequest, name = number): Promise<ShownNumber> {
  return await updatePhoneNumber(api.context, account, { number: name, change });
}

async function storedSecrets(): Promise<unknown> {
  const stored = await api.context.store.phoneNumbers.findPhoneNumber(number);
  return stored === undefined ? undefined : openNumberSecrets(api.context.secrets, stored);
}

describe("updatePhoneNumber", () => {
  test("changes nothing when the request is empty", async () => {
    expect(await update({})).toEqual(present);
    expect(await storedSecrets()).toMatchObject({ signing: "signing", account: twilio });
  });

  test("changes server and webhook and leaves the secrets", async () => {
    expect(await update({ server: other.id, webhook: null })).toEqual({ ...present, server: other.id, webhook: null });
    expect(await storedSecrets()).toMatchObject({ signing: "signing", account: twilio });
  });

  test("replaces one secret and leaves the other", async () => {
    expect(await update({ secret: "fresh" })).toMatchObject({ signed: true, sends: true });
    expect(await storedSecrets()).toMatchObject({ signing: "fresh", account: twilio });
    expect(await update({ account: { id: "AC2", secret: "token" } })).toMatchObject({ signed: true, sends: true });
    expect(await storedSecrets()).toMatchObject({ signing: "fresh", account: { id: "AC2", secret: "token" } });
  });

  test("removes secrets and account when they are null", async () => {
    expect(await update({ secret: null })).toMatchObject({ signed: false, sends: true });
    expect(await update({ account: null })).toMatchObject({ signed: false, sends: false });
  });

  test("finds the number by its id and in any international notation", async () => {
    expect(await update({ webhook: null }, present.id)).toMatchObject({ webhook: null });
    expect(await update({ webhook }, "+1 555 0142")).toMatchObject({ webhook });
  });

  test("rejects with not_found when the number or the new server does not exist", async () => {
    await expect(update({}, "+15550199")).rejects.toMatchObject({ code: "not_found" });
    await expect(update({}, "nothing")).rejects.toMatchObject({ code: "not_found" });
    await expect(update({ server: "zzzz9999" })).rejects.toMatchObject({ code: "not_found" });
  });

  test("rejects a key restricted to the number's server with forbidden", async () => {
    const own = { keyId: "own", server: present.server };
    const updating = updatePhoneNumber(api.context, own, { number, change: {} });
    await expect(updating).rejects.toMatchObject({ code: "forbidden" });
  });

  test("reports every wrong field", async () => {
    const change = { webhook: "ftp://127.0.0.1", secret: "x".repeat(257), account: { id: "a/b" } };
    const error = (await update(change).catch((cause: unknown) => cause)) as Problem;
    const fields = error.fields.map(({ field }) => field);
    expect(fields).toEqual(["webhook", "secret", "account.id", "account.secret"]);
  });

  test("requires another account for another provider", async () => {
    await expect(update({ provider: "vonage" })).rejects.toMatchObject({ fields: [{ field: "account" }] });
    expect(await update({ provider: "vonage", account: null })).toMatchObject({ provider: "vonage", sends: false });
  });

  test("requires both secrets when the current ones were sealed with another secret key", async () => {
    const secrets = createSecretBox(Buffer.from("another key of the operator's"));
    const context = { ...api.context, secrets };
    const updateElsewhere = async (change: NumberChangeRequest): Promise<ShownNumber> =>
      await updatePhoneNumber(context, account, { number, change });
    await expect(updateElsewhere({ secret: "fresh" })).rejects.toMatchObject({ code: "conflict" });
    expect(await updateElsewhere({ webhook: null })).toMatchObject({ webhook: null });
    expect(await updateElsewhere({ secret: "fresh", account: null })).toMatchObject({ signed: true, sends: false });
  });
});
