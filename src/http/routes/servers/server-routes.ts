import { getServerBundleRoute } from "../bundles/get-bundle.ts";
import type { KeyRoute } from "../../route.ts";
import { createServerRoute } from "./create-server.ts";
import { deleteServerRoute } from "./delete-server.ts";
import { deleteDnsZoneRoute, getDnsZoneRoute, putDnsZoneRoute } from "./dns-zone.ts";
import { getServerPasswordRoute } from "./get-server-password.ts";
import { getServerRoute } from "./get-server.ts";
import { listHeldRoute } from "./list-held.ts";
import { listServersRoute } from "./list-servers.ts";
import { scannerRoutes } from "../scanner/scanner-routes.ts";
import { resetServerPasswordRoute } from "./reset-server-password.ts";
import { updateServerRoute } from "./update-server.ts";

/** Routes below `/api/servers`, and the scan of a message. */
export const serverRoutes: readonly KeyRoute[] = [
  listServersRoute,
  createServerRoute,
  getServerRoute,
  updateServerRoute,
  deleteServerRoute,
  getServerPasswordRoute,
  resetServerPasswordRoute,
  getDnsZoneRoute,
  putDnsZoneRoute,
  deleteDnsZoneRoute,
  getServerBundleRoute,
  listHeldRoute,
  ...scannerRoutes,
];
