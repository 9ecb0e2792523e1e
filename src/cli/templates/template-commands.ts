/** Rows of the commands about templates. */
import { command, type Command, exitCodes, type Flags } from "../command.ts";

const browserFlag: Flags = {
  "browser WHICH": "Browser of previews: `auto` (default), `off`, or the absolute path of a Chromium",
};
const enginesNote =
  "Renders MJML, React Email, Handlebars, Liquid, Nunjucks, Mustache, EJS, Pug and HTML with the engines that the project has installed, and sample data from files beside the templates. [Templates](../guide/templates.md) describes names, data and `restante.config.json`.";

/** Command that shows templates. */
export const previewCommand: Command = command("preview", {
  operands: ["FOLDER"],
  flags: {
    watch: "Render again, and update the page, when a file of the folder changes",
    "port PORT": "HTTP port of the web UI. Default: any free port",
    "no-open": "Print the link instead of opening a browser",
    ...browserFlag,
  },
  summary: "Show the e-mail templates of a folder in the web UI",
  details: [enginesNote, "Starts a service of its own, whose data ends with it."],
  load: async () => (await import("./preview.ts")).preview,
});

/** Command that tests templates. */
export const testCommand: Command = command("test", {
  operands: ["FOLDER"],
  flags: {
    update: "Write changed snapshots, and delete obsolete ones",
    "filter TEXT": "Only templates whose name contains the text",
    "junit FILE": "Write JUnit XML to a file too",
    "sarif FILE": "Write SARIF to a file too",
    ...browserFlag,
  },
  summary: "Test the e-mail templates of a folder: snapshots, screenshots, budgets, translations",
  details: [
    enginesNote,
    "Snapshots and screenshots are files in `__snapshots__` of the folder; missing ones are written, and fail when `CI` is set. On GitHub, failures are annotations of the change.",
    "Exit codes: 0 when all templates pass, 1 when one does not, 2 when the folder or its configuration cannot be read, or on a usage error.",
  ],
  failureCode: exitCodes.usage,
  load: async () => (await import("./test-templates.ts")).testTemplates,
});
