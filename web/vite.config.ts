import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  logLevel: "warn",
  build: {
    outDir: join(import.meta.dirname, "..", "dist", "web"),
    emptyOutDir: true,
    // Our pages allow no data: in script and style, and a module's preloader is script that no page needs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
  },
});
export default config;
