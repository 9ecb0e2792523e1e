import { defineConfig } from "cypress";
import { setupRestante } from "restante/cypress/plugin";
import { startApp } from "./app.ts";

export default defineConfig({
  e2e: {
    async setupNodeEvents(on, config) {
      const restante = await setupRestante(on, config);
      const { url } = await startApp(restante.smtp);
      return { ...config, baseUrl: url };
    },
  },
});
