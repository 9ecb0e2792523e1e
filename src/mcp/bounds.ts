/** Bounds of what tools accept and return, so that one result fits into the context of a model. */

/** Characters of message content in one result; tools continue with `offset`. */
export const contentLengthMax = 20_000;
/** Characters of the body in the overview of a message. */
export const overviewBodyLengthMax = 6000;
/** Bytes of a response that tools parse as JSON; larger messages are read in parts, as raw bytes. */
export const jsonBytesMax: number = 4 * 1024 * 1024;
/** Bytes of an image; in base64 it has 5 MB, the most that common models accept. */
export const imageBytesMax = 3_750_000;
/** Bytes of an attachment that is neither text nor an image, in one result. */
export const blobBytesMax: number = 48 * 1024;
/** Messages in one result of a list or a search. */
export const messageCountMax = 50;
/** Messages in a result unless their number is given. */
export const messageCountDefault = 20;
/** Links, codes and findings in one result. */
export const itemCountMax = 50;
/** Contacts of one field, links and attachments in the overview of a message. */
export const overviewCountMax = 20;
/** Characters of one link. */
export const linkLengthMax = 4000;
/** Characters of one subject, address or file name, and of a link in an overview. */
export const fieldLengthMax = 300;
/** Longest wait of a tool, in milliseconds; the service accepts no longer one. */
export const waitMsMax = 60_000;
/** Wait of a tool unless it is given. */
export const waitMsDefault = 10_000;
/** Interval of progress notifications during a wait, in milliseconds. */
export const progressMs = 5000;
/** Lifetime of a server that `create_server` creates unless it is given: a day, in seconds. */
export const serverTtlSeconds = 86_400;
