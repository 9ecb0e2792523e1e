/**
 * Runs the service from its sources and restarts it when one of them changes, beside the development server of Vite, which
 * shows changes of the web UI at once and passes all other requests on to the service. Arguments are those of `serve`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { createServer } from "vite";

const root = join(import.meta.dirname, "..");
const web = join(root, "web");
const args = process.argv.slice(2);
const port = /^--http-port=(\d+)$/.exec(args.findLast((arg) => arg.startsWith("--http-port=")) ?? "")?.[1] ?? "8025";

const server = await createServer({
  configFile: join(web, "vite.config.ts"),
  server: {
    proxy: {
      "^/(?!@)": {
        target: `http://127.0.0.1:${port}`,
        // Folders of the web UI have names of paths of the API: what is a file of the UI comes from Vite, and every page too.
        bypass: ({ url = "/", headers }) => {
          const file = join(web, new URL(url, "http://localhost").pathname);
          if (existsSync(file) && statSync(file).isFile()) return url;
          return headers.accept?.startsWith("text/html") === true ? "/index.html" : undefined;
        },
      },
    },
  },
});
await server.listen();

let service = start();
let isStopping = false;

// The watch mode of Node does not know threads: it sends them messages of its own.
const changes = watch(join(root, "src"), { recursive: true }, (_event, name) => {
  if (name?.endsWith(".ts") === true && !name.includes(".test")) service.kill();
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isStopping = true;
    changes.close();
    service.kill();
    void server.close();
  });

function start(): ChildProcess {
  const child = spawn(process.execPath, ["src/cli/main.ts", "serve", ...args], { cwd: root, stdio: "inherit" });
  child.on("exit", (code, signal) => {
    if (isStopping) return;
    const wasChanged = signal !== null || code === 0;
    if (!wasChanged) process.stdout.write("The service has ended; it starts again with the next change of a file.\n");
    if (wasChanged) service = start();
    else
      changes.once("change", () => {
        service = start();
      });
  });
  return child;
}

process.stdout.write(`Web UI: ${server.resolvedUrls?.local[0] ?? ""} (sign in with the key of the service)\n`);
