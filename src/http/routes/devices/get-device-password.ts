import { getDevicePassword } from "../../../operations/devices/get-one-time-password.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import { passwordOfDeviceSchema, toWirePassword } from "../../wire/device-schema.ts";

/** `GET /api/devices/:id/otp`: current one-time password of a device. */
export const getDevicePasswordRoute: KeyRoute = {
  method: "GET",
  path: "/api/devices/:id/otp",
  operationId: "getDevicePassword",
  summary: "Retrieve the current one-time password of a device.",
  access: "account",
  successes: [{ status: 200, description: "The password and its expiry.", schema: passwordOfDeviceSchema }],
  problems: ["not_found", "conflict"],
  respond: async (call) => jsonResponse(toWirePassword(await getDevicePassword(call.context, call.principal, call.id))),
};
