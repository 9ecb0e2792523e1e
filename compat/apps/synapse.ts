/** Synapse: sign-up and reset by link, through the API of Matrix. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { otherPassword, password, post, tryApplication } from "./trial.ts";

const secret = "secret-of-the-client";

await tryApplication(async (trial) => {
  const python = join(trial.folder, "bin", "python");
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const file = join(trial.folder, "homeserver.yaml");
  const synapse = [python, "-m", "synapse.app.homeserver", "-c", file] as const;
  const options = { folder: trial.folder };
  await trial.run([...synapse, "--generate-config", "--server-name=example.com", "--report-stats=no"], options);
  const own = {
    public_baseurl: `${url}/`,
    listeners: [{ port, type: "http", bind_addresses: ["127.0.0.1"], resources: [{ names: ["client"] }] }],
    enable_registration: true,
    registrations_require_3pid: ["email"],
    trusted_key_servers: [],
  };
  const settings = join(trial.folder, "settings.yaml");
  // JSON is YAML, and a document may end with a member in it.
  const members = Object.entries(own).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  writeFileSync(settings, `${trial.settings()}${members.join("")}`);
  await trial.start(`${url}/health`, [...synapse, "-c", settings], options);

  const client = `${url}/_matrix/client/v3`;
  const email = trial.address("synapse");
  const prove = async (path: string): Promise<object> => {
    let sid = "";
    const mail = await trial.mailTo(email, async () => {
      const request = { client_secret: secret, email, send_attempt: 1 };
      ({ sid } = (await post(`${client}/${path}`, request)) as { readonly sid: string });
    });
    const page = await trial.page();
    await page.goto(mail.link());
    const confirm = page.locator("[type=submit]");
    if ((await confirm.count()) > 0) await confirm.click();
    return { type: "m.login.email.identity", threepid_creds: { sid, client_secret: secret } };
  };
  const proof = await prove("register/email/requestToken");
  await post(`${client}/register`, { username: "ada", password, auth: proof });
  const reset = await prove("account/password/email/requestToken");
  await post(`${client}/account/password`, { new_password: otherPassword, auth: reset });
  const identifier = { type: "m.id.user", user: "ada" };
  await post(`${client}/login`, { type: "m.login.password", identifier, password: otherPassword });

  const version = await trial.run([python, "-c", "import synapse; print(synapse.__version__)"]);
  return { version: version.trim(), flows: "sign-up by link, reset by link" };
});
