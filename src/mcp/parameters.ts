import { integer, text } from "./arguments.ts";
/** Parameters that several tools share. */
import type { ArgumentTable, Parameter } from "./arguments.ts";
import { messageCountDefault, messageCountMax, waitMsDefault, waitMsMax } from "./bounds.ts";

const criterionLengthMax = 1000;
const idLengthMax = 100;
const bodyLengthMax = 400_000;
const criterion = (description: string): Parameter => text(criterionLengthMax, description);

/** Server of the call. */
export const serverParameter: ArgumentTable = {
  server: text(
    idLengthMax,
    "Id of the server, such as abcd1234. May be left out when there is a default: the key is restricted to one server, or only one exists.",
  ),
};

/** Id of a message. */
export const idParameter: Parameter = text(
  idLengthMax,
  "Id of the message, from list_messages, search_messages or wait_for_message.",
);

/** Criteria of a search. */
export const criteriaParameters: ArgumentTable = {
  sentTo: criterion("Whole e-mail address or phone number of a recipient (to, cc, bcc or envelope)."),
  sentFrom: criterion("Whole e-mail address or phone number of the sender."),
  subject: criterion("Part of the subject, in any letter case."),
  body: criterion("Part of the text or of the visible text of the HTML, in any letter case."),
  match: text(3, "Whether all criteria must match (default), or any one.", { members: ["ALL", "ANY"] }),
};

/** Bounds in time of a search. */
export const sinceParameters: ArgumentTable = {
  receivedAfter: criterion("Only messages received after this instant, ISO 8601."),
  after: integer("Only messages that arrived after the result that gave this cursor. Exact, unlike a time."),
};

/** Direction of messages. */
export const directionParameter: ArgumentTable = {
  dir: text(8, "Received messages (default), or those that the server sent.", { members: ["Received", "Sent"] }),
};

/** Messages of a server that a search or wait is about. */
export const searchParameters: ArgumentTable = {
  ...serverParameter,
  ...criteriaParameters,
  ...sinceParameters,
  ...directionParameter,
};

/** Page of a list. */
export const pageParameters: ArgumentTable = {
  before: text(idLengthMax, "Only messages older than the one with this id: the last one of the previous result."),
  limit: integer(
    `Most messages to return, at most ${String(messageCountMax)}; default ${String(messageCountDefault)}.`,
    messageCountMax,
    1,
  ),
};

/** Wait for messages. */
export const waitParameters: ArgumentTable = {
  ...searchParameters,
  timeoutMs: integer(
    `Longest wait in milliseconds, at most ${String(waitMsMax)}; default ${String(waitMsDefault)}.`,
    waitMsMax,
  ),
};

/** Message that a tool reads: by its id, or the newest one that matches. */
export const messageParameters: ArgumentTable = {
  id: { ...idParameter, description: `${idParameter.description} Without it, the newest message that matches.` },
  ...serverParameter,
  ...criteriaParameters,
  ...sinceParameters,
  timeoutMs: integer("Without id: milliseconds to wait for a match; default 0.", waitMsMax),
};

/** Content of a message to compose. */
export const contentParameters: ArgumentTable = {
  text: text(bodyLengthMax, "Text of the message."),
  html: text(bodyLengthMax, "HTML of the message."),
};
