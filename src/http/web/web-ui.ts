import { fileURLToPath } from "node:url";
import type { WireAddresses } from "../wire/web-schema.ts";
import type { Assets } from "./assets.ts";
import type { Sessions } from "./sessions.ts";

/** What the web UI needs from those who open the HTTP door. */
export interface WebUi {
  readonly assets: Assets;
  readonly sessions: Sessions;
  /** Known once the listeners are open. */
  readonly addresses: () => WireAddresses;
  /** Version of the package. */
  readonly version: string;
  /** Whether browsers reach the service by HTTPS, so that cookies may insist on it. */
  readonly isSecure: boolean;
}

/** Where the build puts the web UI: the same place seen from the sources and from the build. */
export const assetFolder: string = fileURLToPath(new URL("../../../dist/web", import.meta.url));
