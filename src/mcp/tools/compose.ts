import { type Parameter, text, contentParameters, idParameter, serverParameter } from "../arguments.ts";
/** Tools that send messages. */
import type { Message } from "../../core/message.ts";
import { callJson, serverOf } from "../call-api.ts";
import { adding, textPart, type Content, type Tool } from "../tool.ts";

const addressLengthMax = 320;
const subjectLengthMax = 2000;
const address = (description: string): Parameter => text(addressLengthMax, description);
const sends = { ...adding, isOpenWorld: true } as const;

/** Sends a mail. */
export const sendTool: Tool = {
  name: "send",
  title: "Send a mail",
  description:
    "Sends an e-mail from a server: to an address of any server of this service (delivered at once), or to an address outside that the operator has verified (through the relay). With deliver=false the mail is only stored in the server, as if it had been received: a sample for a test. Ask the user before mail leaves the service.",
  parameters: {
    ...serverParameter,
    to: address("Recipient, one plain address; required unless deliver is false."),
    cc: address("Further recipient, one plain address."),
    from: address("Sender: an address of the server; a generated one when absent."),
    subject: text(subjectLengthMax, "Subject."),
    ...contentParameters,
    deliver: { type: "boolean", description: "Whether the mail is delivered; default true." },
  },
  ...sends,
  run: async (call) => {
    const server = await serverOf(call);
    const names = ["to", "cc", "from", "subject", "text", "html"];
    const fields = Object.fromEntries(names.map((name) => [name, call.args.text(name)]));
    const body = { ...fields, send: call.args.boolean("deliver") ?? true };
    const request = { method: "POST" as const, path: "/api/messages", query: { server }, body };
    return [sentPart((await callJson<Message>(call, request)).value, server)];
  },
};

/** Replies to a message. */
export const replyTool: Tool = {
  name: "reply",
  title: "Reply to a message",
  description:
    "Replies to an e-mail, to its Reply-To or From, with the original quoted; the recipient must be an address of this service or verified. To an SMS the reply is text alone, which must be an approved phrase such as YES or STOP. Ask the user before mail leaves the service.",
  parameters: {
    id: { ...idParameter, isRequired: true },
    ...contentParameters,
    cc: address("Further recipient of a mail, one plain address."),
  },
  ...sends,
  run: async (call) => {
    const fields = Object.fromEntries(["text", "html", "cc"].map((name) => [name, call.args.text(name)]));
    const path = `/api/messages/${encodeURIComponent(call.args.text("id") ?? "")}/reply`;
    const { value } = await callJson<Message>(call, { method: "POST", path, body: fields });
    return [sentPart(value, value.server)];
  },
};

function sentPart({ id, delivery }: Message, server: string): Content {
  const state = delivery === undefined ? "It is stored as received" : `Its delivery is ${delivery.status}`;
  return textPart(`Created message ${id} in server ${server}. ${state}; get_message shows it.`);
}
