import type { KeyRoute } from "../../route.ts";
import { computePasswordRoute } from "./compute-password.ts";
import { createDeviceRoute } from "./create-device.ts";
import { deleteDeviceRoute } from "./delete-device.ts";
import { getDevicePasswordRoute } from "./get-device-password.ts";
import { listDevicesRoute } from "./list-devices.ts";

/** Routes below `/api/devices`. */
export const deviceRoutes: readonly KeyRoute[] = [
  listDevicesRoute,
  createDeviceRoute,
  deleteDeviceRoute,
  getDevicePasswordRoute,
  computePasswordRoute,
];
