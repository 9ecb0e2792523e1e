import { deleteDevice } from "../../../operations/devices/delete-device.ts";
import { noContent } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";

/** `DELETE /api/devices/:id`: deletes a device and its secret. */
export const deleteDeviceRoute: KeyRoute = {
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
