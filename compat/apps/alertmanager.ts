/** Alertmanager: an alert, and the link of its mail. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { post, tryApplication } from "./trial.ts";

await tryApplication(async (trial) => {
  const port = await freePort();
  const email = trial.address("alertmanager");
  const file = join(trial.folder, "alertmanager.yml");
  const routes = `route: { receiver: ada, group_wait: 0s }\nreceivers: [{ name: ada, email_configs: [{ to: "${email}" }] }]\n`;
  writeFileSync(file, `${trial.settings()}${routes}`);
  const url = `http://127.0.0.1:${String(port)}`;
  await trial.start(`${url}/-/ready`, [
    "prometheus-alertmanager",
    `--config.file=${file}`,
    `--storage.path=${join(trial.folder, "data")}`,
    `--web.listen-address=127.0.0.1:${String(port)}`,
    "--cluster.listen-address=",
  ]);
  const source = `${url}/?alert=a&expression=up%20%3D%3D%200`;
  const mail = await trial.mailTo(email, async () => {
    await post(`${url}/api/v2/alerts`, [{ labels: { alertname: "NodeDown", node: "n1" }, generatorURL: source }]);
  });
  assert.match(mail.subject, /^\[FIRING:1\] .*NodeDown/);
  assert.equal(mail.link("Source"), source);
  const [, version = ""] = /version (\S+)/.exec(await trial.run(["prometheus-alertmanager", "--version"])) ?? [];
  return { version, flows: "alert" };
});
