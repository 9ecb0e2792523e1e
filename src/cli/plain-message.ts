import { ResponseError } from "../client/errors.ts";
import { Problem } from "../core/errors.ts";

/** Descriptions of the error codes of file systems. */
const meanings: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EEXIST: "it already exists",
  EISDIR: "it is a folder, not a file",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "no such file or folder",
  ENOSPC: "no space left on the device",
  ENOTDIR: "a part of the path is a file, not a folder",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
};

/**
 * Returns the message of an error for users: for file system errors path and reason, for requests their message with that of
 * each wrong field, also for those of a service that runs; for others their message.
 */
export function plainMessage(error: Error): string {
  if (error instanceof Problem) {
    return [error.message, ...error.fields.map(({ field, description }) => `${field}: ${description}`)].join("; ");
  }
  if (error instanceof ResponseError) return responseMessage(error);
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  const meaning = meanings[code];
  if (meaning === undefined || syscall === undefined) return error.message;
  if (path === undefined) return syscall === "read" ? `The file cannot be read: ${meaning}` : error.message;
  return `${path}: ${meaning}`;
}

function responseMessage({ status, body, fields }: ResponseError): string {
  if (status === 401) return "Invalid API key; set RESTANTE_API_KEY to a key of this service";
  // Not an error body of the service: only the status is known.
  const { message } = (body ?? {}) as { readonly message?: string };
  if (message === undefined) return `The service responded with status ${status}`;
  const details = fields.flatMap(({ field, detail }) => detail.map((one) => `${field}: ${one.description}`));
  return [message, ...details].join("; ");
}
