import { listDevices } from "../../../operations/devices/list-devices.ts";
import type { KeyRoute } from "../../route.ts";
import { deviceSchema } from "../../wire/device-schema.ts";
import { listResponse } from "../../lists/page-response.ts";
import { listOf } from "../../wire/schema.ts";

/** `GET /api/devices`: all devices, oldest first. */
export const listDevicesRoute: KeyRoute = {
  method: "GET",
  path: "/api/devices",
  operationId: "listDevices",
  summary: "List the devices, oldest first.",
  access: "account",
  successes: [{ status: 200, description: "The devices, without their secrets.", schema: listOf(deviceSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, await listDevices(call.context, call.principal)),
};
