/** better-auth: sign-up and reset by link, through its HTTP API. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { otherPassword, password, post, tryApplication } from "./trial.ts";

/** Accounts on the port in its first argument. A text, because the packages that it imports are installed for the run only. */
const site = `
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { toNodeHandler } from "better-auth/node";
import { mail } from "./auth-mail.ts";

const port = Number(process.argv[2]);
const options = {
  ...mail,
  database: new DatabaseSync(":memory:"),
  baseURL: "http://127.0.0.1:" + port,
  secret: "only for this run, and long enough",
};
const { runMigrations } = await getMigrations(options);
await runMigrations();
createServer(toNodeHandler(betterAuth(options))).listen(port, "127.0.0.1");
`;

await tryApplication(async (trial) => {
  const port = await freePort();
  const program = join(trial.folder, "site.mjs");
  writeFileSync(program, site);
  writeFileSync(join(trial.folder, "auth-mail.ts"), trial.settings());
  const origin = `http://127.0.0.1:${String(port)}`;
  const url = `${origin}/api/auth`;
  await trial.start(`${url}/ok`, [process.execPath, program, String(port)]);
  const call = async (path: string, body: object): Promise<unknown> => post(`${url}/${path}`, body, { origin });
  const email = trial.address("better-auth");

  const confirmation = await trial.mailTo(email, async () => {
    await call("sign-up/email", { name: "Ada", email, password });
  });
  await assert.rejects(call("sign-in/email", { email, password }), /EMAIL_NOT_VERIFIED/);
  await fetch(confirmation.link());
  await call("sign-in/email", { email, password });

  const reset = await trial.mailTo(email, async () => {
    await call("request-password-reset", { email, redirectTo: "/reset" });
  });
  const { headers } = await fetch(reset.link(), { redirect: "manual" });
  const token = new URL(headers.get("location") ?? "", url).searchParams.get("token");
  await call("reset-password", { newPassword: otherPassword, token });
  await call("sign-in/email", { email, password: otherPassword });

  const { version } = JSON.parse(
    readFileSync(join(trial.folder, "node_modules", "better-auth", "package.json"), "utf8"),
  ) as { readonly version: string };
  return { version, flows: "sign-up by link, reset by link" };
});
