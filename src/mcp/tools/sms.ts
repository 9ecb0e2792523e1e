import type { Message } from "../../core/message.ts";
import { callJson } from "../call-api.ts";
import { fenceJson } from "../fence.ts";
import { textPart, type Tool } from "../tool.ts";
import { codesOf } from "../view.ts";

const smsLengthMax = 1600;
const numberLengthMax = 100;

/** Stores an SMS as if a phone number had received it. */
export const receiveSmsTool: Tool = {
  name: "receive_sms",
  title: "Simulate an incoming SMS",
  description:
    "Stores an SMS as if a phone number of the service had received it, in the server of the number or else in the catch-all server. The other tools read SMS like e-mails. Requires an account key.",
  parameters: {
    from: {
      type: "string",
      lengthMax: numberLengthMax,
      isRequired: true,
      description: "Sender: a number, a short code, or a name of at most 11 letters and digits.",
    },
    to: {
      type: "string",
      lengthMax: numberLengthMax,
      isRequired: true,
      description: "Recipient: a number in international form, such as +15550100.",
    },
    text: { type: "string", lengthMax: smsLengthMax, isRequired: true, description: "Text of the SMS." },
  },
  isReadOnly: false,
  isDestructive: false,
  isIdempotent: false,
  isOpenWorld: false,
  run: async (call) => {
    const body = Object.fromEntries(["from", "to", "text"].map((name) => [name, call.args.text(name)]));
    const { value } = await callJson<Message>(call, { method: "POST", path: "/api/sms", body });
    const codes = codesOf(value);
    const shown = codes.length === 0 ? "" : `\n\nIts one-time codes:\n\n${fenceJson(codes)}`;
    return [textPart(`Stored SMS ${value.id} in server ${value.server}.${shown}`)];
  },
};
