/** Parameters that several tools share. */
import type { ArgumentTable, Parameter } from "./arguments.ts";
import { messageCountDefault, messageCountMax, waitMsDefault, waitMsMax } from "./bounds.ts";

const criterionLengthMax = 1000;
const idLengthMax = 100;
const bodyLengthMax = 400_000;
const criterion = (description: string): Parameter => ({ type: "string", lengthMax: criterionLengthMax, description });

/** Server of the call. */
export const serverParameter: ArgumentTable = {
  server: {
    type: "string",
    lengthMax: idLengthMax,
    description:
      "Id of the server, such as abcd1234. May be left out when there is a default: the key is restricted to one server, or only one exists.",
  },
};

/** Id of a message. */
export const idParameter: Parameter = {
  type: "string",
  lengthMax: idLengthMax,
  description: "Id of the message, from list_messages, search_messages or wait_for_message.",
};

/** Criteria of a search. */
export const criteriaParameters: ArgumentTable = {
  sentTo: criterion("Whole e-mail address or phone number of a recipient (to, cc, bcc or envelope)."),
  sentFrom: criterion("Whole e-mail address or phone number of the sender."),
  subject: criterion("Part of the subject, in any letter case."),
  body: criterion("Part of the text or of the visible text of the HTML, in any letter case."),
  match: {
    type: "string",
    lengthMax: 3,
    members: ["ALL", "ANY"],
    description: "Whether all criteria must match (default), or any one.",
  },
};

/** Bounds in time of a search. */
export const sinceParameters: ArgumentTable = {
  receivedAfter: criterion("Only messages received after this instant, ISO 8601."),
  after: {
    type: "integer",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: "Only messages that arrived after the result that gave this cursor. Exact, unlike a time.",
  },
};

/** Direction of messages. */
export const directionParameter: ArgumentTable = {
  dir: {
    type: "string",
    lengthMax: 8,
    members: ["Received", "Sent"],
    description: "Received messages (default), or those that the server sent.",
  },
};

/** Page of a list. */
export const pageParameters: ArgumentTable = {
  before: {
    type: "string",
    lengthMax: idLengthMax,
    description: "Only messages older than the one with this id: the last one of the previous result.",
  },
  limit: {
    type: "integer",
    min: 1,
    max: messageCountMax,
    description: `Most messages to return, at most ${String(messageCountMax)}; default ${String(messageCountDefault)}.`,
  },
};

/** Time to wait. */
export const timeoutParameter: ArgumentTable = {
  timeoutMs: {
    type: "integer",
    min: 0,
    max: waitMsMax,
    description: `Longest wait in milliseconds, at most ${String(waitMsMax)}; default ${String(waitMsDefault)}.`,
  },
};

/** Message that a tool reads: by its id, or the newest one that matches. */
export const messageParameters: ArgumentTable = {
  id: { ...idParameter, description: `${idParameter.description} Without it, the newest message that matches.` },
  ...serverParameter,
  ...criteriaParameters,
  ...sinceParameters,
  timeoutMs: {
    type: "integer",
    min: 0,
    max: waitMsMax,
    description: "Without id: milliseconds to wait for a match; default 0.",
  },
};

/** Content of a message to compose. */
export const contentParameters: ArgumentTable = {
  text: { type: "string", lengthMax: bodyLengthMax, description: "Text of the message." },
  html: { type: "string", lengthMax: bodyLengthMax, description: "HTML of the message." },
};
