import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import {
  createDevice,
  deleteDevice,
  getDevicePassword,
  getSecretPassword,
  listDevices,
  readDevice,
} from "../../../operations/devices/devices.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import {
  deviceRequestSchema,
  deviceSchema,
  passwordOfDeviceSchema,
  secretRequestSchema,
  toWirePassword,
} from "../../wire/account-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { auditedAct, responseText } from "../../audit.ts";
import { listResponse } from "../../lists/page-response.ts";
import { listOf } from "../../../core/schema.ts";

/** `GET /api/devices`: all devices, oldest first. */
const listDevicesRoute: KeyRoute = {
  method: "GET",
  path: "/api/devices",
  operationId: "listDevices",
  summary: "List the devices, oldest first.",
  access: "account",
  successes: [{ status: 200, description: "The devices, without their secrets.", schema: listOf(deviceSchema) }],
  problems: [],
  respond: async (call) => listResponse(call, await listDevices(call.context, call.principal)),
};

/** `GET /api/devices/:id/otp`: current one-time password of a device. */
const getDevicePasswordRoute: KeyRoute = {
  method: "GET",
  path: "/api/devices/:id/otp",
  operationId: "getDevicePassword",
  summary: "Retrieve the current one-time password of a device.",
  access: "account",
  successes: [{ status: 200, description: "The password and its expiry.", schema: passwordOfDeviceSchema }],
  problems: ["not_found", "conflict"],
  respond: async (call) => jsonResponse(toWirePassword(await getDevicePassword(call.context, call.principal, call.id))),
};

/** `DELETE /api/devices/:id`: deletes a device and its secret. */
const deleteDeviceRoute: KeyRoute = {
  method: "DELETE",
  path: "/api/devices/:id",
  operationId: "deleteDevice",
  summary: "Delete a device and its secret.",
  access: "account",
  audit: (call) => auditedAct("device.delete", { target: call.id }),
  successes: [{ status: 204, description: "Deleted." }],
  problems: ["not_found", "storage_full"],
  respond: async (call) => {
    await deleteDevice(call.context, call.principal, call.id);
    return noContent;
  },
};

/** `POST /api/devices`: creates a virtual authenticator. */
const createDeviceRoute: KeyRoute = {
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

/** `POST /api/devices/otp`: one-time password of a secret that is not stored. */
const computePasswordRoute: KeyRoute = {
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

/** Routes below `/api/devices`. */
export const deviceRoutes: readonly KeyRoute[] = [
  listDevicesRoute,
  createDeviceRoute,
  deleteDeviceRoute,
  getDevicePasswordRoute,
  computePasswordRoute,
];
