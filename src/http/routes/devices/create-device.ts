import { createDevice } from "../../../operations/create-device.ts";
import { jsonAnswer } from "../../answer.ts";
import { answeredText, auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { deviceRequestSchema, deviceSchema } from "../../wire/device-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

/** `POST /api/devices`: keeps an authenticator. */
export const createDeviceRoute: KeyRoute = {
  method: "POST",
  path: "/api/devices",
  operationId: "createDevice",
  summary: "Keep an authenticator, from its shared secret.",
  access: "account",
  audit: (_call, answer) => auditedAct("device.create", { target: answeredText(answer, "id") }),
  body: { schema: deviceRequestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The device, as lists show it.", schema: deviceSchema }],
  problems: ["invalid_request", "storage_full"],
  answer: async (call) => {
    const request = decodeBody(deviceRequestSchema, call.body);
    return jsonAnswer(await createDevice(call.context, call.principal, request));
  },
};
