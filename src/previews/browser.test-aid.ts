/** Helpers of tests with a real browser. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { chromium as playwright } from "playwright-core";

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

/**
 * Loads pages one by one in a browser without any policy or restriction. Returns how often each page connected to the
 * trap.
 */
export async function showFreely(
  executablePath: string,
  trap: Trap,
  pages: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, number>>> {
  const browser = await playwright.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  const counts: Record<string, number> = {};
  for (const [name, html] of Object.entries(pages)) {
    const page = await browser.newPage();
    const before = trap.caught.length;
    await page.setContent(html, { waitUntil: "commit" });
    // No event shows that a browser will make no further connections.
    await page.waitForTimeout(400);
    counts[name] = trap.caught.length - before;
    await page.close();
  }
  await browser.close();
  return counts;
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
