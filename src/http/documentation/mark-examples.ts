/** Examples of flags and tags of messages. */
const marks = { flags: ["seen"], tags: ["invoice"] };
const id = "6f1c2a9e-0b7d-4c3e-8f21-5a6b7c8d9e0f";

/** Examples of responses, by the name of the schema. */
export const markResponses: Readonly<Record<string, unknown>> = {
  Marks: marks,
  MarkedMessage: { id, ...marks, sequence: 118 },
  MarkResult: { changed: 1 },
  Tag: { tag: "invoice", count: 3 },
};

/** Examples of request bodies, by operation id. */
export const markRequests: Readonly<Record<string, unknown>> = {
  markMessages: { ids: [id], addFlags: ["seen"], addTags: ["invoice"] },
  putMarks: marks,
};
