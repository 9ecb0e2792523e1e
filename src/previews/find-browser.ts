/** Looks for the browser and the libraries for rendering; the service starts without them. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Choice of the browser: `auto` is the first one found, `off` is none, anything else is the path of an executable. */
export type BrowserChoice = "auto" | "off" | (string & {});

/** Executable, package that contains one, or a sentence about what is missing. */
export type FoundBrowser =
  | { readonly kind: "executable"; readonly path: string }
  | { readonly kind: "package" }
  | { readonly kind: "none"; readonly problem: string };

const install = "install both with `npm install playwright-core @sparticuz/chromium`";
const names = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome",
  "microsoft-edge-stable",
  "microsoft-edge",
  "msedge",
];
const wellKnown = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/** Environment of the search; replaceable in tests. */
export interface SearchEnvironment {
  readonly searchPath: string;
  readonly hasPackage: (name: string) => boolean;
  readonly wellKnown: readonly string[];
}

const machine: SearchEnvironment = {
  get searchPath() {
    return process.env["PATH"] ?? "";
  },
  hasPackage: (name) => {
    try {
      return import.meta.resolve(name) !== "";
    } catch {
      // Not installed.
      return false;
    }
  },
  wellKnown,
};

/** Returns the browser for a choice; `auto` prefers an installed browser over the package, which must be unpacked first. */
export function findBrowser(choice: BrowserChoice, environment: SearchEnvironment = machine): FoundBrowser {
  if (choice === "off") return none("Previews are disabled by RESTANTE_CHROMIUM=off");
  if (!environment.hasPackage("playwright-core")) {
    return none(`Previews need the package playwright-core and a Chromium: ${install}`);
  }
  if (choice !== "auto") {
    return isExecutable(choice)
      ? { kind: "executable", path: choice }
      : none("RESTANTE_CHROMIUM (or --browser) is not an executable file");
  }
  const folders = environment.searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  const candidates = [
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    ...environment.wellKnown,
  ];
  const path = candidates.find(isExecutable);
  if (path !== undefined) return { kind: "executable", path };
  if (environment.hasPackage("@sparticuz/chromium")) return { kind: "package" };
  return none(`Previews need a Chromium: set RESTANTE_CHROMIUM to one, or ${install}`);
}

function none(problem: string): FoundBrowser {
  return { kind: "none", problem };
}

/** Whether the path is a file that this process may execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing or not executable: the caller reports how to get a browser.
    return false;
  }
}
