/** `restante open`: the web UI in a browser, signed in. */
import { spawn } from "node:child_process";
import type { Action, Terminal } from "../command.ts";
import { issueSignInLink, printing } from "./service-client.ts";

/** Runs `restante open`: opens a browser with a link that signs it in, or prints the link where no browser can be started. */
export const openCommandAction: Action = printing(async (service, { terminal }) => {
  const link = await issueSignInLink(service);
  const isOpened = await openInBrowser(terminal, link);
  return isOpened ? `Opened ${new URL("/", link).href}\n` : `${link}\n`;
});

/** Opens a URL in the browser of the desktop; returns false where no browser can be started. */
export async function openInBrowser(terminal: Terminal, url: string): Promise<boolean> {
  const opener = openerOf(terminal);
  return opener !== null && (await start(opener, url));
}

/** Returns the program that opens URLs with its arguments; null where there is no desktop. */
function openerOf({ environment }: Terminal): readonly [file: string, ...argv: string[]] | null {
  const { BROWSER: chosen = "", DISPLAY: x11 = "", WAYLAND_DISPLAY: wayland = "" } = environment;
  if (chosen !== "") return [chosen];
  if (process.platform === "darwin") return ["open"];
  // The first argument of `start` is the title of a window.
  if (process.platform === "win32") return ["cmd", "/c", "start", ""];
  return x11 === "" && wayland === "" ? null : ["xdg-open"];
}

/** Starts a program with a URL, and returns whether it accepted it; one that still runs after a second has. */
async function start([file, ...argv]: readonly [string, ...string[]], url: string): Promise<boolean> {
  const child = spawn(file, [...argv, url], { stdio: "ignore", detached: true });
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, acceptMsMax, true);
    const end = (isAccepted: boolean) => () => {
      clearTimeout(timer);
      resolve(isAccepted);
    };
    child.once("error", end(false));
    child.once("exit", (code) => {
      end(code === 0)();
    });
    child.unref();
  });
}

/** A browser that became the foreground process of its own does not end, in milliseconds. */
const acceptMsMax = 1000;
