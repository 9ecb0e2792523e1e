import {
  addPhoneNumber,
  listPhoneNumbers,
  readNumberRequest,
  removePhoneNumber,
} from "../../../operations/sms/phone-numbers.ts";
import { checkNumberChange, updatePhoneNumber } from "../../../operations/sms/update-phone-number.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { listResponse } from "../../lists/page-response.ts";
import { responseText, auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listOf } from "../../../core/schema.ts";
import { numberChangeSchema, numberRequestSchema, numberSchema, toWireNumber } from "../../wire/sms-schema.ts";

/** Members that an account needs. */
const accountMembers = ["account.id", "account.secret"];

/** Routes below `/api/phone-numbers`. */
export const phoneNumberRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path: "/api/phone-numbers",
    operationId: "listPhoneNumbers",
    summary: "List the phone numbers of all servers.",
    access: "account",
    successes: [{ status: 200, description: "The phone numbers, in order.", schema: listOf(numberSchema) }],
    problems: [],
    respond: async (call) => {
      const numbers = await listPhoneNumbers(call.context, call.principal);
      return listResponse(call, numbers.map(toWireNumber));
    },
  },
  {
    method: "POST",
    path: "/api/phone-numbers",
    operationId: "addPhoneNumber",
    audit: (_call, response) =>
      auditedAct("phone_number.add", {
        target: responseText(response, "id"),
        server: responseText(response, "server"),
      }),
    summary: "Add a phone number to a server.",
    access: "account",
    body: {
      schema: numberRequestSchema,
      required: ["number", "server", ...accountMembers],
      bytesMax: jsonBodyBytesMax,
    },
    successes: [{ status: 200, description: "The phone number.", schema: numberSchema }],
    problems: ["invalid_request", "not_found", "conflict", "storage_full"],
    respond: async (call) => {
      const request = decodeBody(numberRequestSchema, call.body, (partial, wrong) => {
        readNumberRequest(call.context, partial, wrong);
      });
      return jsonResponse(toWireNumber(await addPhoneNumber(call.context, call.principal, request)));
    },
  },
  {
    method: "PUT",
    path: "/api/phone-numbers/:id",
    operationId: "updatePhoneNumber",
    audit: (call, response) =>
      auditedAct("phone_number.update", {
        target: responseText(response, "id"),
        server: responseText(response, "server"),
        details: { fields: Object.keys(decodeBody(numberChangeSchema, call.body)) },
      }),
    summary: "Change a phone number, named in international form or by its id.",
    access: "account",
    body: { schema: numberChangeSchema, required: accountMembers, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The phone number as it is now.", schema: numberSchema }],
    problems: ["invalid_request", "not_found", "conflict", "storage_full"],
    respond: async (call) => {
      const change = decodeBody(numberChangeSchema, call.body, (partial) => {
        checkNumberChange(call.context, partial);
      });
      return jsonResponse(
        toWireNumber(await updatePhoneNumber(call.context, call.principal, { number: call.id, change })),
      );
    },
  },
  {
    method: "DELETE",
    path: "/api/phone-numbers/:id",
    operationId: "removePhoneNumber",
    audit: (call) => auditedAct("phone_number.remove", { target: call.id }),
    summary: "Remove a phone number.",
    access: "account",
    successes: [{ status: 204, description: "Removed; SMS that it received stay." }],
    problems: ["not_found", "storage_full"],
    respond: async (call) => {
      await removePhoneNumber(call.context, call.principal, call.id);
      return noContent;
    },
  },
];
