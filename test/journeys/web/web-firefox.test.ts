/** A smoke run of the web UI in Firefox, where the machine has one. */
import { createTransport } from "nodemailer";
import { expect, test } from "vitest";
import { accountViews, messageTabs, serverViews } from "../../../web/navigation/routes.ts";
import { startRestante } from "../../../src/testing/start-restante.ts";
import { Firefox, findFirefox } from "./firefox.ts";

const program = findFirefox();
const server = "shop1234";

test.skipIf(program === undefined)(
  "signs in, follows mail by keyboard, and shows every page without an error in Firefox",
  async () => {
    await using service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
    await using firefox = await Firefox.start(program ?? "", { width: 1280, height: 900 });
    const transport = createTransport({ ...service.smtp, ignoreTLS: true });
    const attachments = [{ filename: "terms.txt", content: "The terms" }];
    const mail = { from: "app@example.com", to: `a@${server}.restante.example.com`, attachments };
    await transport.sendMail({ ...mail, subject: "First", html: "<h1>Hello</h1><p>Your code is 482913." });

    await firefox.open(`${service.url}/#token=${service.apiKey}`);
    await firefox.until(
      `document.querySelector("[data-state=live]") && document.querySelectorAll("li[data-id]").length === 1`,
    );
    await transport.sendMail({ ...mail, subject: "Second", text: "It arrives while the page is open" });
    transport.close();
    await firefox.until(`document.querySelectorAll("li[data-id]").length === 2`);
    const ids = await firefox.evaluate<string[]>(
      `[...document.querySelectorAll("li[data-id]")].map((row) => row.dataset.id)`,
    );

    await firefox.press("j", "j", "\uE007");
    await firefox.until(
      `location.pathname.endsWith(${JSON.stringify(ids[1])}) && document.querySelector("iframe")?.clientHeight > 40`,
    );
    await firefox.until(`document.querySelector("article")?.textContent.includes("482913")`);
    await firefox.press("\uE00C");
    await firefox.until(`location.pathname === "/servers/${server}"`);

    const pages = [
      "/",
      "/search?q=code",
      "/docs",
      ...serverViews.map((view) => `/servers/${server}/${view}`),
      ...accountViews.map((view) => `/${view}`),
      ...messageTabs.filter((tab) => tab !== "previews").map((tab) => `/servers/${server}/messages/${ids[1]}/${tab}`),
    ];
    const cut: string[] = [];
    for (const path of pages) {
      await firefox.open(service.url + path);
      await firefox.until(
        `document.querySelector("h1, h2, [role=tabpanel]") && !document.querySelector("main[aria-busy=true]")`,
      );
      if (await firefox.evaluate(`document.documentElement.scrollWidth > innerWidth`)) cut.push(path);
    }
    expect([cut, firefox.errors]).toEqual([[], []]);
  },
);
