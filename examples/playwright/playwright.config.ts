import { defineConfig } from "@playwright/test";

const { CHROMIUM_PATH } = process.env;

export default defineConfig({
  fullyParallel: true,
  reporter: [["list"], ["html", { open: "never" }], ["restante/playwright/reporter"]],
  use: {
    trace: "retain-on-failure",
    // Without the variable: the browser of `npx playwright install chromium`.
    ...(CHROMIUM_PATH && { launchOptions: { executablePath: CHROMIUM_PATH, args: ["--no-sandbox"] } }),
  },
});
