import { getDevicePassword } from "../../../operations/get-one-time-password.ts";
import { jsonResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import { passwordOfDeviceSchema, toWirePassword } from "../../wire/device-schema.ts";

/** `GET /api/devices/:id/otp`: what the device shows now. */
export const getDevicePasswordRoute: KeyRoute = {
  method: "GET",
  path: "/api/devices/:id/otp",
  operationId: "getDevicePassword",
  summary: "Read the one-time password that a device shows now.",
  access: "account",
  successes: [{ status: 200, description: "The password and its end.", schema: passwordOfDeviceSchema }],
  problems: ["not_found", "conflict"],
  respond: async (call) => jsonResponse(toWirePassword(await getDevicePassword(call.context, call.principal, call.id))),
};
