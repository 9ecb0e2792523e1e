/** Scanner of a server: read, set, removed. */
import type { Principal } from "../../core/api-key.ts";
import type { ServerId } from "../../core/ids.ts";
import type { ScannerBehaviour, ScannerProfile, ScannerSettings } from "../../core/scanner.ts";
import type { Store } from "../../store/store.ts";
import { openServer, orNotFound } from "../services/security/access.ts";
import { behaviourOf } from "./profiles.ts";
import { readScanner } from "./read-scanner.ts";

/** Dependencies of the calls. */
export interface ScannerDependencies {
  readonly store: Store;
}

/** Scanner of a server, with the whole of its behaviour. */
export interface ShownScanner extends ScannerBehaviour {
  readonly profile: ScannerProfile;
}

/** Returns the settings of the scanner of a server, without a promise where the store knows them; null without one. */
export function findScanner(
  { store }: { readonly store: Pick<Store, "scanners"> },
  server: ServerId,
): ScannerSettings | null | Promise<ScannerSettings | null> {
  const found = store.scanners.findScanner(server);
  return found instanceof Promise ? found.then(settingsOf) : settingsOf(found);
}

function settingsOf(json: string | null): ScannerSettings | null {
  return json === null ? null : (JSON.parse(json) as ScannerSettings);
}

/** Returns the scanner of a server. Rejects with `not_found` when there is no such server, or it has none. */
export async function getScanner(
  context: ScannerDependencies,
  principal: Principal,
  serverText: string,
): Promise<ShownScanner> {
  const { id } = await openServer(context, principal, serverText);
  return show(orNotFound((await findScanner(context, id)) ?? undefined, "Scanner"));
}

/** Sets the scanner of a server to that of a request body (see {@link readScanner}), and returns it. */
export async function putScanner(
  context: ScannerDependencies,
  principal: Principal,
  { server, body }: { readonly server: string; readonly body: unknown },
): Promise<ShownScanner> {
  const { id } = await openServer(context, principal, server);
  const settings = readScanner(body);
  await context.store.scanners.setScanner(id, JSON.stringify(settings));
  return show(settings);
}

/** Removes the scanner of a server, with its queued scans. Rejects as {@link getScanner}. */
export async function removeScanner(
  context: ScannerDependencies,
  principal: Principal,
  serverText: string,
): Promise<void> {
  await getScanner(context, principal, serverText);
  const { id } = await openServer(context, principal, serverText);
  await context.store.scanners.setScanner(id, null);
}

function show(settings: ScannerSettings): ShownScanner {
  return { profile: settings.profile, ...behaviourOf(settings) };
}
