import { expect, test as base } from "restante/playwright";
import { startApp } from "./app.ts";

/** The fixtures of restante, and the application under test: one for each worker. */
export const test = base.extend<object, { app: string }>({
  app: [
    async ({ restante }, use) => {
      const { url, server } = await startApp(restante.smtp);
      await use(url);
      server.close();
      server.closeAllConnections();
    },
    { scope: "worker" },
  ],
});
export { expect };
