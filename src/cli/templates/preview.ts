/** `restante preview`: the templates of a folder in the web UI, rendered again when a file changes. */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { openLog } from "../../app/log/log.ts";
import { stopSignal } from "../../app/stop-signal.ts";
import type { Clock } from "../../core/clock.ts";
import { configFileName, readTemplateConfig } from "../../templates/template-config.ts";
import { type Action, exitCodes, UsageError } from "../command.ts";
import { escapeControls } from "../remote/listen.ts";
import { openInBrowser } from "../remote/open.ts";
import { openFolder } from "./rendered-folder.ts";
import { ShownTemplates } from "./shown-templates.ts";
import { startTemplateService } from "./template-service.ts";

const portMax = 65_535;

/** Runs `restante preview FOLDER` until a signal. */
export const preview: Action = async ({ operands: [operand = ""], flags, terminal }) => {
  const { clock } = terminal;
  const folder = openFolder(operand);
  const port = Number(flags.get("port") ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > portMax) throw new UsageError("--port takes a number of a port");
  const { file: configFile } = readTemplateConfig(folder);
  const stopped = stopSignal(openLog("silent"));
  await using service = await startTemplateService({
    name: basename(folder),
    port,
    browser: flags.get("browser") ?? "auto",
  });
  const report = (line: string): void => {
    terminal.out(`${escapeControls(line)}\n`);
  };
  const shown = new ShownTemplates({ folder, service, clock, report });
  await shown.update();
  const link = service.signInUrl ?? service.url;
  const isOpened = flags.has("no-open") ? false : await openInBrowser(terminal, link);
  terminal.out(`${isOpened ? `Opened ${service.url}` : link}\n`);
  if (!flags.has("watch")) {
    await stopped;
    return exitCodes.done;
  }
  const close = watchFolder({
    folder,
    configFile,
    clock,
    onChange: () => void shown.update(),
    onError: ({ message }) => {
      report(`The folder is not watched any more: ${message}`);
    },
  });
  terminal.out(`Watching ${folder}\n`);
  await stopped;
  close();
  return exitCodes.done;
};

/** Watched folder, and what happens. */
interface WatchOptions {
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
