/** Changes of files of a folder. */
import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { configFileName } from "../../templates/template-config.ts";

/** Watched folder, and what happens. */
export interface WatchOptions {
  readonly folder: string;
  /** Path of the configuration, which may be outside of the folder; null for none. */
  readonly configFile: string | null;
  readonly clock: Pick<Clock, "after">;
  readonly onChange: () => void;
  /** Receives an error of the operating system, such as too many watched files. */
  readonly onError: (error: Error) => void;
}

/** Editors write several files, or one in steps: changes within this time are one, in milliseconds. */
const settleMs = 100;

/** Calls `onChange` after changes of files, until the returned function is called. Snapshots and hidden files do not count. */
export function watchFolder({ folder, configFile, clock, onChange, onError }: WatchOptions): () => void {
  let cancel = (): void => undefined;
  const note = (): void => {
    cancel();
    cancel = clock.after(settleMs, onChange);
  };
  const isIgnored = (name: string): boolean => /(?:^|[/\\])(?:\.|__snapshots__|node_modules)/.test(name);
  const watchers: FSWatcher[] = [];
  const open = (path: string, isRecursive: boolean, isOwn: (name: string) => boolean): void => {
    const watcher = watch(path, { recursive: isRecursive }, (_event, name) => {
      if (name === null || isOwn(name)) note();
    });
    watcher.on("error", onError);
    watchers.push(watcher);
  };
  open(folder, true, (name) => !isIgnored(name));
  if (configFile !== null && dirname(configFile) !== folder)
    open(dirname(configFile), false, (name) => name === configFileName);
  return () => {
    cancel();
    for (const watcher of watchers) watcher.close();
  };
}
