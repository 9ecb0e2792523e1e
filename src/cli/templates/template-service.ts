/** Service that commands about templates start for themselves: data in a temporary folder, any free ports. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../../app/service.ts";
import { readSettings } from "../../app/settings/config.ts";
import type { RestanteClient } from "../../client/client.ts";
import { createSmtpRelay } from "../../egress/relay/smtp-relay.ts";
import { newSecret } from "../../operations/keys/keys.ts";
import { connect, type Service } from "../remote/service-client.ts";

/** Running service with one server. */
export interface TemplateService extends AsyncDisposable, Pick<Service, "url" | "key"> {
  readonly client: RestanteClient;
  readonly server: string;
  /** Link that signs one browser in, once. */
  readonly signInUrl: string | null;
  /** Stores a mail for the recipient with this local part; returns the id of the message. */
  readonly deliver: (localPart: string, raw: Uint8Array) => Promise<string>;
  /** Address with this local part. */
  readonly addressOf: (localPart: string) => string;
}

/** Choices of {@link startTemplateService}. */
export interface TemplateServiceOptions {
  /** Name of the server. */
  readonly name: string;
  /** HTTP port; 0 for any. */
  readonly port: number;
  /** `RESTANTE_CHROMIUM`. */
  readonly browser: string;
}

/** Starts a service. Rejects with `SettingsError` for an invalid option. */
export async function startTemplateService({ name, port, browser }: TemplateServiceOptions): Promise<TemplateService> {
  const dataDir = mkdtempSync(join(tmpdir(), "restante-templates-"));
  const key = newSecret();
  const server = "template";
  const flags = {
    "data-dir": dataDir,
    "api-key": key,
    servers: `${server}:${name.replaceAll(/[,:]/g, " ")}`,
    "smtp-port": 0,
    "http-port": port,
    "https-port": 0,
    chromium: browser,
    log: "silent",
  };
  await using stack = new AsyncDisposableStack();
  stack.defer(() => {
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { config } = readSettings(
    {},
    Object.entries(flags).map(([flag, value]) => `--${flag}=${String(value)}`),
  );
  const service = await startService(config, { durable: false });
  stack.defer(() => service.stop());
  const { host, ports, url, signInUrl } = service;
  const relay = createSmtpRelay({ url: `smtp://${host}:${String(ports.smtp ?? 0)}` });
  stack.defer(() => {
    relay.close();
  });
  const addressOf = (localPart: string): string => `${localPart}@${server}.${config.mailDomain}`;
  const running = stack.move();
  return {
    ...connect(url, key),
    url,
    key,
    server,
    signInUrl,
    addressOf,
    deliver: async (localPart, raw) => {
      const mail = { mailFrom: addressOf("templates"), rcptTo: [addressOf(localPart)], raw };
      const { response } = await relay.deliver(mail);
      const [, id] = /queued as (\S+)/.exec(response) ?? [];
      if (id === undefined) throw new Error(`The service did not store the mail: ${response}`);
      return id;
    },
    [Symbol.asyncDispose]: async () => running.disposeAsync(),
  };
}
