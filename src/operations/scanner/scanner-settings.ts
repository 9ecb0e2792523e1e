/** Scanner of a server: read, set, removed. */
import type { Context } from "../context.ts";
import type { Principal } from "../../core/api-key.ts";
import type { ServerId } from "../../core/ids.ts";
import { invalidField } from "../../core/errors.ts";
import { scannerSettingsSchema } from "../../core/scanner.ts";
import type { ScannerBehaviour, ScannerProfile, ScannerSettings, ShownScanner } from "../../core/scanner.ts";
import { decodeStrictly } from "../../core/strict-decoder.ts";
import type { Store } from "../../store/store.ts";
import { openServer, orNotFound } from "../services/security/access.ts";

// Behaviour of the link scanners that people meet. docs/guide/link-scanners.md names the source of each fact.

/** No profile renders: it is not documented which gateways run scripts, and for which links. */
const renders = false;
const chrome =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36";

/** Behaviour of each profile. */
export const profileBehaviours: Readonly<Record<ScannerProfile, ScannerBehaviour>> = {
  // Maintainers of sign-in libraries have observed HEAD, then GET, with the user agent of Chrome, before delivery.
  safelinks: { targets: "links", methods: ["HEAD", "GET"], userAgent: chrome, renders, when: "before", delayMs: 0 },
  // Barracuda documents that links are opened to verify them, and nothing about methods and user agents.
  barracuda: { targets: "links", methods: ["GET"], userAgent: chrome, renders, when: "before", delayMs: 0 },
  // Senders have observed this user agent. Gmail fetches images when a mail is opened.
  "gmail-image-proxy": {
    targets: "images",
    methods: ["GET"],
    userAgent: "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    renders,
    when: "after",
    delayMs: 0,
  },
  custom: {
    targets: "links",
    methods: ["GET"],
    userAgent: "restante link scanner",
    renders,
    when: "after",
    delayMs: 0,
  },
};

/** Returns the behaviour of a scanner: that of its profile, with the members that its settings replace. */
export function behaviourOf({ profile, ...replaced }: ScannerSettings): ScannerBehaviour {
  return { ...profileBehaviours[profile], ...replaced };
}

/**
 * Returns the scanner of a request body. Throws a 400 that names every wrong and unknown member, or `renders` where nothing
 * would be rendered: a scanner renders links that it opens with GET.
 */
export function readScanner(body: unknown): ScannerSettings {
  const settings = decodeStrictly(scannerSettingsSchema, body);
  const { targets, methods } = behaviourOf(settings);
  if (settings.renders !== true || (targets === "links" && methods.includes("GET"))) return settings;
  throw invalidField("renders", "Requires the targets links and the method GET");
}

/** Returns the settings of the scanner of a server, without a promise where the store knows them; null without one. */
export function findScanner(
  { scanners }: Pick<Store, "scanners">,
  server: ServerId,
): ScannerSettings | null | Promise<ScannerSettings | null> {
  const found = scanners.findScanner(server);
  return found instanceof Promise ? found.then(settingsOf) : settingsOf(found);
}

function settingsOf(json: string | null): ScannerSettings | null {
  return json === null ? null : (JSON.parse(json) as ScannerSettings);
}

/** Returns the scanner of a server. Rejects with `not_found` when there is no such server, or it has none. */
export async function getScanner(context: Context, principal: Principal, serverText: string): Promise<ShownScanner> {
  const { id } = await openServer(context, principal, serverText);
  return show(orNotFound((await findScanner(context.store, id)) ?? undefined, "Scanner"));
}

/** Sets the scanner of a server to that of a request body (see {@link readScanner}), and returns it. */
export async function putScanner(
  context: Context,
  principal: Principal,
  { server, body }: { readonly server: string; readonly body: unknown },
): Promise<ShownScanner> {
  const { id } = await openServer(context, principal, server);
  const settings = readScanner(body);
  await context.store.scanners.setScanner(id, JSON.stringify(settings));
  return show(settings);
}

/** Removes the scanner of a server, with its queued scans. Rejects as {@link getScanner}. */
export async function removeScanner(context: Context, principal: Principal, serverText: string): Promise<void> {
  await getScanner(context, principal, serverText);
  const { id } = await openServer(context, principal, serverText);
  await context.store.scanners.setScanner(id, null);
}

function show(settings: ScannerSettings): ShownScanner {
  return { profile: settings.profile, ...behaviourOf(settings) };
}
