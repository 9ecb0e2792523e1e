import type { KeyRoute } from "../../route.ts";
import { addVerifiedAddressRoute } from "./add-verified-address.ts";
import { listVerifiedAddressesRoute } from "./list-verified-addresses.ts";
import { removeVerifiedAddressRoute } from "./remove-verified-address.ts";
import { verifyAddressRoute } from "./verify-address.ts";

/** Routes below `/api/verified-addresses`. */
export const verifiedAddressRoutes: readonly KeyRoute[] = [
  listVerifiedAddressesRoute,
  addVerifiedAddressRoute,
  verifyAddressRoute,
  removeVerifiedAddressRoute,
];
