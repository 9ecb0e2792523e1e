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

/** Returns the message of an error for users: for file system errors path and reason, for others their message. */
export function plainMessage(error: Error): string {
  const { code = "", path, syscall } = error as NodeJS.ErrnoException;
  const meaning = meanings[code];
  if (meaning === undefined || syscall === undefined) return error.message;
  if (path === undefined) return syscall === "read" ? `The file cannot be read: ${meaning}` : error.message;
  return `${path}: ${meaning}`;
}
