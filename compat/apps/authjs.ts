/** Auth.js: sign-up and sign-in by link, in its page. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { tryApplication } from "./trial.ts";

/** Accounts on the port in its first argument. A text, because the packages that it imports are installed for the run only. */
const site = `
import express from "express";
import { ExpressAuth, getSession } from "@auth/express";
import Nodemailer from "@auth/express/providers/nodemailer";
import { UnstorageAdapter } from "@auth/unstorage-adapter";
import { createStorage } from "unstorage";

const config = {
  secret: "only for this run, and long enough",
  trustHost: true,
  adapter: UnstorageAdapter(createStorage()),
  providers: [Nodemailer({ server: process.env.EMAIL_SERVER, from: process.env.EMAIL_FROM })],
};
const app = express();
app.use("/auth/*", ExpressAuth(config));
app.get("/session", async (request, response) => response.json(await getSession(request, config)));
app.listen(Number(process.argv[2]), "127.0.0.1");
`;

await tryApplication(async (trial) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const program = join(trial.folder, "site.mjs");
  writeFileSync(program, site);
  await trial.start(`${url}/session`, [process.execPath, program, String(port)], {
    environment: parseEnv(trial.settings()) as Record<string, string>,
  });
  const email = trial.address("authjs");
  const page = await trial.page();
  const mail = await trial.mailTo(email, async () => {
    await page.goto(`${url}/auth/signin`);
    await page.fill("[name=email]", email);
    await page.click("[type=submit]");
  });
  await page.goto(mail.link());
  await page.goto(`${url}/session`);
  const { user } = JSON.parse(await page.innerText("body")) as { readonly user: { readonly email: string } };
  assert.equal(user.email, email);
  const { version } = JSON.parse(
    readFileSync(join(trial.folder, "node_modules", "@auth", "core", "package.json"), "utf8"),
  ) as { readonly version: string };
  return { version, flows: "sign-in by link" };
});
