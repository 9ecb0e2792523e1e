import { addPhoneNumber, listPhoneNumbers, removePhoneNumber } from "../../../operations/phone-numbers.ts";
import { jsonAnswer, noContent } from "../../answer.ts";
import { listAnswer } from "../../lists/page-answer.ts";
import { answeredText, auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { listOf } from "../../wire/schema.ts";
import { numberRequestSchema, numberSchema, toWireNumber } from "../../wire/sms-schema.ts";

/** The routes below `/api/phone-numbers`. */
export const phoneNumberRoutes: readonly KeyRoute[] = [
  {
    method: "GET",
    path: "/api/phone-numbers",
    operationId: "listPhoneNumbers",
    summary: "List the numbers of all servers.",
    access: "account",
    successes: [{ status: 200, description: "The numbers, in order.", schema: listOf(numberSchema) }],
    problems: [],
    answer: async (call) => {
      const numbers = await listPhoneNumbers(call.context, call.principal);
      return listAnswer(call, numbers.map(toWireNumber));
    },
  },
  {
    method: "POST",
    path: "/api/phone-numbers",
    operationId: "addPhoneNumber",
    audit: (_call, answer) =>
      auditedAct("phone_number.add", {
        target: answeredText(answer, "id"),
        server: answeredText(answer, "server"),
      }),
    summary: "Give a number to a server.",
    access: "account",
    body: { schema: numberRequestSchema, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: "The number.", schema: numberSchema }],
    problems: ["invalid_request", "not_found", "conflict", "storage_full"],
    answer: async (call) => {
      const request = decodeBody(numberRequestSchema, call.body);
      return jsonAnswer(toWireNumber(await addPhoneNumber(call.context, call.principal, request)));
    },
  },
  {
    method: "DELETE",
    path: "/api/phone-numbers/:id",
    operationId: "removePhoneNumber",
    audit: (call) => auditedAct("phone_number.remove", { target: call.id }),
    summary: "Take a number from its server.",
    access: "account",
    successes: [{ status: 204, description: "Removed; texts that it got stay." }],
    problems: ["not_found", "storage_full"],
    answer: async (call) => {
      await removePhoneNumber(call.context, call.principal, call.id);
      return noContent;
    },
  },
];
