import { accountRoute } from "../rows.ts";
import type { KeyRoute } from "../../route.ts";
import {
  createDevice,
  deleteDevice,
  deviceRequestSchema,
  getDevicePassword,
  getSecretPassword,
  listDevices,
  readDevice,
  secretRequestSchema,
} from "../../../operations/devices/devices.ts";
import { deviceSchema, passwordOfDeviceSchema, toWirePassword } from "../../wire/account-schema.ts";
import { auditedAct, responseText } from "../../audit.ts";
import { listOf } from "../../../core/schema.ts";

/** Routes below `/api/devices`. */
export const deviceRoutes: readonly KeyRoute[] = [
  accountRoute("listDevices", "GET /api/devices", {
    summary: "List the devices, oldest first.",
    returns: ["The devices, without their secrets.", listOf(deviceSchema)],
    run: async ({ context, principal }) => listDevices(context, principal),
  }),
  accountRoute("createDevice", "POST /api/devices", {
    summary: "Create a virtual authenticator from its shared secret.",
    body: deviceRequestSchema,
    required: ["sharedSecret"],
    check: readDevice,
    audit: (_call, response) => auditedAct("device.create", { target: responseText(response, "id") }),
    returns: ["The device, as lists show it.", deviceSchema],
    run: async ({ context, principal }, request) => createDevice(context, principal, request),
  }),
  accountRoute("deleteDevice", "DELETE /api/devices/:id", {
    summary: "Delete a device and its secret.",
    audit: (call) => auditedAct("device.delete", { target: call.id }),
    returns: ["Deleted."],
    run: async ({ context, principal, id }) => deleteDevice(context, principal, id),
  }),
  accountRoute("getDevicePassword", "GET /api/devices/:id/otp", {
    summary: "Retrieve the current one-time password of a device.",
    returns: ["The password and its expiry.", passwordOfDeviceSchema],
    problems: ["conflict"],
    run: async ({ context, principal, id }) => toWirePassword(await getDevicePassword(context, principal, id)),
  }),
  accountRoute("computePassword", "POST /api/devices/otp", {
    summary: "Compute the one-time password of a secret, without storing it.",
    permission: "read",
    body: secretRequestSchema,
    required: ["sharedSecret"],
    returns: ["The password and its expiry.", passwordOfDeviceSchema],
    run: ({ context, principal }, request) => toWirePassword(getSecretPassword(context, principal, request)),
  }),
];
