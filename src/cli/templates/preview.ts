/** `restante preview`: the templates of a folder in the web UI, rendered again when a file changes. */
import { basename } from "node:path";
import { openLog } from "../../app/log/log.ts";
import { stopSignal } from "../../app/stop-signal.ts";
import { readTemplateConfig } from "../../templates/template-config.ts";
import { type Action, exitCodes, UsageError } from "../command.ts";
import { escapeControls } from "../remote/listen.ts";
import { openInBrowser } from "../remote/open.ts";
import { openFolder } from "./rendered-folder.ts";
import { ShownTemplates } from "./shown-templates.ts";
import { startTemplateService } from "./template-service.ts";
import { watchFolder } from "./watch-folder.ts";

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
