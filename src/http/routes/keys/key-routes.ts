import type { KeyRoute } from "../../route.ts";
import { createKeyRoute } from "./create-key.ts";
import { listKeysRoute } from "./list-keys.ts";
import { rotateKeyRoute } from "./rotate-key.ts";
import { revokeKeyRoute } from "./revoke-key.ts";

/** Routes below `/api/keys`. */
export const keyRoutes: readonly KeyRoute[] = [listKeysRoute, createKeyRoute, rotateKeyRoute, revokeKeyRoute];
