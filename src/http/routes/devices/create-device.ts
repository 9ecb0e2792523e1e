import { createDevice, readDevice } from "../../../operations/devices/create-device.ts";
import { jsonResponse } from "../../http-response.ts";
import { responseText, auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { deviceRequestSchema, deviceSchema } from "../../wire/device-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

/** `POST /api/devices`: creates a virtual authenticator. */
export const createDeviceRoute: KeyRoute = {
  method: "POST",
  path: "/api/devices",
  operationId: "createDevice",
  summary: "Create a virtual authenticator from its shared secret.",
  access: "account",
  audit: (_call, response) => auditedAct("device.create", { target: responseText(response, "id") }),
  body: { schema: deviceRequestSchema, required: ["sharedSecret"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The device, as lists show it.", schema: deviceSchema }],
  problems: ["invalid_request", "storage_full"],
  respond: async (call) => {
    const request = decodeBody(deviceRequestSchema, call.body, readDevice);
    return jsonResponse(await createDevice(call.context, call.principal, request));
  },
};
