/** Helpers of tests with a real browser. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { chromium as playwright, type Page } from "playwright-core";

/** Loopback listener that records connections. */
export class Trap implements AsyncDisposable {
  /** First bytes of each connection. */
  readonly caught: string[] = [];
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on("connection", (socket: Socket) => {
      const at = this.caught.push("(silent)") - 1;
      socket.on("error", () => undefined).once("data", (bytes) => (this.caught[at] = bytes.toString("latin1", 0, 60)));
    });
  }

  /** Starts to listen. */
  static async open(): Promise<Trap> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return new Trap(server, typeof address === "object" ? (address?.port ?? 0) : 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Page in a browser without restrictions, and the only listener that its HTML names. */
export interface FreePage {
  readonly name: string;
  readonly page: Page;
  readonly trap: Trap;
}

/**
 * Loads pages at once in a browser without any policy or restriction. `pagesOf` returns the HTML of each page by its name, with
 * the port of a trap that is the page's own. Closes the pages when `isDone` has resolved for each, and returns what connected.
 */
export async function showFreely(
  executablePath: string,
  pagesOf: (port: number) => Readonly<Record<string, string>>,
  isDone: (shown: FreePage) => Promise<void>,
): Promise<readonly string[]> {
  const browser = await playwright.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const show = async (name: string): Promise<Trap> => {
    const [trap, page] = await Promise.all([Trap.open(), browser.newPage()]);
    await page.setContent(pagesOf(trap.port)[name] ?? "", { waitUntil: "commit" });
    await isDone({ name, page, trap });
    return trap;
  };
  const traps = await Promise.all(Object.keys(pagesOf(0)).map(show));
  await browser.close();
  await Promise.all(traps.map(async (trap) => trap[Symbol.asyncDispose]()));
  return traps.flatMap(({ caught }) => caught);
}

/** Returns the ids of running browsers that this process or its worker processes have started (proc(5)). */
export function ownBrowsers(): readonly number[] {
  return processesWhere(({ state, name, parent, command }) => {
    if (state === "Z" || command.includes("--type=")) return false;
    return command.includes(`session-${String(process.pid)}-`) || (parent === process.pid && name === "chromium");
  });
}

/** Returns the ids of the running worker processes that drive browsers of this process. */
export function browserProcesses(): readonly number[] {
  return processesWhere(({ parent, command }) => parent === process.pid && command.includes("render-worker"));
}

/** Returns the ids of children of this process that have exited and are not reaped. */
export function defunctChildren(): readonly number[] {
  return processesWhere(({ state, parent }) => state === "Z" && parent === process.pid);
}

interface ProcessEntry {
  readonly state: string;
  /** Name of the executable or script, at most 15 characters. */
  readonly name: string;
  readonly parent: number;
  readonly command: string;
}

/** Returns the ids of all processes of the machine that match. */
export function processesWhere(fits: (entry: ProcessEntry) => boolean): readonly number[] {
  return readdirSync("/proc")
    .filter((id) => /^\d+$/.test(id))
    .filter((id) => {
      try {
        const stat = readFileSync(`/proc/${id}/stat`, "latin1");
        const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
        return fits({ state, name, parent: Number(parent), command: readFileSync(`/proc/${id}/cmdline`, "latin1") });
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Returns the width and height in the header of a PNG. */
export function pngSize(png: Uint8Array): readonly [width: number, height: number] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  return [view.getUint32(16), view.getUint32(20)];
}

/** Returns HTML that requests resources of a port by every means that a page has. */
export function hostilePages(port: number): Readonly<Record<string, string>> {
  const at = (path: string): string => `http://127.0.0.1:${String(port)}/${path}`;
  return {
    scripts: `<script src="${at("js")}"></script><script>fetch("${at("fetch")}");new Image().src="${at("image")}";new WebSocket("ws://127.0.0.1:${String(port)}/")</script><img src=x onerror="location='${at("onerror")}'"><body onload="location='${at("onload")}'"><a href="javascript:fetch('${at("a")}')" autofocus onfocus="fetch('${at("focus")}')">x</a>`,
    "meta refresh": `<meta http-equiv=refresh content="0;url=${at("refresh")}"><meta http-equiv=content-security-policy content="default-src *">`,
    hints: [
      "preconnect",
      "dns-prefetch",
      "prefetch",
      "preload",
      "modulepreload",
      "prerender",
      "icon",
      "manifest",
      "next",
    ]
      .map(
        (rel) =>
          `<link rel="${rel}" as=image href="${at(rel)}"><link rel="${rel}" href="//localhost:${String(port)}/${rel}">`,
      )
      .join(""),
    frames: `<iframe src="${at("iframe")}"></iframe><iframe srcdoc="<img src='${at("srcdoc")}'>"></iframe><object data="${at("object")}"></object><embed src="${at("embed")}"><portal src="${at("portal")}"></portal>`,
    svg: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image href="${at("svg")}"/><image xlink:href="${at("xlink")}"/><use href="${at("use")}#a"/><style>@import url("${at("svgstyle")}");</style><script href="${at("svgscript")}"/><foreignObject><img src="${at("foreign")}"></foreignObject><filter id=f><feImage href="${at("filter")}"/></filter><rect filter="url(#f)" width=9 height=9 /><set attributeName=href to="${at("set")}"/></svg>`,
    css: `<link rel=stylesheet href="${at("sheet")}"><style>@import url("${at("import")}");@import "${at("import2")}";@font-face{font-family:f;src:url("${at("font")}")}p{font-family:f;background:url("${at("background")}");list-style:url(${at("list")});cursor:url(${at("cursor")}),auto;content:url(${at("content")})}p::before{content:url(${at("before")})}div{background:image-set("${at("set")}" 1x);mask:url(${at("mask")});\\62 ackground:u\\72l(${at("escaped")})}</style><p>x<div style="background:url(${at("inline")})">y</div>`,
    media: `<img src="${at("img")}" srcset="${at("srcset")} 2x"><picture><source srcset="${at("source")}"></picture><video src="${at("video")}" poster="${at("poster")}" autoplay></video><audio src="${at("audio")}" autoplay></audio><table background="${at("table")}"><tr><td background="${at("td")}">x</table><body background="${at("body")}"><input type=image src="${at("input")}">`,
    forms: `<form action="${at("form")}" id=f><input autofocus><button formaction="${at("formaction")}">x</button></form><isindex action="${at("isindex")}">`,
    "other schemes": `<img src="file:///etc/hostname"><img src="ftp://127.0.0.1:${String(port)}/x"><iframe src="file:///etc/passwd"></iframe><img src="blob:http://127.0.0.1:${String(port)}/x"><iframe src="data:text/html,<img src='${at("data")}'>"></iframe>`,
    parsing: [
      `<math><mtext><table><mglyph><style><!--</style><img src="${at("math")}">--></style></table></mtext></math>`,
      `<noscript><p title="</noscript><img src='${at("noscript")}'>"></noscript>`,
      `<xmp><p title="</xmp><img src='${at("xmp")}'>"></xmp><listing><img src="${at("listing")}"></listing>`,
      `<svg><style>a{background:u&#114;l(${at("reference")})}rect{fill:url(${at("paint")}#a);filter:url(${at("effect")}#a)}</style><rect width=9 height=9 /><a href=x><p><img src="${at("breakout")}"></svg>`,
      `<select><style></select><img src="${at("select")}"></style></select>`,
      `<title><p title="</title><img src='${at("title")}'>"></title><textarea></textarea><img src="${at("textarea")}"></textarea>`,
      `<!--[if IE]><img src="${at("ie")}"><![endif]--><!--><img src="${at("comment")}">--><![if !IE]><img src="${at("not")}"><![endif]><!-- --!><img src="${at("bang")}">-->`,
      `<template><img src="${at("template")}"></template><div><template shadowrootmode=open><img src="${at("shadow")}"></template></div>`,
      `<image src="${at("image")}"><img/src="${at("slash")}"/><IMG SRC=&#104;ttp://127.0.0.1:${String(port)}/encoded><img src="\thttp:\n//127.0.0.1:${String(port)}/tab"><p style="background:url(&quot;${at("quot")}&quot;)">`,
      `<p style="--a:'${at("var")}';background:image-set(var(--a) 1x)"><p style="background:-webkit-image-set(url(${at("webkit")}) 1x)"><p style="background:-webkit-cross-fade(url(${at("fade")}),url(${at("fade2")}),50%)"><p style='content:url("${at("style")}");border-image:url(${at("border")}) 1;shape-outside:url(${at("shape")})'>`,
      `<style>/*</style><img src="${at("unclosed")}"><style>*/@\\69mport "${at("atescape")}";</style><style>a{b:/url()* 'x*/url(${at("join")})'}</style>`,
      `<frameset><frame src="${at("frame")}"></frameset><applet codebase="${at("applet")}"></applet><bgsound src="${at("bgsound")}"><input type=image src="${at("button")}"><link rel=stylesheet href="${at("late")}">`,
    ].join(""),
    base: `<base href="${at("base/")}" target=_blank><img src=relative.png><link rel=stylesheet href=relative.css>`,
  };
}
