import { accountRoute } from "../rows.ts";
import {
  addPhoneNumber,
  listPhoneNumbers,
  readNumberRequest,
  removePhoneNumber,
} from "../../../operations/sms/phone-numbers.ts";
import { checkNumberChange, updatePhoneNumber } from "../../../operations/sms/update-phone-number.ts";
import { responseText, auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";
import { listOf } from "../../../core/schema.ts";
import { numberChangeSchema, numberRequestSchema, numberSchema, toWireNumber } from "../../wire/sms-schema.ts";

/** Members that an account needs. */
const accountMembers = ["account.id", "account.secret"];

/** Routes below `/api/phone-numbers`. */
export const phoneNumberRoutes: readonly KeyRoute[] = [
  accountRoute("listPhoneNumbers", "GET /api/phone-numbers", {
    summary: "List the phone numbers of all servers.",
    returns: ["The phone numbers, in order.", listOf(numberSchema)],
    run: async ({ context, principal }) => (await listPhoneNumbers(context, principal)).map(toWireNumber),
  }),
  accountRoute("addPhoneNumber", "POST /api/phone-numbers", {
    summary: "Add a phone number to a server.",
    body: numberRequestSchema,
    required: ["number", "server", ...accountMembers],
    check: (partial, wrong, { context }) => {
      readNumberRequest(context, partial, wrong);
    },
    audit: (_call, response) =>
      auditedAct("phone_number.add", {
        target: responseText(response, "id"),
        server: responseText(response, "server"),
      }),
    returns: ["The phone number.", numberSchema],
    problems: ["not_found", "conflict"],
    run: async ({ context, principal }, request) => toWireNumber(await addPhoneNumber(context, principal, request)),
  }),
  accountRoute("updatePhoneNumber", "PUT /api/phone-numbers/:id", {
    summary: "Change a phone number, named in international form or by its id.",
    body: numberChangeSchema,
    required: accountMembers,
    check: (partial, _wrong, { context }) => {
      checkNumberChange(context, partial);
    },
    audit: (_call, response, body) =>
      auditedAct("phone_number.update", {
        target: responseText(response, "id"),
        server: responseText(response, "server"),
        details: { fields: Object.keys(body) },
      }),
    returns: ["The phone number as it is now.", numberSchema],
    problems: ["conflict"],
    run: async ({ context, principal, id }, change) =>
      toWireNumber(await updatePhoneNumber(context, principal, { number: id, change })),
  }),
  accountRoute("removePhoneNumber", "DELETE /api/phone-numbers/:id", {
    summary: "Remove a phone number.",
    audit: (call) => auditedAct("phone_number.remove", { target: call.id }),
    returns: ["Removed; SMS that it received stay."],
    run: async ({ context, principal, id }) => removePhoneNumber(context, principal, id),
  }),
];
