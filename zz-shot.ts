import chromium from "@sparticuz/chromium";
import { chromium as pw } from "playwright-core";
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { mkdtempSync } from "node:fs";
import { sendLoad } from "/work/main/bench/senders.ts";
import { corpus } from "/work/main/test/corpus/corpus.ts";
import { createTransport } from "nodemailer";
const dir = mkdtempSync("/tmp/look/d-");
const child = spawn(process.execPath, ["src/cli/main.ts", "serve"], {
  cwd: "/work/wt-web",
  env: {
    ...process.env,
    RESTANTE_DATA_DIR: dir,
    RESTANTE_SMTP_PORT: "5525",
    RESTANTE_HTTP_PORT: "5526",
    RESTANTE_HTTPS_PORT: "off",
    RESTANTE_SERVERS: "checkout:Checkout team,billing1:Billing",
  },
  stdio: ["ignore", "pipe", "inherit"],
});
let out = "";
child.stdout.on("data", (d) => (out += d));
await sleep(6000);
console.log(out);
const link = /https?:\/\/\S*(token|sign)\S*/.exec(out)?.[0];
console.log("link", link);
const t = createTransport({ host: "127.0.0.1", port: 5525, ignoreTLS: true });
for (const [i, s] of [
  "Welcome aboard",
  "Your code is 804 219",
  "Reset your password",
  "Invoice 2026-117",
  "Your order has shipped",
].entries())
  await t.sendMail({
    from: '"Example App" <no-reply@app.example>',
    to: `ada+${i}@checkout.restante.test`,
    subject: s,
    text: `Hello Ada,\n\n${s}. Your code is ${100200 + i * 1111}.\n\nhttps://app.example/confirm?t=${i}`,
    html: `<div style="font-family:Arial"><h1 style="color:#3b5bdb">${s}</h1><p>Hello Ada, your code is <b>${100200 + i * 1111}</b>.</p><p><a href="https://app.example/confirm?t=${i}">Confirm address</a></p><img src="cid:logo" alt="Logo"></div>`,
    attachments: i % 2 ? [{ filename: "terms.pdf", content: Buffer.from("%PDF-1.4 x") }] : [],
  });
await sendLoad({ port: 5525, domain: "checkout.restante.test", senders: 4, keepsConnection: true, mails: 300 });
const b = await pw.launch({
  executablePath: await chromium.executablePath(),
  args: [...chromium.args, "--no-sandbox"],
  headless: true,
});
for (const scheme of ["light", "dark"] as const) {
  const p = await (await b.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: scheme })).newPage();
  p.on("console", (m) => console.log("console", m.text()));
  if (scheme === "light" && link) {
    await p.goto(link);
  } else {
    await p.goto("http://127.0.0.1:5526/");
    const inp = p.locator("input").first();
    await inp.fill((await import("node:fs")).readFileSync(dir + "/api-key", "utf8").trim());
    await inp.press("Enter");
  }
  await sleep(2500);
  await p.screenshot({ path: `/tmp/look/${scheme}-1.png` });
  console.log(p.url());
  await p.goto("http://127.0.0.1:5526/servers/checkout").catch(() => {});
  await sleep(2000);
  await p.screenshot({ path: `/tmp/look/${scheme}-2.png` });
  console.log(p.url());
  const rows = p.locator('[role="option"],[role="row"],li a, a[href*="messages"]');
  console.log(await rows.count());
}
await b.close();
child.kill();
