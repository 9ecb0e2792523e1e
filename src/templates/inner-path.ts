/** Paths that stay within a folder, also where symbolic links are. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";

/** Bytes of a file that templates may have: sources, data and partials. */
export const sourceBytesMax: number = 2 * 1024 * 1024;

/** Error about a file of the folder: it is missing, too large, or outside of the folder. */
export class TemplateFileError extends Error {
  override readonly name: string = "TemplateFileError";
  readonly file: string;

  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.file = file;
  }
}

/** Returns the path relative to the folder with `/` between its segments; undefined when it leads out of the folder. */
export function innerPath(folder: string, path: string): string | undefined {
  const inner = relative(folder, path);
  const isOutside = inner === ".." || inner.startsWith(`..${sep}`) || isAbsolute(inner);
  return isOutside ? undefined : inner.split(sep).join("/");
}

/**
 * Returns the real path of a file of the folder, whose own path is real. Throws {@link TemplateFileError} when the file is
 * missing, or when the path or a symbolic link leads out of the folder.
 */
export function realInnerPath(folder: string, path: string): string {
  const shown = innerPath(folder, path) ?? path;
  let real: string;
  try {
    real = realpathSync(path);
  } catch (error) {
    throw new TemplateFileError(shown, `There is no file ${shown}`, { cause: error });
  }
  if (innerPath(folder, path) !== undefined && innerPath(folder, real) !== undefined) return real;
  throw new TemplateFileError(shown, `${shown} is outside of the folder of the templates`);
}

/** Returns the text of a file of the folder. Throws {@link TemplateFileError} as {@link realInnerPath} does, and for a large file. */
export function readInnerFile(folder: string, path: string): string {
  const real = realInnerPath(folder, path);
  const { size } = statSync(real);
  if (size <= sourceBytesMax) return readFileSync(real, "utf8").replace(/^\uFEFF/, "");
  const shown = innerPath(folder, path) ?? path;
  throw new TemplateFileError(
    shown,
    `${shown} has ${String(size)} bytes, and at most ${String(sourceBytesMax)} are read`,
  );
}
