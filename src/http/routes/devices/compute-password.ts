import { getSecretPassword } from "../../../operations/devices/get-one-time-password.ts";
import { jsonResponse } from "../../http-response.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { secretRequestSchema, passwordOfDeviceSchema, toWirePassword } from "../../wire/device-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

/** `POST /api/devices/otp`: one-time password of a secret that is not stored. */
export const computePasswordRoute: KeyRoute = {
  method: "POST",
  path: "/api/devices/otp",
  operationId: "computePassword",
  summary: "Compute the one-time password of a secret, without storing it.",
  access: "account",
  permission: "read",
  body: { schema: secretRequestSchema, required: ["sharedSecret"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The password and its expiry.", schema: passwordOfDeviceSchema }],
  problems: ["invalid_request"],
  respond: (call) => {
    const request = decodeBody(secretRequestSchema, call.body);
    return jsonResponse(toWirePassword(getSecretPassword(call.context, call.principal, request)));
  },
};
