import { fileURLToPath } from "node:url";
import type { WireAddresses } from "../wire/web-schema.ts";
import type { Assets } from "./assets.ts";
import type { Sessions } from "./sessions.ts";

/** Options for the web UI. */
export interface WebUi {
  readonly assets: Assets;
  readonly sessions: Sessions;
  /** Returns the addresses of the listeners, once they are open. */
  readonly addresses: () => WireAddresses;
  /** Version of the package. */
  readonly version: string;
  /** Whether the service is reached by HTTPS, so that cookies can require it. */
  readonly isSecure: boolean;
}

/** Folder of the built web UI, the same from the sources and from the build. */
export const assetFolder: string = fileURLToPath(new URL("../../../dist/web", import.meta.url));
