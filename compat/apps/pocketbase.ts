/** PocketBase: sign-up and reset by link, through its API and its pages. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { pocketBaseVersion } from "./applications.ts";
import { otherPassword, password, post, tryApplication } from "./trial.ts";

interface SignedIn {
  readonly token: string;
  readonly record: { readonly verified: boolean };
}

await tryApplication(async (trial) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const program = join(trial.folder, "base");
  const storage = `--dir=${join(trial.folder, "pb_data")}`;
  await trial.run([program, "superuser", "upsert", "admin@example.com", password, storage]);
  await trial.start(`${url}/api/health`, [program, "serve", `--http=127.0.0.1:${String(port)}`, storage]);

  const users = `${url}/api/collections/users`;
  const signIn = async (collection: string, identity: string, secret: string): Promise<SignedIn> => {
    const account = { identity, password: secret };
    return (await post(`${url}/api/collections/${collection}/auth-with-password`, account)) as SignedIn;
  };
  const { token } = await signIn("_superusers", "admin@example.com", password);
  const settings = { ...(JSON.parse(trial.settings()) as object), meta: { appURL: url } };
  const headers = { authorization: token, "content-type": "application/json" };
  const { status } = await fetch(`${url}/api/settings`, { method: "PATCH", headers, body: JSON.stringify(settings) });
  assert.equal(status, 200);

  const email = trial.address("pocketbase");
  await post(`${users}/records`, { email, password, passwordConfirm: password });
  const page = await trial.page();
  const confirmation = await trial.mailTo(email, async () => post(`${users}/request-verification`, { email }));
  await page.goto(confirmation.link());
  await page.getByText("Successfully verified").waitFor();
  assert.equal((await signIn("users", email, password)).record.verified, true);

  const reset = await trial.mailTo(email, async () => post(`${users}/request-password-reset`, { email }));
  const other = await trial.page();
  await other.goto(reset.link());
  for (const field of [other.getByLabel("New password", { exact: true }), other.getByLabel("New password confirm")])
    await field.fill(otherPassword);
  await other.locator("[type=submit]").click();
  await other.getByText("Successfully changed").waitFor();
  await signIn("users", email, otherPassword);
  return { version: pocketBaseVersion.slice(1), flows: "sign-up by link, reset by link" };
});
