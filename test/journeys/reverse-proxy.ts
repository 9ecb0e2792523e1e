/** Reverse proxies in front of a service: nginx where the machine has it, else one of Node that forwards alike. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/testing/free-port.test-aid.ts";

/** Reverse proxy that forwards what is below a path. */
export interface ReverseProxy extends AsyncDisposable {
  /** Public URL of the path, with a slash at its end. */
  readonly url: string;
  /** Begins to forward to a listener. */
  readonly forwardTo: (target: string) => Promise<void>;
  /** Returns the paths of requests that were not below the path. */
  readonly strayPaths: () => readonly string[];
}

interface Forwarding {
  readonly port: number;
  /** Path with slashes at both ends. */
  readonly path: string;
  /** Path at the service that replaces it. */
  readonly servicePath: string;
}

interface RunningProxy {
  readonly strayPaths: () => readonly string[];
  readonly stop: () => Promise<void>;
}

const nginx = "/usr/sbin/nginx";

/** Returns a proxy of a path, such as `/mail/`, which passes it on or removes it. */
export async function openReverseProxy(path: string, passes: "with path" | "without path"): Promise<ReverseProxy> {
  const forwarding = { port: await freePort(), path, servicePath: passes === "with path" ? path : "/" };
  let running: RunningProxy | undefined;
  return {
    url: `http://127.0.0.1:${forwarding.port}${path}`,
    forwardTo: async (target) => {
      running = await (existsSync(nginx) ? startNginx : startProxy)(target, forwarding);
    },
    strayPaths: () => (running?.strayPaths() ?? []).filter((one) => one !== "/favicon.ico"),
    [Symbol.asyncDispose]: async () => running?.stop(),
  };
}

async function startNginx(target: string, { port, path, servicePath }: Forwarding): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), "restante-nginx-"));
  const strayLog = join(folder, "stray");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  mkdirSync(join(folder, "temp"));
  const configuration = `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
    events {}
    http {
      ${temporary.map((name) => `${name}_temp_path ${folder}/temp;`).join(" ")}
      log_format stray "$request_uri";
      access_log off;
      map $http_upgrade $connection_field { default upgrade; "" close; }
      server {
        listen 127.0.0.1:${port};
        location ${path} {
          proxy_pass ${target}${servicePath};
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header Upgrade $http_upgrade;
          proxy_set_header Connection $connection_field;
          proxy_buffering off;
        }
        location / { access_log ${strayLog} stray; return 404; }
      }
    }`;
  const file = join(folder, "nginx.conf");
  writeFileSync(file, configuration);
  const child = spawn(nginx, ["-e", "stderr", "-c", file], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true });
  };
  await Promise.race([untilReachable(port), ended]);
  if (child.exitCode !== null) throw new Error(`nginx exited: ${log}`);
  return { strayPaths: () => (existsSync(strayLog) ? readFileSync(strayLog, "utf8").trim().split("\n") : []), stop };
}

/** Resolves when a server accepts connections at the port. */
async function untilReachable(port: number): Promise<void> {
  const isReachable = await fetch(`http://127.0.0.1:${port}/favicon.ico`).then(
    () => true,
    () => false,
  );
  if (!isReachable) await untilReachable(port);
}

async function startProxy(target: string, { port, path, servicePath }: Forwarding): Promise<RunningProxy> {
  const strayPaths: string[] = [];
  const forward = ({ url = "", method, headers }: IncomingMessage): ReturnType<typeof httpRequest> | null => {
    if (url.startsWith(path)) return httpRequest(target + servicePath + url.slice(path.length), { method, headers });
    strayPaths.push(url);
    return null;
  };
  const server = createServer((incoming, outgoing) => {
    const forwarded = forward(incoming);
    if (forwarded === null) outgoing.writeHead(404).end();
    else respondFrom(forwarded, outgoing, incoming);
  });
  server.on("upgrade", (incoming, socket, head) => {
    const forwarded = forward(incoming);
    if (forwarded === null) socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
    else upgradeFrom(forwarded, socket, head);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { strayPaths: () => strayPaths, stop };
}

function respondFrom(
  forwarded: ReturnType<typeof httpRequest>,
  outgoing: ServerResponse,
  incoming: IncomingMessage,
): void {
  forwarded.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
}

function upgradeFrom(forwarded: ReturnType<typeof httpRequest>, socket: Duplex, head: Buffer): void {
  forwarded.on("upgrade", ({ statusCode, statusMessage, rawHeaders }, answering) => {
    const fields = Array.from(
      { length: rawHeaders.length / 2 },
      (_, at) => `${rawHeaders[2 * at]}: ${rawHeaders[2 * at + 1]}\r\n`,
    );
    socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${fields.join("")}\r\n`);
    answering.on("error", () => socket.destroy());
    answering.pipe(socket).pipe(answering);
  });
  forwarded.on("response", () => socket.destroy());
  forwarded.on("error", () => socket.destroy());
  socket.on("error", () => forwarded.destroy());
  forwarded.end(head);
}
