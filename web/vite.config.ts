import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  logLevel: "warn",
  css: { modules: { localsConvention: "camelCaseOnly" } },
  build: {
    outDir: join(import.meta.dirname, "..", "dist", "web"),
    emptyOutDir: true,
    // The content security policy forbids data: URLs, and supported browsers preload modules without a polyfill.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
  },
});
export default config;
