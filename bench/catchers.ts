/** Other mail catchers that benchmarks run beside the service, each in a version that is named here or in `bench/catchers`. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, runProgram, type Program } from "./child.ts";

const folder = join(import.meta.dirname, "catchers");
const binaries = join(folder, "bin");

/** Mail catcher. */
export interface Catcher {
  readonly name: string;
  /** Place of a mail when it is accepted. */
  readonly storage: string;
  /** Installs it; returns false when that is not possible here. */
  readonly install: () => boolean;
  readonly start: () => Promise<Program>;
}

/** MailDev 3 from npm. */
export const maildev: Catcher = {
  name: "MailDev 3",
  storage: "memory",
  install: () => {
    if (existsSync(join(folder, "node_modules/maildev"))) return true;
    const argv = ["ci", "--no-workspaces", "--no-audit", "--no-fund"];
    return spawnSync("npm", argv, { cwd: folder, stdio: "ignore" }).status === 0;
  },
  start: () =>
    startCatcher(({ smtpPort, httpPort }) => ({
      command: process.execPath,
      argv: [
        join(folder, "node_modules/maildev/dist/bin/maildev.js"),
        ...flags({ smtp: smtpPort, web: httpPort, ip: "127.0.0.1", "web-ip": "127.0.0.1" }),
      ],
    })),
};

/** Mailpit from its Go module, with its database in a file. */
export const mailpit: Catcher = {
  name: "Mailpit 1.33.1",
  storage: "disk, not synchronised",
  install: () => installGo("github.com/axllent/mailpit@v1.33.1", "mailpit"),
  start: () =>
    startCatcher(({ smtpPort, httpPort, dataDir }) => ({
      command: join(binaries, "mailpit"),
      argv: [
        ...flags({
          smtp: `127.0.0.1:${smtpPort}`,
          listen: `127.0.0.1:${httpPort}`,
          database: join(dataDir, "mailpit.db"),
        }),
        ...flags({ max: "0", quiet: "true", "smtp-disable-rdns": "true", "disable-version-check": "true" }),
      ],
    })),
};

/** Inbucket from its Go module, with a file for each mail. */
export const inbucket: Catcher = {
  name: "Inbucket 3.2.0",
  storage: "disk, not synchronised",
  install: () => installGo("github.com/inbucket/inbucket/v3/cmd/inbucket@v3.2.0", "inbucket"),
  start: () =>
    startCatcher(({ smtpPort, httpPort, dataDir }) => ({
      command: join(binaries, "inbucket"),
      argv: [],
      environment: {
        INBUCKET_LOGLEVEL: "error",
        INBUCKET_LUA_PATH: "",
        INBUCKET_SMTP_ADDR: `127.0.0.1:${smtpPort}`,
        INBUCKET_SMTP_MAXMESSAGEBYTES: "50000000",
        INBUCKET_WEB_ADDR: `127.0.0.1:${httpPort}`,
        INBUCKET_WEB_UIDIR: dataDir,
        INBUCKET_POP3_ADDR: "127.0.0.1:0",
        INBUCKET_STORAGE_TYPE: "file",
        INBUCKET_STORAGE_PARAMS: `path:${dataDir}`,
        INBUCKET_STORAGE_MAILBOXMSGCAP: "0",
      },
    })),
};

/** All catchers. */
export const catchers: readonly Catcher[] = [maildev, mailpit, inbucket];

/** Starts the catchers that can be installed on this machine. */
export async function startCatchers(
  wanted: readonly Catcher[] = catchers,
): Promise<readonly { readonly catcher: Catcher; readonly program: Program }[]> {
  const installed = wanted.filter(({ name, install }) => {
    const isInstalled = install();
    if (!isInstalled) process.stdout.write(`${name} is left out: it could not be installed\n`);
    return isInstalled;
  });
  return Promise.all(installed.map(async (catcher) => ({ catcher, program: await catcher.start() })));
}

interface CatcherProcess {
  readonly command: string;
  readonly argv: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

async function startCatcher(
  processOf: (options: { smtpPort: string; httpPort: string; dataDir: string }) => CatcherProcess,
): Promise<Program> {
  const [smtpPort, httpPort] = [await freePort(), await freePort()];
  const dataDir = mkdtempSync(join(tmpdir(), "restante-bench-"));
  const options = { smtpPort: String(smtpPort), httpPort: String(httpPort), dataDir };
  const { command, argv, environment = {} } = processOf(options);
  const child = spawn(command, argv, { stdio: "ignore", env: { ...process.env, ...environment } });
  return runProgram(child, {
    smtpPort,
    httpPort,
    cleanUp: () => {
      rmSync(dataDir, { recursive: true, force: true });
    },
  });
}

function flags(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}

/** Builds a Go module; returns false without Go. */
function installGo(module: string, binary: string): boolean {
  if (existsSync(join(binaries, binary))) return true;
  const env = { ...process.env, GOBIN: binaries };
  return spawnSync("go", ["install", module], { env, stdio: "ignore" }).status === 0;
}
