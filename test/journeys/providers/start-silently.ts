/** Start of a service for journeys with the libraries of providers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService, type RunningService } from "../../../src/app/service.ts";
import { configFrom } from "../../../src/app/settings/config.ts";
import { storeChoices } from "../store-under-test.ts";

/** Running service, and how to stop it and remove its data. */
export interface SilentService {
  readonly service: RunningService;
  readonly stop: () => Promise<void>;
}

/** Starts a service on free ports that logs nothing and accepts stored keys only, unless these settings differ. */
export async function startSilently(settings: Parameters<typeof configFrom>[0]): Promise<SilentService> {
  const dataDir = mkdtempSync(join(tmpdir(), "restante-provider-"));
  const ports = { httpPort: 0, httpsPort: null, smtpPort: 0 };
  const shared = { ...(await storeChoices(dataDir)), dataDir, log: "silent", providerKeys: "known" } as const;
  const service = await startService(configFrom({ ...shared, ...ports, ...settings }), { durable: false });
  return {
    service,
    stop: async () => {
      await service.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
